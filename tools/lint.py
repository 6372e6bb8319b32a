"""Runs every check that needs no running code: style, types, layers. Prints each that fails and goes on."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TYPED = ["src", "examples", "tools"]


def checks() -> dict[str, list[str]]:
    python = [sys.executable, "-m"]
    typed = [folder for folder in TYPED if any((ROOT / folder).rglob("*.py"))]
    found = {
        "ruff check": [*python, "ruff", "check", "--quiet", "."],
        "ruff format": [*python, "ruff", "format", "--quiet", "--check", "."],
        "mypy": [*python, "mypy", "--no-error-summary", *typed],
        "import-linter": [str(Path(sys.executable).with_name("lint-imports"))],
    }
    if "examples" in typed:
        found["pyright"] = [*python, "pyright", "--pythonpath", sys.executable, "examples"]
    return found


def main() -> int:
    failed = []
    for name, command in checks().items():
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8", errors="replace")
        print(f"{name}: {'ok' if done.returncode == 0 else 'failed'}", flush=True)
        if done.returncode != 0:
            failed.append(name)
            print(done.stdout + done.stderr, flush=True)
    if failed:
        print(f"These checks failed: {', '.join(failed)}.", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
