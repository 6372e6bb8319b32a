"""The first step on a bare machine: an environment from a Python that has no pip, no ensurepip, perhaps no venv."""

import ast
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import bootstrap
from tests.repo.bare import ROOT, checkout, environment, interpreter_without, poor_path, run

SCRIPT = ROOT / "tools" / "bootstrap.py"


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with pip's pinned wheel, fetched by the pip that this environment has."""
    folder = tmp_path_factory.mktemp("wheels")
    pinned = f"pip=={bootstrap.PIP_WHEEL.split('-')[1]}"
    command = [sys.executable, "-m", "pip", "download", "-qq", "--no-deps", "--only-binary", ":all:", pinned]
    subprocess.run([*command, "--dest", folder], check=True)
    return folder


@pytest.fixture(scope="module")
def with_wheels(wheels: Path) -> dict[str, str]:
    """pip's configuration as it is here, with the wheel's folder besides."""
    asked = [sys.executable, "-m", "pip", "config", "get", "global.find-links"]
    present = subprocess.run(asked, capture_output=True, text=True, env={**os.environ, "PIP_FIND_LINKS": ""}).stdout
    places = [*os.environ.get("PIP_FIND_LINKS", present).split(), str(wheels)]
    return {"PIP_FIND_LINKS": " ".join(dict.fromkeys(places)), "LANG": "C"}


@pytest.fixture(scope="module")
def python_without_pip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return interpreter_without(tmp_path_factory.mktemp("bare") / "python without pip", "ensurepip")


@pytest.fixture(scope="module")
def started(
    tmp_path_factory: pytest.TempPathFactory, python_without_pip: Path, with_wheels: dict[str, str]
) -> Iterator[tuple[Path, dict[str, str]]]:
    """A checkout in a path with spaces after its first step, and the environment variables it was made under."""
    folder = tmp_path_factory.mktemp("machine")
    root = checkout(folder / "a path with spaces")
    variables = {**with_wheels, "PATH": poor_path(folder / "bin"), "PYTHON": str(python_without_pip)}
    done = run("make", "-C", root, "ready", **variables)
    assert done.returncode == 0, done.stdout + done.stderr
    yield root, variables
    shutil.rmtree(root)


def test_the_hidden_modules_are_hidden(python_without_pip: Path) -> None:
    for module in ("pip", "ensurepip"):
        assert run(python_without_pip, "-c", f"import {module}").returncode != 0


@pytest.mark.slow
def test_a_bare_python_is_enough(started: tuple[Path, dict[str, str]]) -> None:
    root, variables = started
    asked = "import weft, msgspec, click, rich, sys; print(weft.__file__)"
    done = run(root / ".venv" / "bin" / "python", "-c", asked, PATH=variables["PATH"], LANG="C")
    assert Path(done.stdout.strip()) == root / "src" / "weft" / "__init__.py", done.stderr
    assert (root / ".venv" / "bin" / "weft").is_file()
    assert not (root / ".pip-wheel").exists()


@pytest.mark.slow
def test_versions_are_the_pinned_ones(started: tuple[Path, dict[str, str]]) -> None:
    root, _ = started
    done = run(root / ".venv" / "bin" / "python", "-m", "pip", "list", "--format", "json")
    installed = {entry["name"].lower(): entry["version"] for entry in json.loads(done.stdout)}
    for name in ("click", "msgspec", "rich"):
        assert f"{name}=={installed[name]}" in (ROOT / "constraints.txt").read_text("utf-8").split()
    assert installed["pip"] == bootstrap.PIP_WHEEL.split("-")[1]


@pytest.mark.slow
def test_a_ready_environment_is_left_alone_and_a_changed_project_makes_it_again(
    started: tuple[Path, dict[str, str]],
) -> None:
    root, variables = started
    witness = root / ".venv" / "witness"
    witness.touch()
    again = run("make", "-C", root, "ready", **variables)
    assert again.returncode == 0
    assert "making" not in again.stderr
    assert witness.exists()
    project = root / "pyproject.toml"
    project.write_text(project.read_text("utf-8") + "\n# changed\n", "utf-8")
    after = run("make", "-C", root, "ready", **variables)
    assert after.returncode == 0, after.stderr
    assert "making" in after.stderr
    assert not witness.exists()


@pytest.mark.slow
def test_an_environment_is_laid_out_by_hand_where_the_venv_module_is_missing(
    tmp_path: Path, with_wheels: dict[str, str]
) -> None:
    python = interpreter_without(tmp_path / "python", "ensurepip", "venv")
    made = tmp_path / "a folder" / "made"
    made.parent.mkdir()
    call = f"import bootstrap, pathlib; bootstrap.make_environment(pathlib.Path({str(made)!r}))"
    variables = {**with_wheels, "PYTHONPATH": str(ROOT / "tools"), "PATH": poor_path(tmp_path / "bin")}
    done = run(python, "-c", call, **variables)
    assert done.returncode == 0, done.stderr
    asked = run(made / "bin" / "python", "-c", "import pip, sys; print(sys.prefix); print(pip.__file__)")
    prefix, pip = asked.stdout.split("\n")[:2]
    assert Path(prefix) == made
    assert Path(pip).is_relative_to(made)


# What cannot be made is refused with one sentence.


def refused(*command: str | Path, **changes: str) -> str:
    done = run(*command, **changes)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    return done.stderr.strip().splitlines()[-1]


@pytest.fixture
def offline(tmp_path: Path) -> dict[str, str]:
    """pip configured to know no index at all."""
    nothing = {name: "" for name in os.environ if name.startswith("PIP_")}
    return {**nothing, "PIP_CONFIG_FILE": os.devnull, "PIP_NO_INDEX": "1", "PATH": poor_path(tmp_path / "bin")}


def test_without_pip_and_without_an_index_it_says_what_to_install(
    tmp_path: Path, python_without_pip: Path, offline: dict[str, str]
) -> None:
    root = checkout(tmp_path / "checkout")
    sentence = refused(python_without_pip, root / "tools" / "bootstrap.py", **offline)
    assert "install Debian's python3-venv" in sentence
    assert "PIP_INDEX_URL" in sentence
    assert not (root / ".venv" / ".ready").exists()


def test_a_wheel_of_pip_with_another_hash_is_not_used(
    tmp_path: Path, python_without_pip: Path, offline: dict[str, str]
) -> None:
    root = checkout(tmp_path / "checkout")
    (tmp_path / bootstrap.PIP_WHEEL).write_bytes(b"not the wheel")
    variables = {**offline, "PIP_FIND_LINKS": str(tmp_path)}
    assert "sha256" in refused(python_without_pip, root / "tools" / "bootstrap.py", **variables)


def test_an_unknown_extra_is_refused(tmp_path: Path) -> None:
    with pytest.raises(bootstrap.Unusable, match="no such extra: postgress"):
        bootstrap.requirements(ROOT, {"postgress"})
    assert "snakes" in bootstrap.requirements(ROOT, {"bench"})


def old_interpreters() -> list[str]:
    """Interpreters on this machine that are too old."""
    folders = [*os.environ["PATH"].split(os.pathsep), *map(str, Path.home().glob(".pyenv/versions/3.*/bin"))]
    found = (shutil.which(f"python3.{minor}", path=folder) for folder in folders for minor in range(6, 11))
    runs = (path for path in found if path and run(path, "-c", "").returncode == 0)
    return sorted(set(runs))


def test_an_older_python_is_refused_with_one_sentence() -> None:
    assert "Weft needs Python 3.11" in bootstrap.refusal((3, 10, 13))
    assert bootstrap.refusal((3, 11, 0)) == bootstrap.refusal((4, 0, 0)) == ""
    for python in old_interpreters():
        assert "Weft needs Python 3.11 or newer" in refused(python, SCRIPT)


def test_an_older_python_can_read_the_script() -> None:
    ast.parse(SCRIPT.read_text("utf-8"), feature_version=(3, 7))


# When an environment is made again.


def test_the_fingerprint_follows_the_project_the_pins_and_the_place(tmp_path: Path) -> None:
    root = checkout(tmp_path / "one")
    seen = {bootstrap.fingerprint(root)}
    for name in ("pyproject.toml", "constraints.txt"):
        (root / name).write_text((root / name).read_text("utf-8") + "\n", "utf-8")
        seen.add(bootstrap.fingerprint(root))
    root.rename(tmp_path / "two")
    seen.add(bootstrap.fingerprint(tmp_path / "two"))
    assert len(seen) == 4


@pytest.mark.parametrize("content", ["", "\n", None])
def test_an_environment_without_a_ready_mark_was_made_from_nothing(tmp_path: Path, content: str | None) -> None:
    if content is not None:
        (tmp_path / ".ready").write_text(content, "utf-8")
    assert bootstrap.ready(tmp_path) == ("", set())


def test_the_ready_mark_of_this_environment_is_read_back() -> None:
    made_from, extras = bootstrap.ready(Path(sys.prefix))
    if made_from:
        assert len(made_from) == 64
        assert "test" in extras


def test_an_environment_that_is_a_link_is_unlinked_not_emptied(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / "file").touch()
    (tmp_path / ".venv").symlink_to(kept)
    bootstrap.remove(tmp_path / ".venv")
    assert (kept / "file").exists()
    assert not (tmp_path / ".venv").exists()


def test_the_variables_of_a_test_run_do_not_reach_the_first_step() -> None:
    assert not [name for name in environment() if name.startswith(("COVERAGE_", "PYTEST_"))]
