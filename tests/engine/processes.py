"""Tasks and shortcuts for the tests of the engine."""

from collections.abc import Sequence

from weft.kernel.facts import AnyFact


def kinds(facts: Sequence[AnyFact], path: str = "") -> list[str]:
    """What happened, or what happened to one activity, as names of facts."""
    return [type(fact).__name__ for fact in facts if path in ("", fact.path)]


def started(facts: Sequence[AnyFact]) -> list[str]:
    return [fact.path for fact in facts if type(fact).__name__ == "Started"]
