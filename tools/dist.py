"""Builds wheel and sdist into `dist`, installs the wheel in an empty environment, and runs the demo from elsewhere."""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from bootstrap import ROOT, make_environment, python_of

DIST = ROOT / "dist"
DEMO = ROOT / "examples" / "demo.py"


def run(*command: str | Path, cwd: Path = ROOT) -> None:
    subprocess.run(command, cwd=cwd, check=True)


def built() -> Path:
    """The wheel, built from the sdist, so that the sdist is complete."""
    shutil.rmtree(DIST, ignore_errors=True)
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", DIST, ROOT)
    (wheel,) = DIST.glob("*.whl")
    return wheel


def main() -> int:
    wheel = built()
    with tempfile.TemporaryDirectory() as folder:
        environment = Path(folder) / "environment"
        elsewhere = Path(folder) / "elsewhere"
        elsewhere.mkdir()
        make_environment(environment)
        pinned = ["--only-binary", ":all:", "--constraint", str(ROOT / "constraints.txt")]
        run(python_of(environment), "-m", "pip", "install", "-qq", *pinned, wheel)
        shutil.copy(DEMO, elsewhere)
        run(python_of(environment), "-I", "demo.py", cwd=elsewhere)
        run(environment / "bin" / "weft", "--help", cwd=elsewhere)
    print("\nIn dist:", ", ".join(sorted(path.name for path in DIST.iterdir())))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except subprocess.CalledProcessError as failed:
        sys.exit(f"dist: this command failed, and its reason is above: {' '.join(map(str, failed.cmd))}")
