"""What commands on a store share: the option `--store`, the name of an instance, and who answers."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TypeVar

import click

from weft.cli.exits import Wrong

if TYPE_CHECKING:
    from weft.assembly.configuration import Configured
    from weft.assembly.connecting import Client
    from weft.assembly.operations import Ask
    from weft.store.codec import Codec
    from weft.store.interface import Reads
    from weft.store.rows import InstanceRow

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])

STORE = click.option(
    "--store", "store", metavar="URL", default="", help="sqlite:///PATH or postgresql://…; else what weft.toml says."
)
JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON and nothing else.")
ACTOR = click.option("--as", "actor", metavar="NAME", default="", help="Who says this, as the log keeps it.")
WAIT = click.option("--wait", "seconds", type=float, default=30.0, show_default=True, help="Seconds to wait.")
INSTANCE = click.argument("instance", metavar="INSTANCE")


def set_by(store: str) -> "Configured":
    """The configuration, with the store that was given."""
    from weft.assembly.configuration import configured

    return configured({"store.url": store} if store else {})


def url_of(store: str) -> str:
    """The URL of the store that was given, or of the one that is set."""
    return set_by(store).configuration.store.url


def codec() -> "Codec":
    """How payloads are written and read."""
    return set_by("").codec()


def client_of(store: str, makes: bool = False) -> "Client":
    """Who answers. A store that is not there is made only for those who put something into it."""
    from weft.assembly.connecting import connect

    if not makes:
        reads_of(store).close()
    return connect(set_by(store))


def reads_of(store: str) -> "Reads":
    from weft.assembly.connecting import reading

    return reading(set_by(store))


def whom(text: str) -> int | tuple[str, str]:
    """An instance by its number, or as PROCESS/KEY."""
    process, sign, key = text.partition("/")
    if sign and process and key:
        return process, key
    if text.isdigit():
        return int(text)
    raise Wrong(f"{text!r} names no instance: give its number, or PROCESS/KEY, for example buy/order-17")


def id_of(reads: "Reads", text: str) -> int:
    """The number of an instance. Raises `NotFound`."""
    from weft.kernel.refusals import NotFound

    named = whom(text)
    if isinstance(named, int):
        if not reads.load([named]):
            raise NotFound(f"there is no instance {named}; weft list shows those that there are")
        return named
    row = reads.keys([named]).get(named)
    if row is None or not row.instance:
        raise NotFound(f"no instance of {named[0]} has the key {named[1]!r}; weft list --key {named[1]} looks for it")
    return row.instance


def asked(store: str, ask: "Ask[T]", seconds: float | None, makes: bool = False) -> T:
    """The answer of who serves the store, or of an engine made for this one question."""
    with client_of(store, makes) as client:
        return client.ask(ask, seconds)


def clock(seconds: float | None) -> str:
    """A time as people read it, in UTC."""
    return "" if seconds is None else datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S")


def plain(row: "InstanceRow") -> dict[str, object]:
    """An instance as JSON has it. Its number is a text: it is larger than what JavaScript counts exactly."""
    import msgspec

    return {**msgspec.to_builtins(row), "id": str(row.id)}
