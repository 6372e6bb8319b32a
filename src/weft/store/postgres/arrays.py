"""Columns of rows as PostgreSQL's binary arrays: one call packs a column, which psycopg would do value by value."""

from collections.abc import Callable, Sequence
from struct import Struct, error, pack
from types import NoneType
from typing import Any, Final, get_args, get_type_hints

from weft.store.rows import Row

Column = Sequence[Any]

INT8: Final = 20
FLOAT8: Final = 701
BOOL: Final = 16
TEXT: Final = 25
BYTEA: Final = 17
ARRAYS: Final = {INT8: 1016, FLOAT8: 1022, BOOL: 1000, TEXT: 1009, BYTEA: 1001}
"""The type of a value, and that of an array of such values, by PostgreSQL's numbers."""

KINDS: Final[dict[object, int]] = {int: INT8, float: FLOAT8, bool: BOOL, str: TEXT, bytes: BYTEA}
LENGTH: Final = Struct(">i").pack
NULL: Final = LENGTH(-1)


class Unfit(ValueError):
    """A value that its column can't hold."""


def kinds(row: type[Row]) -> dict[str, int]:
    """The type of each column in which the fields of such rows lie."""
    hints = get_type_hints(row)
    return {name: KINDS[_type(hints[name])] for name in row.__struct_fields__}


def _type(hint: object) -> object:
    return next((one for one in get_args(hint) if one is not NoneType), hint)


def array(kind: int, column: Column) -> bytes:
    """The column as the binary form of an array of this type.

    >>> array(INT8, [7])[-12:]
    b'\\x00\\x00\\x00\\x08\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x07'
    """
    try:
        return pack(">iiIii", 1, 1, kind, len(column), 1) + PACKED[kind](column)
    except (error, TypeError, AttributeError, ValueError) as fault:
        raise Unfit(str(fault)) from fault


def _fixed(letter: str, size: int) -> Callable[[Column], bytes]:
    one = Struct(f">i{letter}").pack

    def packed(column: Column) -> bytes:
        if None in column:
            return b"".join([NULL if value is None else one(size, value) for value in column])
        values = [size] * (2 * len(column))
        values[1::2] = column
        return pack(">" + f"i{letter}" * len(column), *values)

    return packed


def _texts(column: Column) -> bytes:
    return b"".join([LENGTH(len(data := text.encode())) + data for text in column])


def _bytes(column: Column) -> bytes:
    return b"".join([LENGTH(len(data)) + data for data in column])


PACKED: Final = {INT8: _fixed("q", 8), FLOAT8: _fixed("d", 8), BOOL: _fixed("?", 1), TEXT: _texts, BYTEA: _bytes}
