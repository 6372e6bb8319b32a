"""Builds Weft with its kernel compiled by mypyc into `build/compiled`, to be put on PYTHONPATH and measured."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "build" / "compiled"


def main() -> int:
    shutil.rmtree(TARGET, ignore_errors=True)
    pip = [sys.executable, "-m", "pip", "install", "-qq", "--disable-pip-version-check", "--only-binary", ":all:"]
    command = [*pip, "--no-deps", "--target", str(TARGET), str(ROOT)]
    code = subprocess.run(command, env={**os.environ, "WEFT_COMPILE": "1"}).returncode
    if code == 0:
        print(f"{len(list(TARGET.rglob('*.so')))} compiled modules in {TARGET}")
    return code


if __name__ == "__main__":
    sys.exit(main())
