"""`weft store`: what is done to a store as a whole."""

import json
import sqlite3
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.store.samples import instance, started
from weft import Engine, process, task
from weft.cli.main import main
from weft.store.codec import Codec
from weft.store.opening import open_store


@task
def double(number: int) -> int:
    return 2 * number


twice = process("twice", number=int)(double.into("number"))


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store with three instances that have ended; `weft.toml` beside it names it."""
    monkeypatch.chdir(tmp_path)
    Path("weft.toml").write_text('[store]\nurl = "sqlite:///weft.db"\n')
    with Engine("sqlite:///weft.db") as engine:
        for number in range(3):
            engine.run(twice, number=number)
    return tmp_path / "weft.db"


def weft(*words: object, **environment: str) -> Result:
    return CliRunner().invoke(main, ["store", *map(str, words)], env=environment)


def test_a_sound_store_is_well(path: Path) -> None:
    done = weft("check")
    assert (done.exit_code, done.stdout) == (0, "3 instances: all is well\n")
    assert json.loads(weft("check", "--json").stdout) == {"instances": 3, "findings": []}


def test_what_is_wrong_is_told_and_ends_with_2(path: Path) -> None:
    connection = sqlite3.connect(path)
    last, first = connection.execute("select max(instance), min(instance) from fact").fetchone()
    connection.execute("delete from fact where sequence > 1 and instance = ?", (last,))
    connection.execute("delete from fact where sequence = 1 and instance = ?", (first,))
    connection.commit()
    done = weft("check")
    assert done.exit_code == 2
    assert f"instance {last}: it is listed as committed, and its facts don't tell so" in done.stdout
    assert f"instance {first} has no fact 1" in done.stdout
    assert "finding" in done.stdout.splitlines()[-1]
    assert json.loads(weft("check", "--json").stdout)["findings"][0]["instance"] > 0


def test_a_copy_can_be_served(path: Path) -> None:
    told = json.loads(weft("backup", "copy.db", "--json").stdout)
    assert told == {"file": "copy.db", "bytes": Path("copy.db").stat().st_size}
    with Engine("sqlite:///copy.db") as engine:
        assert len(engine.instances()) == 3
    again = weft("backup", "copy.db")
    assert again.exit_code == 4
    assert "is there already; give the copy another name" in again.stderr


def test_ended_instances_are_pruned(path: Path) -> None:
    assert weft("prune", "--days", 1).stdout == "0 instances removed\n"
    assert weft("prune", "--days", 0, "--state", "aborted").stdout == "0 instances removed\n"
    assert weft("prune", "--days", 0, "--dry-run").stdout == "3 instances would go\n"
    assert json.loads(weft("prune", "--days", 0, "--json").stdout) == {"removed": 3}
    assert json.loads(weft("check", "--json").stdout) == {"instances": 0, "findings": []}


def test_a_store_of_this_version_needs_no_upgrade(path: Path) -> None:
    assert weft("upgrade").stdout == "it is of this version already\n"
    assert json.loads(weft("upgrade", "--json").stdout) == {"steps": []}


def test_an_older_store_is_upgraded(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("update migration set number = 0")
    connection.commit()
    refused = weft("upgrade")
    assert refused.exit_code == 4
    assert "newer Weft" in refused.stderr


def test_the_store_is_named_by_option_environment_or_file(path: Path, tmp_path: Path) -> None:
    other = f"sqlite:///{tmp_path}/other.db"
    store = open_store(other)
    store.commit(started(instance(7)))
    store.close()
    assert json.loads(weft("check", "--json", "--store", other).stdout)["instances"] == 1
    assert json.loads(weft("check", "--json", WEFT_STORE=other).stdout)["instances"] == 1
    Path("weft.toml").write_text("[store]\nurl = 7\n")
    assert "Expected `str`, got `int` - at `$.store.url`" in weft("check").stderr
    Path("weft.toml").unlink()
    path.unlink()
    assert "there is no store weft.db" in weft("check").stderr


def test_a_store_that_is_not_there_is_not_made(path: Path) -> None:
    for words in (["check"], ["prune", "--days", "1"], ["upgrade"], ["backup", "copy.db"]):
        refused = weft(*words, "--store", "sqlite:///none.db")
        assert refused.exit_code == 4
        assert "there is no store none.db" in refused.stderr
    assert not Path("none.db").exists()


def test_encrypted_payloads_are_checked_with_their_keys(path: Path) -> None:
    store, keys = "sqlite:///secret.db", {"WEFT_PAYLOAD_KEYS": "env:SECRET", "SECRET": "A" * 43 + "="}
    with Engine(store, codec=Codec([bytes(32)])) as engine:
        engine.run(twice, number=1)
    assert weft("check", "--store", store, **keys).exit_code == 0
    assert "is encrypted with key" in weft("check", "--store", store).stderr
    assert weft("check", "--store", store, WEFT_PAYLOAD_KEYS="env:NONE").exit_code == 4
