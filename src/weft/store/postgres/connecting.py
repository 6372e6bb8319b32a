"""Connections to PostgreSQL: what a store's URL says, and the settings on which every statement relies."""

import re
from hashlib import sha256
from typing import Any, Final, TypeAlias
from urllib.parse import parse_qsl, urlencode, urlsplit

import psycopg
from msgspec import Struct
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from weft.store.postgres.faults import words_of
from weft.store.problems import CannotOpen, Unavailable

Connection: TypeAlias = psycopg.Connection[tuple[Any, ...]]

DEFAULT_SCHEMA: Final = "weft"
SCHEMA_NAME: Final = re.compile(r"[a-z_][a-z0-9_]{0,39}")
OLDEST: Final = 14
NAME_BYTES: Final = 63
"""PostgreSQL cuts longer names."""

DEFAULTS: Final = {
    "connect_timeout": "10",
    "keepalives_idle": "10",
    "keepalives_interval": "5",
    "keepalives_count": "3",
    "tcp_user_timeout": "25000",
    "target_session_attrs": "read-write",
}
"""What libpq is told unless the URL says otherwise: a server that is gone is noticed within half a minute."""

SETTINGS: Final = """
select set_config('search_path', %s, false),
       set_config('default_transaction_isolation', 'read committed', false),
       set_config('jit', 'off', false),
       set_config('idle_in_transaction_session_timeout', '60s', false),
       set_config('synchronous_commit', coalesce(nullif(current_setting('synchronous_commit'), 'off'), 'on'), false)
"""


class Address(Struct, frozen=True):
    """Where a store is. `shown` may be told: it has no password."""

    conninfo: str
    schema: str
    shown: str

    def __str__(self) -> str:
        return self.shown

    @property
    def channel(self) -> str:
        """On which nodes are told of commands."""
        return f"weft {self.schema}"

    @property
    def visitor(self) -> str:
        """The name of the connections of those who serve no node."""
        return f"weft-visitor {self.schema}"

    def application(self, node: str) -> str:
        """The name of a node's connections, by which they are found and ended."""
        name = f"weft {self.schema} {node}"
        if len(name.encode()) <= NAME_BYTES and name.isascii():
            return name
        return f"weft {sha256(name.encode()).hexdigest()[:40]}"


def address_of(url: str) -> Address:
    """Reads `postgresql://USER@HOST/DATABASE?schema=NAME`; all that libpq knows may stand there too."""
    parts = urlsplit(url)
    options = parse_qsl(parts.query, keep_blank_values=True)
    schema = dict(options).get("schema", DEFAULT_SCHEMA)
    if not SCHEMA_NAME.fullmatch(schema):
        raise CannotOpen(f"schema={schema!r} is no name for a schema: use up to 40 of a-z, 0-9 and _")
    rest = urlencode([(name, value) for name, value in options if name != "schema"])
    try:
        given = conninfo_to_dict(parts._replace(query=rest).geturl())
    except psycopg.ProgrammingError as error:
        raise CannotOpen(f"this is no URL of a PostgreSQL database: {error}") from error
    place = f"{given.get('host', '')}:{given['port']}" if given.get("port") else str(given.get("host", ""))
    shown = f"postgresql://{place}/{given.get('dbname', '')}?schema={schema}"
    return Address(make_conninfo("", **{**DEFAULTS, **given}), schema, shown)


def connect(address: Address, application: str) -> Connection:
    try:
        connection = psycopg.connect(address.conninfo, autocommit=True, application_name=application)
    except psycopg.OperationalError as error:
        raise Unavailable(f"{address} can't be reached: {words_of(error)}") from error
    try:
        version = connection.info.server_version // 10000
        if version < OLDEST:
            raise CannotOpen(f"{address} is PostgreSQL {version}; Weft needs {OLDEST} or later")
        encoding = connection.info.parameter_status("server_encoding")
        if encoding != "UTF8":
            raise CannotOpen(f"{address} keeps text as {encoding}; create a database with the encoding UTF8")
        connection.execute(SETTINGS, (address.schema,))
    except psycopg.OperationalError as error:
        raise Unavailable(f"{address} can't be used: {words_of(error)}") from error
    except CannotOpen:
        connection.close()
        raise
    return connection
