"""Where parameters get their values, as one writes it in Python. Names are resolved when a process is built."""

from collections.abc import Iterator
from dataclasses import dataclass

from weft.languages.python.mistakes import Mistake
from weft.model.definition import Constant, Expression, Input, Output, Variable
from weft.model.types import ValueFault, to_plain


@dataclass(frozen=True, slots=True)
class Result:
    """What an activity gave: an object, else its only one, of an outcome, else of every one that has it."""

    activity: str
    object: str = ""
    outcome: str = ""


Raw = Result | Input | Output | Variable | Constant | Expression


@dataclass(frozen=True, slots=True)
class Source:
    """Sources in order of preference; the first that is available is taken."""

    alternatives: tuple[Raw, ...]

    def __bool__(self) -> bool:
        raise Mistake(
            "a source has no value before the process runs, so Python can't test it; "
            'write the condition as text, choice({"n > 1": …}), and join sources by first_of(…)'
        )


def var(name: str) -> Source:
    """The value of a variable."""
    return Source((Variable(name),))


def expr(text: str) -> Source:
    """The value of an expression over variables: `expr("order.cents * 2")`."""
    return Source((Expression(text),))


def first_of(*sources: object) -> Source:
    """The first source that is available: `first_of(flights.output("flight", "found"), var("cached"))`."""
    return Source(tuple(raw for source in sources for raw in sources_of(source)))


def sources_of(given: object) -> Iterator[Raw]:
    """What `.using` was given: a source, an activity, or a constant."""
    if isinstance(given, Source):
        yield from given.alternatives
    elif isinstance(given, Giver):
        yield Result(given.name)
    else:
        yield constant(given)


def constant(given: object) -> Constant:
    try:
        return Constant(to_plain(given))
    except ValueFault as fault:
        what = f"the function {given.__name__}" if hasattr(given, "__name__") else repr(given)
        raise Mistake(f"{what} can't be a constant: {fault}; give plain data, a source, or an activity") from None


class Giver:
    """An activity, as far as sources need to know: something with a name that gives results."""

    @property
    def name(self) -> str:
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Given:
    """An input of a process that may be left out."""

    annotation: object
    default: Constant


def given(annotation: object, default: object) -> Given:
    """An input with a default: `process("buy", order=Order, method=given(str, "card"))`."""
    return Given(annotation, constant(default))
