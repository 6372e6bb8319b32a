"""What every database gives to those who work in it: a connection that runs bound statements in transactions."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from msgspec import Struct

from weft.handlers.settings import Resource
from weft.handlers.sql.statements import Statement


class CannotConnect(Exception):
    """The database can't be reached, or what speaks to it is not installed. Nothing was asked of it."""


class TransactionEnded(Exception):
    """A task ended the transaction in which it ran; only the engine may."""


class CommitUnknown(Exception):
    """The connection broke while it committed: nobody knows whether it did."""


class TooManyRows(Exception):
    """A statement gave more rows than the node allows."""


class Rows(Struct, frozen=True):
    """What a statement gave; without columns it gave none, and `count` says how many it changed."""

    columns: tuple[str, ...]
    rows: Sequence[Sequence[object]]
    count: int = 0


class Connection(Protocol):
    """One connection. All but `interrupt` are for one thread at a time."""

    @property
    def given(self) -> object:
        """What a transactional task gets: the connection as its users know it, unable to end the transaction."""
        ...

    def begin(self, *, only_reads: bool = False) -> None: ...

    def execute(self, statement: Statement, values: Mapping[str, object], rows_max: int = ...) -> Rows: ...

    def commit(self) -> None:
        """Raises `TransactionEnded` when the task did it, `CommitUnknown` when nobody knows whether it committed."""
        ...

    def rollback(self) -> None:
        """Ends whatever is open."""
        ...

    def interrupt(self) -> None:
        """Ends what is executed, from another thread."""
        ...

    def close(self) -> None: ...

    def is_duplicate(self, fault: BaseException) -> bool:
        """Whether it says that a key is there already."""
        ...


class Driver(Protocol):
    """A module that speaks to a kind of database."""

    def connect(self, url: str, resource: Resource) -> Connection: ...
