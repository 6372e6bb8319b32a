"""`weft node` and `weft serve --processes`: real engines on one PostgreSQL."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from click.testing import CliRunner

from weft.cli.main import main
from weft.store.rows import SLOTS


def weft(*words: str, code: int = 0) -> str:
    done = CliRunner().invoke(main, list(words), catch_exceptions=False)
    assert done.exit_code == code, done.output
    return done.output


def nodes() -> dict[str, dict[str, Any]]:
    return {one["name"]: one for one in json.loads(weft("node", "list", "--json"))}


def until(said: Callable[[], bool]) -> None:
    end = time.monotonic() + 20
    while not said():
        assert time.monotonic() < end, nodes()
        Event().wait(0.05)


@pytest.fixture
def serving(postgres_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> "Iterator[subprocess.Popen[bytes]]":
    """Two engines, as one command starts them."""
    (tmp_path / "weft.toml").write_text("[engine]\nlease_seconds = 1.0\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WEFT_STORE", postgres_url)
    command = [sys.executable, "-m", "weft", "serve", "--processes", "2", "--node", "left", "--threads", "2"]
    program = subprocess.Popen(command, env={**os.environ})
    until(lambda: CliRunner().invoke(main, ["node", "list"]).exit_code == 0)
    until(lambda: [one["slots"] for one in nodes().values()] == [SLOTS // 2] * 2)
    yield program
    program.terminate()
    program.wait(20)


def test_two_engines_share_the_slots_until_one_is_drained(serving: "subprocess.Popen[bytes]") -> None:
    assert {name: one["state"] for name, one in nodes().items()} == {"left-1": "serves", "left-2": "serves"}
    assert "left-1" in weft("node", "list")
    assert weft("node", "drain", "left-2") == "left-2 has left\n"
    assert {name: (one["state"], one["slots"]) for name, one in nodes().items()} == {
        "left-1": ("serves", SLOTS),
        "left-2": ("gone", 0),
    }
    assert "left-2 is gone already" in weft("node", "drain", "left-2", code=2)
    assert "there is no node 'right'; there are left-1, left-2" in weft("node", "drain", "right", code=2)
    serving.send_signal(signal.SIGTERM)
    assert serving.wait(20) == 0
    assert nodes()["left-1"]["state"] == "gone"


def test_who_is_taken_over_stops_and_all_end(serving: "subprocess.Popen[bytes]") -> None:
    assert json.loads(weft("node", "take-over", "left-1", "--json")) == {"given": {"left-2": SLOTS // 2}}
    assert nodes()["left-2"]["slots"] == SLOTS
    assert serving.wait(20) == 4


def test_a_file_has_one_node(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/weft.db"
    assert "has one node at most" in weft("node", "list", "--store", url, code=2)
    assert "needs a store in PostgreSQL" in weft("serve", "--processes", "2", "--store", url, code=2)
