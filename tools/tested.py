"""Runs all tests on both cores and measures what they cover; model and kernel must be covered by 95 percent.

Arguments are pytest's: with some given, only what they choose is run and nothing is asked of the coverage.
"""

import json
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "build" / "coverage"
COVERED_PERCENT = 95.0
COVERED_PACKAGES = ["weft.model", "weft.kernel"]


def coverage(*arguments: str) -> int:
    return subprocess.run([sys.executable, "-m", "coverage", *arguments], cwd=ROOT).returncode


def shares(report: dict[str, dict[str, dict[str, dict[str, int]]]], package: str) -> dict[str, float]:
    """How many percent of the lines and of the branches of a package were run."""
    folder = f"src/{package.replace('.', '/')}/"
    sums = [file["summary"] for name, file in report["files"].items() if folder in name]

    def share(covered: str, all_of_them: str) -> float:
        total = sum(one[all_of_them] for one in sums)
        return 100 * sum(one[covered] for one in sums) / total if total else 100.0

    return {"lines": share("covered_lines", "num_statements"), "branches": share("covered_branches", "num_branches")}


def judge() -> bool:
    coverage("combine", "--quiet")
    coverage("json", "--quiet", "-o", str(DATA / "report.json"))
    report = json.loads((DATA / "report.json").read_text("utf-8"))
    good = True
    for package in COVERED_PACKAGES:
        for kind, percent in shares(report, package).items():
            good = good and percent >= COVERED_PERCENT
            print(f"{package}: {percent:.1f} % of the {kind} (at least {COVERED_PERCENT:.0f})")
    if not good:
        folders = ",".join(f"src/{package.replace('.', '/')}/*" for package in COVERED_PACKAGES)
        coverage("report", f"--include={folders}")
    return good


def main(arguments: list[str]) -> int:
    shutil.rmtree(DATA, ignore_errors=True)
    DATA.mkdir(parents=True)
    tests = coverage("run", "-m", "pytest", "-n", "2", *arguments)
    if tests != 0 or arguments:
        return tests
    return 0 if judge() else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
