"""The same figures with the kernel compiled by mypyc: in a build of its own, measured by a process of its own."""

import json
import os
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from pathlib import Path
from shutil import which

import msgspec

from bench.figures import Figure

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "build" / "compiled"


def why_not() -> str:
    """A sentence if it can't be built here."""
    if not (Path(sysconfig.get_path("include")) / "Python.h").exists():
        return "The compiled kernel is left out: Python's headers are not installed (python3-dev)."
    if which("cc") is None and which("gcc") is None:
        return "The compiled kernel is left out: there is no C compiler."
    return ""


def is_fresh() -> bool:
    """Whether what is built is not older than any of its sources."""
    built = [path.stat().st_mtime for path in TARGET.rglob("*.so")]
    sources = [path.stat().st_mtime for path in (ROOT / "src" / "weft").rglob("*.py")]
    return bool(built) and min(built) >= max(sources)


def build() -> str:
    """Builds it unless it is fresh. A sentence if that failed."""
    reason = why_not()
    if reason or is_fresh():
        return reason
    print("Compiling the kernel with mypyc …", flush=True)
    code = subprocess.run([sys.executable, str(ROOT / "tools" / "compiled.py")], stdout=subprocess.DEVNULL).returncode
    return "The compiled kernel is left out: it could not be built, see above." if code else ""


def figures() -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "results.json"
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(TARGET), str(ROOT)))}
        command = [sys.executable, "-m", "bench", "--kernel-only", str(target)]
        subprocess.run(command, cwd=ROOT, env=environment, check=True)
        yield from msgspec.convert(json.loads(target.read_text("utf-8")), list[Figure])
