"""The row that makes a transaction happen once: inserted first in it, so it is there exactly if that committed.

Its key is what is done, without the attempt: a second attempt finds the first one's result, or waits until it is known
that there is none. Who must know that nothing will ever commit under a key inserts it as void.
"""

from hashlib import sha256
from typing import Final

import msgspec
from msgspec import Struct

from weft.handlers.jobs import Job
from weft.handlers.sql.connection import CannotConnect, Connection
from weft.handlers.sql.resources import Resources
from weft.handlers.sql.statements import statement_of

ACTIVITY_MAX: Final = 400

TABLE: Final = statement_of("""create table if not exists weft_done (
    store varchar(64) not null, instance bigint not null, activity varchar(500) not null, round integer not null,
    state varchar(8) not null, outcome varchar(500) not null, result text not null,
    primary key (store, instance, activity, round))""")
_LOOK: Final = statement_of("select 1 from weft_done where 1 = 0")
_INSERT: Final = statement_of("insert into weft_done values (:store, :instance, :activity, :round, :state, '', 'null')")
_FINISH: Final = statement_of(
    "update weft_done set outcome = :outcome, result = :result "
    "where store = :store and instance = :instance and activity = :activity and round = :round"
)
_FIND: Final = statement_of(
    "select state, outcome, result from weft_done "
    "where store = :store and instance = :instance and activity = :activity and round = :round"
)


class Key(Struct, frozen=True):
    """What is done once: an execution of an activity, in one round of one instance of one store."""

    store: str
    instance: int
    activity: str
    round: int


class Before(Struct, frozen=True):
    """What an earlier transaction under the same key did; void when nothing ever will."""

    is_void: bool
    outcome: str
    values: dict[str, object]


def key_of(store: str, job: Job) -> Key:
    return Key(store, job.instance, short(job.path), job.round)


def short(path: str) -> str:
    """A path as part of a key: a long one ends in its hash."""
    return path if len(path) <= ACTIVITY_MAX else f"{path[: ACTIVITY_MAX - 65]}{hashed(path)}"


def hashed(path: str) -> str:
    """A word that stands for a path that is too long."""
    return f"~{sha256(path.encode()).hexdigest()}"


def take(connection: Connection, key: Key) -> Before | None:
    """Inserts the marker in the connection's transaction. What was there already ends that and begins another."""
    fields = msgspec.to_builtins(key)
    try:
        connection.execute(_INSERT, {**fields, "state": "done"})
        return None
    except Exception as fault:
        if not connection.is_duplicate(fault):
            raise
    connection.rollback()
    connection.begin(only_reads=True)
    return _find(connection, key)


def finish(connection: Connection, key: Key, outcome: str, values: dict[str, object]) -> None:
    """Writes the result into the marker, in the same transaction."""
    result = msgspec.json.encode(values).decode()
    connection.execute(_FINISH, {**msgspec.to_builtins(key), "outcome": outcome, "result": result})


def void(resources: Resources, resource: str, key: Key) -> Before | None:
    """Makes sure that nothing commits under the key from now on; gives what had committed before, if something had.

    Waits for a transaction that is under way.
    """
    prepare(resources, resource)
    with resources.connection(resource) as connection:
        try:
            connection.execute(_INSERT, {**msgspec.to_builtins(key), "state": "void"})
            connection.commit()
            return None
        except Exception as fault:
            if not connection.is_duplicate(fault):
                raise
    return find(resources, resource, key)


def find(resources: Resources, resource: str, key: Key) -> Before | None:
    """What has committed under the key; None when nothing has, as yet."""
    prepare(resources, resource)
    with resources.connection(resource, only_reads=True) as connection:
        return _find(connection, key)


def prepare(resources: Resources, resource: str) -> None:
    """Makes the table of markers where it is not; once for each database of this node."""
    if resources.is_prepared(resource):
        return
    if not _is_there(resources, resource):
        try:
            with resources.connection(resource) as connection:
                connection.execute(TABLE, {})
                connection.commit()
        except Exception:
            if not _is_there(resources, resource):  # else somebody made it at the same time
                raise
    resources.prepared(resource)


def _is_there(resources: Resources, resource: str) -> bool:
    try:
        with resources.connection(resource, only_reads=True) as connection:
            connection.execute(_LOOK, {})
    except CannotConnect:
        raise
    except Exception:
        return False
    return True


def _find(connection: Connection, key: Key) -> Before | None:
    rows = connection.execute(_FIND, msgspec.to_builtins(key)).rows
    if not rows:
        return None
    state, outcome, result = rows[0]
    return Before(state == "void", str(outcome), msgspec.json.decode(str(result)) or {})
