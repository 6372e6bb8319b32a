"""What is set for a node: by `weft.toml`, by the environment, by options; and for each value where it came from."""

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import Struct

from weft.engine.problems import Problem
from weft.engine.settings import Settings
from weft.handlers.settings import Allowed
from weft.model.types import near
from weft.store.codec import Codec, keys_from

FILE: Final = "weft.toml"
PREFIX: Final = "WEFT_"
FILE_NAMED_BY: Final = "WEFT_CONFIG"
SHORT: Final = {"WEFT_STORE": "store.url", "WEFT_PAYLOAD_KEYS": "store.payload_keys"}


class StoreSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """`[store]`: where instances are kept."""

    url: str = "sqlite:///weft.db"
    """`sqlite:///PATH`, or `postgresql://USER@HOST/DATABASE`."""
    payload_keys: str = ""
    """Where the keys are that encrypt what is kept: `env:NAME` or `file:PATH`; the first encrypts, all decrypt."""


class TaskSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """`[tasks]`: which code this node has."""

    modules: tuple[str, ...] = ()


class NodeSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """`[node]`: who this node is."""

    name: str = "main"
    threads: int = 32
    """How many functions an engine inside a program runs side by side."""
    close_seconds: float = 10.0
    """How long running work may take to end when the node is closed."""


class Configuration(Allowed, frozen=True, forbid_unknown_fields=True):
    """All sections; those of `Allowed` say what tasks may reach."""

    store: StoreSettings = StoreSettings()
    node: NodeSettings = NodeSettings()
    tasks: TaskSettings = TaskSettings()
    engine: Settings = Settings()


class Configured(Struct, frozen=True):
    """A configuration, and where each value that is not a default came from."""

    configuration: Configuration
    sources: dict[str, str]

    def codec(self) -> Codec:
        """What writes and reads payloads."""
        keys = self.configuration.store.payload_keys
        return Codec(keys_from(keys) if keys else ())


def configured(options: Mapping[str, object] | None = None, environment: Mapping[str, str] | None = None) -> Configured:
    """Reads `weft.toml` here, or the file that WEFT_CONFIG names; then WEFT_SECTION__NAME; then the options given.

    >>> configured({"store.url": "memory:"}, {}).configuration.store.url
    'memory:'
    """
    environment = os.environ if environment is None else environment
    values: dict[str, Any] = {}
    sources: dict[str, str] = {}
    path = Path(environment.get(FILE_NAMED_BY, FILE))
    if path.is_file() or FILE_NAMED_BY in environment:
        values = _read(path)
        sources.update(dict.fromkeys(_leaves(values), str(path)))
    for name, text in environment.items():
        dotted = _named_by(name)
        if dotted:
            _put(values, dotted, _value(text))
            sources[dotted] = name
    for dotted, given in (options or {}).items():
        _put(values, dotted, given)
        sources[dotted] = "the command line"
    return Configured(_converted(values, path), sources)


def _named_by(name: str) -> str:
    """`WEFT_STORE__URL` is store.url; what most set has a short name too."""
    if name in SHORT:
        return SHORT[name]
    section, sign, rest = name.removeprefix(PREFIX).partition("__")
    return f"{section}.{rest}".lower() if name.startswith(PREFIX) and sign else ""


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise Problem(f"{path} can't be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise Problem(f"{path} is no TOML: {error}") from None


def _value(text: str) -> object:
    """A value of the environment: as TOML has it where that can be read, else a text."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


def _put(values: dict[str, Any], dotted: str, value: object) -> None:
    *sections, last = dotted.split(".")
    for section in sections:
        values = values.setdefault(section, {})
    values[last] = value


def _leaves(values: Mapping[str, Any], above: str = "") -> dict[str, object]:
    found: dict[str, object] = {}
    for name, value in values.items():
        if isinstance(value, dict):
            found.update(_leaves(value, f"{above}{name}."))
        else:
            found[above + name] = value
    return found


def _converted(values: dict[str, Any], path: Path) -> Configuration:
    try:
        return msgspec.convert(values, Configuration)
    except msgspec.ValidationError as fault:
        message = str(fault)
        unknown = message.partition("unknown field `")[2].partition("`")[0]
        meant = near(unknown, _names(Configuration)) if unknown else ""
        hint = f"; did you mean {meant!r}?" if meant else ""
        raise Problem(f"{path} and the environment: {message}{hint}") from None


def _names(kind: type[Struct]) -> list[str]:
    """Every name that may stand in a configuration."""
    found: list[str] = []
    for field in msgspec.structs.fields(kind):
        found.append(field.encode_name)
        if isinstance(field.type, type) and issubclass(field.type, Struct):
            found += _names(field.type)
    return found


def shown(found: Configured) -> list[tuple[str, object, str]]:
    """Every value by its dotted name, and where it came from; those that are nobody's are defaults."""
    leaves = _leaves(msgspec.to_builtins(found.configuration))
    return [(name, value, found.sources.get(name, "default")) for name, value in sorted(leaves.items())]
