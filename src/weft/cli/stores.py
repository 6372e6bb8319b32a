"""Which store a command means: the option `--store`, the environment, `weft.toml`; and the keys of its payloads."""

import os
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from weft.cli.binding import SETTINGS
from weft.cli.exits import Wrong

if TYPE_CHECKING:
    from weft.store.codec import Codec

STORE: Final = click.option(
    "--store", "url", metavar="URL", default="", help="Which store; else WEFT_STORE, or [store] url in weft.toml."
)


def url_of(given: str) -> str:
    """The URL that was given, or the one that is set."""
    found = given or _setting("url", "WEFT_STORE")
    if not found:
        raise Wrong("no store is named: give --store sqlite:///weft.db, or set WEFT_STORE, or [store] url in weft.toml")
    return found


def codec() -> "Codec":
    """How payloads are written and read, by `WEFT_PAYLOAD_KEYS` or `[store] payload_keys`."""
    from weft.store.codec import Codec, keys_from

    source = _setting("payload_keys", "WEFT_PAYLOAD_KEYS")
    return Codec(keys_from(source) if source else ())


def _setting(name: str, variable: str) -> str:
    return os.environ.get(variable) or _configured(name)


def _configured(name: str) -> str:
    path = Path(SETTINGS)
    if not path.is_file():
        return ""
    try:
        found = tomllib.loads(path.read_text("utf-8")).get("store", {}).get(name, "")
        if not isinstance(found, str):
            raise TypeError(f"{name} is no text")
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise Wrong(f'{SETTINGS} can\'t be used: {error}; write [store] url = "sqlite:///weft.db"') from None
    return found
