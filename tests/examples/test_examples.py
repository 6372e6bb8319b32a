"""Every example runs from its own file, as a reader would start it, and asserts its own outcome."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
WANTED = {"saga", "approval", "map_files", "payments_race", "travel", "net_pipeline", "trial_test", "check_up", "demo"}


def test_every_example_that_was_promised_is_there() -> None:
    assert {path.stem for path in EXAMPLES} >= WANTED


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs_and_its_assertions_hold(path: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-W", "error", str(path)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, encoding="utf-8", timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()
    assert not done.stderr


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_has_a_main_that_others_can_call(path: Path) -> None:
    text = path.read_text("utf-8")
    assert 'if __name__ == "__main__":' in text
    assert "def main() -> None:" in text


def test_the_demo_shows_a_race_a_loop_an_abort_and_a_compensation() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples" / "demo.py")],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
    )
    for shown in ("a race", "another round", "aborted with task.mixed_up", "compensated", "What you saw"):
        assert shown in done.stdout
