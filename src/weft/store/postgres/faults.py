"""PostgreSQL's errors, sorted into ours: what was not written, and whose fault that is."""

from typing import Final

import psycopg

from weft.store.batch import Refused, Unknown
from weft.store.problems import Damaged, StoreProblem, Unavailable

ROWS: Final = ("21", "22", "23", "54")
"""Classes of errors for which a row is to blame: values, constraints, and rows too large for an index."""
AGAIN: Final = ("40",)
"""Deadlocks and the like: nothing was written, and the same may succeed at once."""


def words_of(error: psycopg.Error) -> str:
    """What the message says first; libpq goes on about what may have been the cause."""
    return (error.diag.message_primary or str(error)).strip().partition("\n")[0]


def is_lost(connection: psycopg.Connection[object]) -> bool:
    """Whether the connection can't be used any more."""
    return connection.closed or connection.pgconn.status != psycopg.pq.ConnStatus.OK


def lost(error: psycopg.Error, committing: bool) -> Refused | Unknown:
    """The connection ended. Whether the server still committed can't be told from here if it had been asked to."""
    detail = f"the connection to PostgreSQL was lost: {words_of(error)}"
    return Unknown(detail) if committing else Refused("store", detail)


def may_succeed_again(error: psycopg.Error) -> bool:
    return (error.sqlstate or "").startswith(AGAIN)


def refused(error: psycopg.Error) -> Refused:
    """The server said no, on a connection that lives: the transaction is rolled back."""
    state = error.sqlstate or ""
    return Refused("rows" if state.startswith(ROWS) else "store", f"{words_of(error)} (PostgreSQL error {state})")


def problem(error: psycopg.Error) -> StoreProblem:
    """What a question raises instead."""
    state = error.sqlstate or ""
    if state.startswith("42") and state != "42501":
        return Damaged(f"the tables are not as Weft made them: {words_of(error)}; run `weft store check`")
    return Unavailable(f"PostgreSQL can't answer at present: {words_of(error)}")
