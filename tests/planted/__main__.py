"""`python -m tests.planted [WORD]`: plants each fault in a copy of the kernel, and sees that the suite finds it.

Nothing is changed here: the copy comes first on the path. With a word, only faults whose names have it.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.planted.faults import FAULTS, Fault

ROOT = Path(__file__).resolve().parents[2]
SUITE = ["tests/kernel/test_random.py", "tests/patterns", "tests/kernel"]
SECONDS_MAX = 600


def planted(fault: Fault, folder: Path) -> Path:
    source = folder / "src"
    shutil.rmtree(source, ignore_errors=True)
    shutil.copytree(ROOT / "src", source, ignore=shutil.ignore_patterns("__pycache__", "*.so"))
    module = source / "weft" / "kernel" / f"{fault.module}.py"
    text = module.read_text("utf-8")
    assert text.count(fault.old) == 1, f"{fault.module} has {text.count(fault.old)} times: {fault.old}"
    module.write_text(text.replace(fault.old, fault.new), "utf-8")
    return source


def found_by(source: Path) -> str:
    """The test that fails; empty if all pass."""
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join((str(source), str(ROOT))),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *SUITE]
    try:
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=SECONDS_MAX)
    except subprocess.TimeoutExpired:
        return "the suite never ends"
    if done.returncode == 0:
        return ""
    failed = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    return failed[0].partition(" - ")[0].removeprefix("FAILED ") if failed else done.stdout[-200:]


def main() -> int:
    word = sys.argv[1] if len(sys.argv) > 1 else ""
    missed = 0
    with tempfile.TemporaryDirectory() as folder:
        for fault in FAULTS:
            if word not in fault.name:
                continue
            began = time.monotonic()
            test = found_by(planted(fault, Path(folder)))
            missed += not test
            print(
                f"{'found ' if test else 'MISSED'} {time.monotonic() - began:4.0f} s  {fault.name}: {test}", flush=True
            )
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
