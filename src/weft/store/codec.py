"""How payloads lie on the disk: as they are, compressed where that pays, encrypted where a key is given.

A number beside each payload says how it was written, so settings may change while a store is in use. Encryption needs
the extra `crypto`. The first key encrypts, all of them decrypt: to change keys, put a new one in front.
"""

import binascii
import os
import zlib
from base64 import b64decode
from collections.abc import Sequence
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Final, Protocol, cast

from weft.store.problems import CannotOpen, Damaged

PLAIN: Final = 0
COMPRESSED: Final = 1
ENCRYPTED: Final = 2
"""`COMPRESSED | ENCRYPTED` is compressed first."""

COMPRESS_ABOVE_BYTES: Final = 4096
NAME_BYTES: Final = 4
NONCE_BYTES: Final = 12


class Cipher(Protocol):
    """Authenticated encryption, as `cryptography` has it."""

    def encrypt(self, nonce: bytes, data: bytes, associated_data: bytes | None) -> bytes: ...

    def decrypt(self, nonce: bytes, data: bytes, associated_data: bytes | None) -> bytes: ...


class Codec:
    """Writes and reads payloads.

    >>> codec = Codec()
    >>> codec.encode(b"small")
    (b'small', 0)
    >>> payload, how = codec.encode(b"again and " * 1000)
    >>> how, len(payload) < 200, codec.decode(payload, how) == b"again and " * 1000
    (1, True, True)
    """

    def __init__(self, keys: Sequence[bytes] = (), compress_above_bytes: int = COMPRESS_ABOVE_BYTES) -> None:
        self._above = compress_above_bytes
        self._ciphers = {name_of(key): cipher_of(key) for key in keys}
        self._first = name_of(keys[0]) if keys else b""

    def is_plain(self, payloads: Sequence[bytes]) -> bool:
        """Whether all of these would be written as they are."""
        return not self._first and len(max(payloads, key=len, default=b"")) <= self._above

    def encode(self, payload: bytes) -> tuple[bytes, int]:
        how = PLAIN
        if len(payload) > self._above:
            smaller = zlib.compress(payload, 1)
            if len(smaller) < 0.9 * len(payload):
                payload, how = smaller, COMPRESSED
        if self._first:
            nonce = os.urandom(NONCE_BYTES)
            payload = self._first + nonce + self._ciphers[self._first].encrypt(nonce, payload, self._first)
            how |= ENCRYPTED
        return payload, how

    def decode(self, payload: bytes, how: int) -> bytes:
        if how == PLAIN:
            return payload
        if how & ENCRYPTED:
            payload = self._decrypted(payload)
        return _inflated(payload) if how & COMPRESSED else payload

    def _decrypted(self, payload: bytes) -> bytes:
        name, nonce, secret = (
            payload[:NAME_BYTES],
            payload[NAME_BYTES:][:NONCE_BYTES],
            payload[NAME_BYTES + NONCE_BYTES :],
        )
        if name not in self._ciphers:
            raise Damaged(f"a payload is encrypted with key {name.hex()}, which was not given; add it to the keys")
        try:
            return self._ciphers[name].decrypt(nonce, secret, name)
        except Exception as error:
            raise Damaged(
                f"a payload encrypted with key {name.hex()} was changed; restore the store from a backup"
            ) from error


def _inflated(payload: bytes) -> bytes:
    try:
        return zlib.decompress(payload)
    except zlib.error as error:
        raise Damaged(f"a compressed payload can't be read ({error}); restore the store from a backup") from error


def name_of(key: bytes) -> bytes:
    """What stands before a payload so that its key is found; it tells nothing of the key."""
    return sha256(b"weft key" + key).digest()[:NAME_BYTES]


def cipher_of(key: bytes) -> Cipher:
    if len(key) != 32:
        raise CannotOpen(f"a payload key has 32 bytes, this one has {len(key)}; `openssl rand -base64 32` makes one")
    try:
        ciphers = import_module("cryptography.hazmat.primitives.ciphers.aead")
    except ImportError as error:
        raise CannotOpen("encrypted payloads need the extra crypto; pip install 'weftwork[crypto]'") from error
    return cast("Cipher", ciphers.AESGCM(key))


def keys_from(source: str) -> list[bytes]:
    """The keys that `env:NAME` or `file:PATH` holds: base64, one a line (or separated by spaces), the newest first.

    >>> os.environ["EXAMPLE_KEY"] = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
    >>> [len(key) for key in keys_from("env:EXAMPLE_KEY")]
    [32]
    """
    kind, _, name = source.partition(":")
    if kind == "env" and name:
        text = os.environ.get(name, "")
    elif kind == "file" and name:
        try:
            text = Path(name).read_text("ascii")
        except (OSError, UnicodeDecodeError) as error:
            raise CannotOpen(f"the payload keys can't be read from {name}: {error}") from error
    else:
        raise CannotOpen(f"{source!r} says not where the payload keys are; write env:NAME or file:PATH")
    try:
        keys = [b64decode(word, validate=True) for word in text.split()]
    except binascii.Error as error:
        raise CannotOpen(f"a payload key in {source} is not base64 ({error})") from error
    if not keys:
        raise CannotOpen(f"{source} holds no payload key; `openssl rand -base64 32` makes one")
    return keys
