"""Guards, as one writes them in Python: `a.on("done") & (b.on("late") | when("order.cents > 500"))`."""

from dataclasses import dataclass

from weft.languages.python.mistakes import Mistake
from weft.model import definition
from weft.model.definition import AtLeast


@dataclass(frozen=True, slots=True)
class Guard:
    """A formula whose events are as they were written; a process gives them their full names when it is built."""

    formula: definition.Guard

    def __and__(self, other: "Guard") -> "Guard":
        return Guard(definition.every(*_terms(self, True), *_terms(other, True)))

    def __or__(self, other: "Guard") -> "Guard":
        return Guard(definition.some(*_terms(self, False), *_terms(other, False)))

    def __bool__(self) -> bool:
        raise Mistake(
            "a guard is true or false only while the process runs; join guards by & and |, not by and, or, not"
        )


def when(condition: str) -> Guard:
    """A condition over data, asked once when everything else that it stands beside is true."""
    return Guard(definition.When(condition))


def quiet() -> Guard:
    """Every child has ended; for outcomes."""
    return Guard(definition.Quiet())


def formula_of(guard: object, where: str) -> definition.Guard:
    if isinstance(guard, Guard):
        return guard.formula
    raise Mistake(
        f'{where} wants a guard, not {guard!r}: write a.on("done"), when("n > 1"), or these joined by & and |'
    )


def _terms(guard: object, are_all: bool) -> tuple[definition.Guard, ...]:
    """Those of a formula joined alike, so that `a & b & c` is one gate; else the formula itself."""
    formula = formula_of(guard, "& and |")
    if isinstance(formula, AtLeast) and len(formula.guards) > 1:
        needed = len(formula.guards) if are_all else 1
        if formula.count == needed:
            return formula.guards
    return (formula,)
