"""Variables of a process that is being built, and where each can be seen."""

from collections.abc import Iterator
from typing import Literal

from weft.languages.python.activities import Activity, Sources
from weft.model.definition import Constant


class Slot:
    """A variable. `is_given` when it has a value before anybody writes it."""

    __slots__ = ("default", "is_given", "items", "name", "type", "writers")

    def __init__(
        self, name: str, *, of_type: str = "", default: Constant | None = None, is_given: bool = False
    ) -> None:
        self.name = name
        self.type = of_type
        self.default = default
        self.is_given = is_given or default is not None
        self.writers: list[tuple[Activity, str, Scope]] = []
        """With the object that each writes, and where the writer stands."""
        self.items: tuple[Sources, Scope] | None = None
        """Of the item of an each: the list that it comes from, and where that is read."""


Kind = Literal["", "home", "item", "firing"]


class Scope:
    """The variables of a compound, and the parameters that its children see.

    What a step makes by `.into`, and nobody declared, is born in the nearest `home`: the process, or a body of an each
    or net that is a block, since that has variables of its own in every execution. An `item` of an each and a `firing`
    of a net run several at once and are no home.
    """

    def __init__(self, around: "Scope | None" = None, kind: Kind = "") -> None:
        self.around = around
        self.kind = kind
        self.variables: dict[str, Slot] = {}
        self.inputs: dict[str, Sources] = {}

    def _outward(self) -> "Iterator[Scope]":
        scope: Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.around

    def find(self, name: str) -> Slot | None:
        return next((scope.variables[name] for scope in self._outward() if name in scope.variables), None)

    def execution(self) -> "Scope":
        """The nearest of some kind."""
        return next(scope for scope in self._outward() if scope.kind)

    def names(self) -> list[str]:
        return [*self.inputs, *(name for scope in self._outward() for name in scope.variables)]
