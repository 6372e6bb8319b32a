"""How payloads lie on the disk."""

import os
import sqlite3
from base64 import b64encode
from pathlib import Path

import pytest

from tests.store.samples import batch, facts, instance
from weft.store.codec import Codec, keys_from
from weft.store.opening import open_store, open_visitor
from weft.store.problems import CannotOpen, Damaged
from weft.store.rows import CommandRow, FactRow

OLD, NEW = b"o" * 32, b"n" * 32
LARGE = b'{"word":"again"}' * 1000
RANDOM = os.urandom(9000)
CODECS = [Codec(), Codec([NEW, OLD]), Codec([OLD], compress_above_bytes=10)]


@pytest.mark.parametrize("payload", [b"", b"small", LARGE, RANDOM], ids=["empty", "small", "large", "random"])
@pytest.mark.parametrize("codec", CODECS, ids=["plain", "new", "old"])
def test_what_was_encoded_is_decoded(codec: Codec, payload: bytes) -> None:
    assert CODECS[1].decode(*codec.encode(payload)) == payload


def test_only_what_gets_smaller_is_compressed() -> None:
    assert Codec().encode(RANDOM) == (RANDOM, 0)
    assert Codec().encode(b"a" * 4096) == (b"a" * 4096, 0)
    payload, how = Codec().encode(LARGE)
    assert how == 1
    assert len(payload) < len(LARGE) / 10


def test_the_same_payload_is_encrypted_differently_each_time() -> None:
    codec = Codec([NEW])
    assert codec.encode(b"secret") != codec.encode(b"secret")


def test_a_payload_without_its_key_names_the_key() -> None:
    with pytest.raises(Damaged, match=r"encrypted with key [0-9a-f]{8}, which was not given"):
        Codec([NEW]).decode(*Codec([OLD]).encode(b"secret"))


def test_a_changed_payload_is_not_given_out() -> None:
    payload, how = Codec([NEW]).encode(b"secret")
    with pytest.raises(Damaged, match="was changed"):
        Codec([NEW]).decode(payload[:-1] + bytes([payload[-1] ^ 1]), how)
    payload, how = Codec().encode(LARGE)
    with pytest.raises(Damaged, match="can't be read"):
        Codec().decode(payload[:-9], how)


def test_keys_are_read_from_a_file_or_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = f"{b64encode(NEW).decode()}\n{b64encode(OLD).decode()}\n"
    file = tmp_path / "keys"
    file.write_text(text)
    monkeypatch.setenv("SHOP_KEYS", text)
    assert keys_from(f"file:{file}") == keys_from("env:SHOP_KEYS") == [NEW, OLD]


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("env:NOT_SET_AT_ALL", "holds no payload key"),
        ("file:/no/such/file", "can't be read from /no/such/file"),
        ("word", "write env:NAME or file:PATH"),
        ("file:", "write env:NAME or file:PATH"),
    ],
)
def test_a_source_without_keys_is_refused(source: str, told: str) -> None:
    with pytest.raises(CannotOpen, match=told):
        keys_from(source)


def test_a_key_that_is_no_key_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_KEYS", "no base64!")
    with pytest.raises(CannotOpen, match="not base64"):
        keys_from("env:SHOP_KEYS")
    with pytest.raises(CannotOpen, match="has 32 bytes, this one has 5"):
        Codec([b"short"])


def test_an_encrypted_store_shows_no_payload_and_can_change_its_key(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'weft.db'}"
    rows = [facts(1, 1, payload=b"my secret"), facts(1, 2, payload=LARGE)]
    store, visitor = open_store(url, codec=Codec([OLD])), open_visitor(url, codec=Codec([OLD]))
    store.commit(batch(instances={1: instance(1)}, facts=rows))
    visitor.send(CommandRow(0, 1, "Signal", 1.0, "ann", b"my secret"))
    assert [row.payload for row in store.commands()] == [b"my secret"]
    assert visitor.history(1) == rows
    store.close()
    visitor.close()
    assert b"my secret" not in (tmp_path / "weft.db").read_bytes()
    store = open_store(url, codec=Codec([NEW, OLD]))
    later: list[FactRow] = [facts(1, 3, payload=b"later")]
    store.commit(batch(facts=later))
    assert store.history(1) == rows + later
    store.close()
    codecs = sqlite3.connect(tmp_path / "weft.db").execute("select codec from fact order by id").fetchall()
    assert codecs == [(2,), (3,), (2,)]
