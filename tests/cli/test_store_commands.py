"""Commands on a store: with an engine that serves it in another process, and with none."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from weft.cli import exits
from weft.cli.main import main

TASKS = """
from weft import *

@task
def charge(cents: int) -> str:
    if cents < 0:
        raise ValueError("nothing to pay")
    return f"R-{cents}"

@task
def ship(receipt: str) -> None: ...

buy = process("buy", cents=int, searchable=["cents"])(
    charge.into("receipt") >> signal("paid", gives=int).into("sum") >> ship
)
dearer = process("buy", cents=int)(
    charge.into("receipt") >> signal("paid", gives=int).into("sum") >> ship >> timer("wait")
)
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    name = f"till_{os.getpid()}_{abs(hash(tmp_path)) % 10**9}"
    (tmp_path / f"{name}.py").write_text(TASKS, "utf-8")
    (tmp_path / "weft.toml").write_text(f'[store]\nurl = "sqlite:///{tmp_path}/weft.db"\n', "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path / f"{name}.py"


def weft(*words: str, code: int = 0) -> str:
    done = CliRunner().invoke(main, list(words), catch_exceptions=False)
    assert done.exit_code == code, done.output
    return done.output


def told(*words: str, code: int = 0) -> Any:
    return json.loads(weft(*words, "--json", code=code))


@pytest.fixture
def served(place: Path) -> Iterator[Path]:
    """An engine in a process of its own serves the store."""
    command = [sys.executable, "-m", "weft", "serve", "--tasks", str(place), "--threads", "4"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as engine:
        assert engine.stderr is not None
        assert "serving" in engine.stderr.readline()
        yield place
        engine.send_signal(signal.SIGTERM)
        assert engine.wait(20) == 0


def test_what_one_starts_another_signals_and_sees(served: Path) -> None:
    assert told("deploy", f"{served}:buy")[0]["version"] == "1"
    begun = told("start", "buy", "--input", "cents=7", "--key", "k")
    assert begun["new"]
    assert not told("start", "buy", "--input", "cents=8", "--key", "k")["new"]
    told("signal", "buy/k", "paid", "7")
    assert told("result", "buy/k", "--wait", "20") == {
        "outcome": "done",
        "values": {"receipt": "R-7", "sum": 7},
        "status": "ended",
        "error": "",
    }
    lines = [json.loads(line) for line in weft("history", begun["instance"], "--json").splitlines()]
    assert [line["number"] for line in lines] == list(range(1, len(lines) + 1))
    assert len(weft("watch", "buy/k").splitlines()) == len(lines)
    assert [row["key"] for row in told("list", "--where", "cents=7")] == ["k"]
    assert told("store", "prune", "--days", "0") == {"removed": 1}
    assert told("list") == []


def test_a_definition_is_started_and_cancelled_by_visitors(served: Path) -> None:
    instance = told("start", f"{served}:buy", "--input", "cents=9")["instance"]
    told("cancel", instance)
    assert told("result", instance, "--wait", "20", code=exits.ABORTED)["error"] == "engine.cancelled"
    assert "has ended" in weft("signal", instance, "paid", "7", code=exits.REFUSED)


def test_without_an_engine_the_command_decides_itself_and_work_waits(place: Path) -> None:
    weft("deploy", f"{place}:buy")
    instance = told("start", "buy", "--input", "cents=7", "--key", "k")["instance"]
    shown = told("show", "buy/k", "--svg", "k.svg")
    assert "<title>charge: ready</title>" in Path("k.svg").read_text("utf-8")
    assert shown["waits"] == ["charge to begin"]
    assert {one["path"]: one["standing"] for one in shown["activities"]}["charge"] == "ready"
    assert "charge committed" in next(one["why"][0] for one in shown["activities"] if one["path"] == "paid")
    told("suspend", instance)
    assert told("list", "--state", "suspended")[0]["id"] == instance
    told("resume", instance)
    told("change", instance, f"{place}:dearer")
    assert told("list")[0]["version"] == "2"
    told("cancel", instance, "--drain")
    assert told("result", instance)["status"] == "ended"


def test_a_store_is_checked_copied_and_pruned(place: Path) -> None:
    weft("deploy", f"{place}:buy")
    for number in range(3):
        instance = told("start", "buy", "--input", f"cents={number}")["instance"]
        told("cancel", instance)
    assert told("store", "check") == {"instances": 3, "findings": []}
    told("store", "backup", "copy.db")
    assert told("store", "prune", "--days", "1") == {"removed": 0}
    assert told("store", "prune", "--days", "0", "--state", "aborted") == {"removed": 3}
    assert told("list") == []
    assert len(told("list", "--store", "sqlite:///copy.db")) == 3
    assert told("store", "upgrade") == {"steps": []}


def test_every_setting_tells_where_it_came_from(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEFT_ENGINE__INSTANCES_MAX", "7")
    found = told("config", "show", "--store", "sqlite:///other.db")
    assert found["store.url"] == {"value": "sqlite:///other.db", "from": "the command line"}
    assert found["engine.instances_max"] == {"value": 7, "from": "WEFT_ENGINE__INSTANCES_MAX"}
    assert found["node.name"]["from"] == "default"
    assert told("config", "show")["store.url"]["from"] == "weft.toml"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["show", "17"], "there is no instance 17"),
        (["show", "buy"], "give its number, or PROCESS/KEY"),
        (["start", "bug"], "did you mean 'buy'?"),
        (["start", "buy", "--input", "cents=many"], "input 'cents' is no int"),
        (["start", "buy"], "also asks for cents"),
        (["cancel", "buy/none"], "no instance of buy has the key 'none'"),
        (["list", "--store", "memory:"], "memory"),
        (["list", "--store", "mysql://x"], "names no store"),
        (["list", "--where", "cents"], "write NAME=VALUE"),
    ],
)
def test_every_wrong_use_is_answered_in_one_sentence(place: Path, words: list[str], message: str) -> None:
    weft("deploy", f"{place}:buy")
    done = CliRunner().invoke(main, words)
    assert done.exit_code in (exits.WRONG, exits.REFUSED)
    assert message in done.output
    assert "Traceback" not in done.output


def test_a_wrong_weft_toml_is_told_with_the_name_that_was_meant(place: Path) -> None:
    Path("weft.toml").write_text('[store]\nulr = "x"\n', "utf-8")
    assert "did you mean 'url'?" in weft("list", code=exits.WRONG)


def test_what_has_an_error_is_deployed_only_by_force(place: Path) -> None:
    Path("stuck.py").write_text(
        "from weft import *\n@task\ndef a() -> None: ...\nb = a.named('b')\n"
        "stuck = process('stuck')(flow(a, b.starts('start', a.on('aborted'))).outcome('done', b.on('committed')))\n",
        "utf-8",
    )
    done = CliRunner().invoke(main, ["deploy", "stuck.py"])
    assert done.exit_code == exits.WRONG
    assert "a committed" in done.output or "stuck" in done.output
    assert told("deploy", "stuck.py", "--force", "to show it")[0]["new"]
