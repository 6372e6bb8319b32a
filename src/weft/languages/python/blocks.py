"""The functions that join activities: one for each block, graphs, lists of items, and calls of other processes."""

from collections.abc import Mapping, Sequence
from typing import overload

from weft.languages.python.activities import Activity, Block, Sources, activities
from weft.languages.python.data import Raw, sources_of
from weft.languages.python.guards import Guard, formula_of
from weft.languages.python.mistakes import Mistake
from weft.model.definition import AtLeast, Expression, Process, Variable


def serial(*steps: Activity) -> Block:
    """One after the other; `a >> b`."""
    return Block("serial", activities(steps, "serial"))


def all_of(*steps: Activity) -> Block:
    """All at once, all must commit; `a & b`."""
    return Block("all", activities(steps, "all_of"))


def any_of(*steps: Activity) -> Block:
    """All at once; all are waited for and one that commits is enough; `a | b`."""
    return Block("any", activities(steps, "any_of"))


def race(*steps: Activity) -> Block:
    """All at once, exactly one commits; `a ^ b`."""
    return Block("race", activities(steps, "race"))


def contingency(*steps: Activity) -> Block:
    """The next is tried when the one before has aborted; `a.otherwise(b)`."""
    return Block("contingency", activities(steps, "contingency"))


def choice(branches: Mapping[str, Activity], default: Activity | None = None) -> Block:
    """The first branch whose condition is true: `choice({"n > 9": many, "n > 0": few}, default=none)`."""
    if not isinstance(branches, Mapping):
        raise Mistake(f'choice wants conditions with their activities, not {branches!r}: choice({{"n > 9": many}})')
    inside = [*branches.values(), *([] if default is None else [default])]
    return Block("choice", activities(inside, "choice"), conditions=tuple(branches))


def loop(condition: str, *steps: Activity) -> Block:
    """One after the other, again and again while the condition holds: `loop("tries < 3", attempt)`."""
    if not isinstance(condition, str):
        raise Mistake(f'loop wants its condition first, as text: loop("tries < 3", …), not {condition!r}')
    return Block("loop", activities(steps, "loop"), conditions=(condition,))


def pick(*steps: Activity) -> Block:
    """All are offered; the one that starts first has the work."""
    return Block("pick", activities(steps, "pick"))


@overload
def at_least(count: int, *those: Activity) -> Block: ...
@overload
def at_least(count: int, *those: Guard) -> Guard: ...
def at_least(count: int, *those: Activity | Guard) -> Block | Guard:
    """Done when so many of the activities have committed; of guards, true when so many of them are."""
    if not 1 <= count <= len(those):
        raise Mistake(f"at_least({count}, …) of {len(those)}: give a count from 1 to how many there are")
    if isinstance(those[0], Guard):
        return Guard(AtLeast(count, tuple(formula_of(one, "at_least") for one in those)))
    return Block("atleast", activities(those, "at_least"), count=count)


def flow(*steps: Activity) -> Block:
    """A graph: each step starts by its own guards, `.starts(…)`; done when all have passed, or by `.outcome(…)`."""
    return Block("flow", activities(steps, "flow"))


class Each(Activity):
    """See `each`."""

    def __init__(self, item: str, items: Sources, body: Activity) -> None:
        self.item = item
        self.items = items
        self.body = body
        self.at_most: int | None = None
        self.enough: int | None = None
        self.adds: tuple[Raw, ...] = ()
        self.is_open = False

    def __repr__(self) -> str:
        return self.said.name or f"each({self.item!r}, …, {self.body!r})"


def each(
    item: str,
    items: object,
    body: Activity,
    *,
    at_most: int | None = None,
    enough: int | None = None,
    into: str | Sequence[str] = (),
    adds: Sequence[object] = (),
    open: bool = False,
) -> Each:
    """Runs the body once for each item: `each("file", "order.files", convert, at_most=8, into="converted")`.

    The body sees the item as the variable `item`. `items` is a source, or the text of an expression. Of the body's
    result, `into` gets a list as long as the items. At most `at_most` run at once; `enough` commits end it. `adds` are
    outputs of siblings' marks that bring more items; with `open` it ends only when it is told to finish.
    """
    if isinstance(items, str):
        items = Variable(items) if items.isidentifier() else Expression(items)
        sources: Sources = (items,)
    else:
        sources = tuple(sources_of(items))
    made = Each(item, sources, *activities([body], "each"))
    made.at_most = at_most
    made.enough = enough
    made.adds = tuple(raw for source in adds for raw in sources_of(source))
    made.is_open = open
    return made.into(*([into] if isinstance(into, str) else into))


class Call(Activity):
    """See `call`."""

    def __init__(self, process: Process | str, version: str, gives: Mapping[str, object]) -> None:
        self.process = process if isinstance(process, str) else process.name
        self.interface = None if isinstance(process, str) else process.body
        self.classes = {} if isinstance(process, str) else process.classes
        self.version = version
        self.gives = gives
        self.said = self.named(self.process).said


def call(process: Process | str, *, version: str = "", gives: Mapping[str, object] | None = None) -> Call:
    """Runs another process here, bound when it starts; it is named as that process unless `.named` says else.

    One that is not at hand is called by name; then `.using` says its inputs and `gives` the types of what it gives.
    """
    if not isinstance(process, Process | str):
        raise Mistake(f"call wants a process or the name of one, not {process!r}")
    return Call(process, version, gives or {})
