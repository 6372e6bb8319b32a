"""A Python of our own with parts of it missing, and a copy of the checkout to start from."""

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CHECKOUT = ["pyproject.toml", "constraints.txt", "Makefile", "README.md", "LICENSE", "tools", "src"]


def interpreter_without(folder: Path, *hidden: str) -> Path:
    """The running Python, copied into a folder, whose standard library lacks some modules and has no site-packages."""
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    library = folder / sys.platlibdir / version
    library.mkdir(parents=True)
    (folder / "bin").mkdir()
    base = Path(getattr(sys, "_base_executable", sys.executable)).resolve()
    shutil.copy2(base, folder / "bin" / version)
    for shared in base.parent.parent.glob(f"{sys.platlibdir}/libpython*"):
        (folder / sys.platlibdir / shared.name).symlink_to(shared)
    for entry in Path(sysconfig.get_path("stdlib")).iterdir():
        if entry.name not in {"site-packages", "dist-packages", "__pycache__", *hidden}:
            (library / entry.name).symlink_to(entry)
    return folder / "bin" / version


def checkout(folder: Path) -> Path:
    """What the first step needs of this checkout, copied into a folder."""
    folder.mkdir(parents=True)
    for name in CHECKOUT:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__", "*.so"))
        elif source.exists():
            shutil.copy(source, folder / name)
    return folder


def poor_path(folder: Path) -> str:
    """A PATH with make and a shell, and neither git, pip, python3 nor apt-get."""
    folder.mkdir()
    for name in ("make", "sh"):
        found = shutil.which(name)
        assert found, f"{name} is needed for this test"
        (folder / name).symlink_to(found)
    return str(folder)


def environment(**changes: str) -> dict[str, str]:
    """Our environment variables without what belongs to this test run; an empty value removes one."""
    left_out = ("COVERAGE_", "COV_", "PYTHON", "VIRTUAL_ENV", "PYTEST_", "LC_", "MAKE", "MFLAGS")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(left_out)}
    return {name: value for name, value in {**kept, **changes}.items() if value}


def run(*command: str | Path, **changes: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        env=environment(**changes),
        capture_output=True,
        text=True,
        encoding="utf-8",
        errors="replace",
        timeout=600,
    )
