"""A real engine is killed again and again, on both kinds of disk; a ledger that its tasks write tells what was done."""

import os
import random
import subprocess
import sys
from collections import Counter
from pathlib import Path
from threading import Event

import pytest

from tests.tidy.tree import ROOT

INSTANCES = 400
CRASHES = 5
STEPS = ("first", "second", "third", "fourth")
IDEMPOTENT = ("first", "third")


def program(call: str, url: str, ledger: Path) -> "subprocess.Popen[str]":
    code = f"from tests.engine import crashing; crashing.{call}({url!r}, {INSTANCES})"
    environment = {**os.environ, "WEFT_LEDGER": str(ledger)}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    return subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, env=environment, text=True, **pipes)  # type: ignore[call-overload,no-any-return]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_every_instance_ends_and_no_completed_step_runs_again(
    kind: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    url = f"sqlite:///{tmp_path}/weft.db" if kind == "sqlite" else request.getfixturevalue("postgres_url")
    chance, ledger = random.Random(11), tmp_path / "ledger"
    for crash in range(CRASHES):
        with program("work", url, ledger) as engine:
            assert engine.stdout is not None
            assert engine.stdout.readline() == "serves\n"
            wait_for(ledger, (crash + chance.random()) / (CRASHES + 1))
            engine.kill()
    with program("finish", url, ledger) as engine:
        told = [line.split() for line in engine.communicate(timeout=60)[0].splitlines()]
    assert engine.returncode == 0
    ended = {words[1]: words[2:] for words in told if words[0] == "ended"}
    assert ended == {f"number-{number}": ["done", "5"] for number in range(INSTANCES)}
    asked = Counter((words[1], int(words[2].removeprefix("number-"))) for words in told if words[0] == "again")
    assert asked, "no crash met a step that may not be repeated"
    judge([line.split() for line in ledger.read_text().splitlines()], asked)


def wait_for(ledger: Path, share: float) -> None:
    """Until so much of all the work was begun."""
    lines = share * INSTANCES * len(STEPS)
    while not ledger.exists() or ledger.read_text().count("\n") < lines:
        Event().wait(0.005)


def judge(lines: list[list[str]], asked: Counter[tuple[str, int]]) -> None:
    begun = Counter[tuple[str, int]]()
    furthest = dict.fromkeys(range(INSTANCES), 0)
    for step, word in lines:
        number, place = int(word), STEPS.index(step)
        assert place >= furthest[number], f"{step} of {number} ran again after {STEPS[furthest[number]]} had begun"
        furthest[number] = place
        begun[step, number] += 1
    for step in STEPS:
        for number in range(INSTANCES):
            times = begun[step, number]
            if step in IDEMPOTENT:
                assert 1 <= times <= 1 + CRASHES
            else:
                # It may have been killed before the ledger was written, and then a person was asked as well.
                assert 1 <= times <= 1 + asked[step, number]
