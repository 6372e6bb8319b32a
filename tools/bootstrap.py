"""Makes `.venv` with Weft and what it needs, from nothing but Python 3.11 and its standard library.

    python3 tools/bootstrap.py [EXTRA ...]

`.venv/.ready` tells what the environment was made from; when that has changed, it is made again. Environments are
made by the venv module, else by Debian's package python3-venv (as root), else by hand with pip's own wheel, which is
taken from the index that pip is configured to use and must have the hash below.

An older Python must be able to read this file, to be refused with a sentence: no newer grammar here.
"""

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

OLDEST = (3, 11)
PIP_WHEEL = "pip-26.2.1-py3-none-any.whl"
PIP_SHA256 = "71138adf1f4ca900cdb7d289c21b7494329f2332b6d85f0e1c42108c0384ed3e"
BUILD_TOOLS = ["hatchling", "editables"]
"""What builds Weft itself; in the environment, so that it is pinned like everything else."""

SOURCE_ONLY = ["snakes"]
"""What no index has a wheel of; all else comes as wheels."""

ROOT = Path(__file__).resolve().parent.parent


class Unusable(Exception):
    """This machine cannot make the environment; the message says why and what to do."""


def refusal(version: "tuple[int | str, ...]") -> str:
    """The sentence that refuses an interpreter, or an empty one."""
    if tuple(map(int, version[:2])) >= OLDEST:
        return ""
    found = ".".join(str(number) for number in version[:3])
    return f"Weft needs Python 3.11 or newer, and {sys.executable} is {found}: name another with PYTHON=python3.11."


if __name__ == "__main__" and refusal(sys.version_info):
    sys.exit(refusal(sys.version_info))


# What the environment is made from.


def interpreter() -> Path:
    """The interpreter to make environments with: ours, or the one behind it if we run in an environment."""
    return Path(getattr(sys, "_base_executable", sys.executable))


def fingerprint(root: Path) -> str:
    """Changes when the environment must be made again."""
    digest = hashlib.sha256()
    for name in ("pyproject.toml", "constraints.txt", "tools/bootstrap.py"):
        digest.update((root / name).read_bytes() + b"\0")
    digest.update(f"{root}\0{sys.base_prefix}\0{sys.version}".encode("utf-8", "surrogateescape"))
    return digest.hexdigest()


def ready(environment: Path) -> tuple[str, set[str]]:
    """The fingerprint and the extras that an environment was made with."""
    try:
        made_from, *extras = (environment / ".ready").read_text("utf-8").split()
    except (OSError, ValueError):
        return "", set()
    return made_from, set(extras)


# Making an empty environment that has pip.


def python_of(environment: Path) -> Path:
    return environment / "bin" / "python"


def make_environment(environment: Path) -> None:
    """An empty environment with pip, made in the first way that this machine allows."""
    if venv_made(environment):
        return
    if debian_package_installed() and venv_made(environment):
        return
    remove(environment)
    wheel = fetch_pip(environment.parent)
    try:
        lay_out(environment)
        run([python_of(environment), f"{wheel}/pip", "install", "-qq", "--no-index", "--no-deps", wheel])
    finally:
        shutil.rmtree(wheel.parent)


def venv_made(environment: Path) -> bool:
    remove(environment)
    return succeeds([interpreter(), "-m", "venv", environment]) and succeeds(
        [python_of(environment), "-m", "pip", "--version"]
    )


def debian_package_installed() -> bool:
    """Debian keeps the venv module's other half in a package of its own, which only the system's Python can use."""
    if os.geteuid() != 0 or sys.base_prefix != "/usr" or shutil.which("apt-get") is None:
        return False
    say("installing Debian's python3-venv")
    os.environ.setdefault("DEBIAN_FRONTEND", "noninteractive")
    install = ["apt-get", "install", "--yes", "--quiet", "--no-install-recommends", "python3-venv"]
    return succeeds(install) or (succeeds(["apt-get", "update", "--quiet"]) and succeeds(install))


def lay_out(environment: Path) -> None:
    """What `venv --without-pip` makes, and the same by hand where even that module is missing."""
    if succeeds([interpreter(), "-m", "venv", "--without-pip", environment]):
        return
    remove(environment)
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    (environment / "lib" / version / "site-packages").mkdir(parents=True)
    (environment / "bin").mkdir()
    for name in ("python", "python3", version):
        (environment / "bin" / name).symlink_to(interpreter())
    settings = f"home = {interpreter().parent}\ninclude-system-site-packages = false\n"
    (environment / "pyvenv.cfg").write_text(settings, "utf-8")


def remove(environment: Path) -> None:
    if environment.is_symlink():
        environment.unlink()
    elif environment.exists():
        shutil.rmtree(environment)


# pip's wheel, without pip.


def fetch_pip(folder: Path) -> Path:
    """Downloads pip's pinned wheel through pip's own configuration, into a folder of its own in `folder`."""
    # Only here: the rest must work on a Python built without ssl.
    from pip_index import Index, settings

    content = Index(settings()).find("pip", PIP_WHEEL)
    if content is None:
        raise Unusable(
            "no pip, no venv module, and no index with a wheel of pip: install Debian's python3-venv or its like, "
            f"or set PIP_INDEX_URL to a package index that has {PIP_WHEEL}."
        )
    if hashlib.sha256(content).hexdigest() != PIP_SHA256:
        raise Unusable(f"the index gave a {PIP_WHEEL} whose sha256 is not {PIP_SHA256}: it is not used.")
    kept = folder / ".pip-wheel"
    kept.mkdir(exist_ok=True)
    (kept / PIP_WHEEL).write_bytes(content)
    return kept / PIP_WHEEL


# Filling it.


def requirements(root: Path, extras: set[str]) -> list[str]:
    """What Weft needs with these extras, as pyproject.toml says."""
    import tomllib  # an older Python, which is refused, has none

    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    unknown = extras - set(project["optional-dependencies"])
    if unknown:
        raise Unusable(f"no such extra: {', '.join(sorted(unknown))}.")
    return [
        *project["dependencies"],
        *(need for extra in sorted(extras) for need in project["optional-dependencies"][extra]),
    ]


def install(environment: Path, root: Path, extras: set[str]) -> None:
    pip: list[str | Path] = [python_of(environment), "-m", "pip", "install", "-qq", "--disable-pip-version-check"]
    wheels_only = ["--only-binary", ":all:", "--no-binary", ",".join(SOURCE_ONLY)]
    run([*pip, *wheels_only, "--constraint", root / "constraints.txt", *BUILD_TOOLS, *requirements(root, extras)])
    run([*pip, "--no-deps", "--no-build-isolation", "--editable", root])


# Small things.


def say(text: str) -> None:
    print(f"bootstrap: {text}", file=sys.stderr, flush=True)


def succeeds(command: Sequence[str | Path]) -> bool:
    return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0


def run(command: Sequence[str | Path]) -> None:
    if subprocess.run(command).returncode != 0:
        raise Unusable(f"this command failed, and its reason is above: {' '.join(map(str, command))}")


def bootstrap(root: Path, extras: set[str]) -> None:
    environment = root / ".venv"
    wanted = fingerprint(root)
    made_from, present = ready(environment)
    if made_from == wanted and extras <= present:
        return
    extras = extras | present
    say(f"making {environment}")
    make_environment(environment)
    install(environment, root, extras)
    (environment / ".ready").write_text(" ".join([wanted, *sorted(extras)]) + "\n", "utf-8")


if __name__ == "__main__":
    try:
        bootstrap(ROOT, set(sys.argv[1:]))
    except Unusable as reason:
        sys.exit(f"bootstrap: {reason}")
