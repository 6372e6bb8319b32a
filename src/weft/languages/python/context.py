"""What a task may ask of the engine that runs it, and what one may say of a start besides its inputs."""

from dataclasses import dataclass
from typing import Any, Protocol


class Context(Protocol):
    """Given to a task that has a parameter annotated with it. It is no parameter of the task in the process.

    >>> @task
    ... def charge(order: Order, ctx: Context) -> str:
    ...     return gateway.charge(order.cents, idempotency_key=ctx.key)
    """

    @property
    def key(self) -> str:
        """The same on every attempt of one execution, and on no other: an idempotency key."""
        ...

    @property
    def path(self) -> str: ...

    @property
    def round(self) -> int: ...

    @property
    def attempt(self) -> int:
        """1 on the first."""
        ...

    @property
    def checkpoint(self) -> object:
        """What the last attempt saved last; None at first."""
        ...

    @property
    def cancelled(self) -> bool:
        """Whether the work is to stop: end it soon, or call `heartbeat`, which raises then."""
        ...

    @property
    def connection(self) -> Any:
        """The connection of a transactional task, inside its transaction, which the engine ends.

        A `sqlite3`, `psycopg` or SQLAlchemy connection, as the URL of the task's resource says.
        """
        ...

    def save(self, checkpoint: object) -> None:
        """Keeps plain data from which the next attempt can go on; for tasks declared with `checkpoint=True`."""
        ...

    def heartbeat(self) -> None:
        """Tells the engine that the work goes on; raises when it is to stop."""
        ...

    def mark(self, name: str, *values: object, **objects: object) -> None:
        """An early outcome, declared by `@task(marks={name: type})`: its value, or its objects by name."""
        ...


@dataclass(frozen=True, slots=True)
class Start:
    """How to start an instance; its inputs are given beside it, by their names."""

    key: str | None = None
    priority: int = 0
    responsible: str = ""
    version: str = ""
