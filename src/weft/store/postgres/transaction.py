"""An open PostgreSQL transaction as rooms see it."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, Literal

from weft.store.batch import Record, Value
from weft.store.postgres.connecting import Connection

QUOTED_OR_MARK: Final = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|\?|%")


class PostgresTransaction:
    dialect: Final[Literal["postgres"]] = "postgres"

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def execute(self, statement: str, parameters: Sequence[Value] = ()) -> list[Record]:
        cursor = self._connection.execute(marked(statement).encode(), tuple(parameters))
        return cursor.fetchall() if cursor.description is not None else []


@lru_cache(500)
def marked(statement: str) -> str:
    """The statement with psycopg's marks in place of ours.

    >>> marked("select '?' where a = ? and b like '50%'")
    "select '?' where a = %s and b like '50%%'"
    """
    return QUOTED_OR_MARK.sub(lambda found: "%s" if found[0] == "?" else found[0].replace("%", "%%"), statement)
