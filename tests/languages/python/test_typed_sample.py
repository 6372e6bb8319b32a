"""Type checkers accept what users naturally write, and see what is wrong in it."""

import subprocess
import sys
from pathlib import Path

import pytest

SAMPLE = Path(__file__).with_name("typed_sample.py")
ROOT = SAMPLE.parents[3]


def run(*command: str) -> str:
    done = subprocess.run([sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


@pytest.mark.slow
def test_mypy_strict_accepts_the_sample() -> None:
    assert "Success: no issues found" in run("mypy", "--strict", str(SAMPLE))


@pytest.mark.slow
def test_pyright_strict_accepts_the_sample() -> None:
    assert "0 errors, 0 warnings" in run("pyright", str(SAMPLE))


@pytest.mark.slow
def test_a_wrong_argument_of_a_task_is_seen(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.py"
    wrong.write_text("from weft import task\n\n@task\ndef f(x: int) -> int:\n    return x\n\nf('a')\n")
    assert 'incompatible type "str"; expected "int"' in run("mypy", "--strict", str(wrong))
