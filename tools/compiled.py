"""Builds Weft with its kernel compiled by mypyc into `build/compiled`, and tries it: `python tools/compiled.py`.

The tests of the kernel run against what was built. Put `build/compiled` on PYTHONPATH to use or to measure it.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "build" / "compiled"
TESTS = ["tests/patterns", "tests/kernel"]


def build() -> int:
    shutil.rmtree(TARGET, ignore_errors=True)
    pip = [sys.executable, "-m", "pip", "install", "-qq", "--disable-pip-version-check", "--only-binary", ":all:"]
    command = [*pip, "--no-deps", "--target", str(TARGET), str(ROOT)]
    code = subprocess.run(command, env={**os.environ, "WEFT_COMPILE": "1"}).returncode
    if code == 0:
        print(f"{len(list(TARGET.rglob('*.so')))} compiled modules in {TARGET}", flush=True)
    return code


def tried() -> int:
    """The kernel's tests, on the compiled kernel."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(TARGET), str(ROOT)))}
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *TESTS]
    return subprocess.run(command, cwd=ROOT, env=environment).returncode


def main() -> int:
    return build() or tried()


if __name__ == "__main__":
    sys.exit(main())
