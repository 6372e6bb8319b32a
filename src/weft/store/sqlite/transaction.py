"""An open SQLite transaction as rooms see it."""

import sqlite3
from collections.abc import Sequence
from typing import Final, Literal

from weft.store.batch import Record, Value


class SqliteTransaction:
    dialect: Final[Literal["sqlite"]] = "sqlite"

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def execute(self, statement: str, parameters: Sequence[Value] = ()) -> list[Record]:
        return self._connection.execute(statement, parameters).fetchall()
