"""Random well-formed processes: blocks, graphs, eachs, calls and nets inside one another, with all that may be said.

Tasks give a number `v`; marks give `v` and a list `more`; the root has the variables `x`, `y`, `z`, which tasks write.
"""

from collections.abc import Sequence

from msgspec.structs import replace

from tests.random.draw import Draw
from tests.random.nets import net
from weft.model.blocks import (
    all_of,
    any_of,
    at_least,
    choice,
    contingency,
    loop,
    pick,
    race,
    serial,
)
from weft.model.definition import (
    ABORTED,
    DONE,
    Activity,
    AtLeast,
    Call,
    Constant,
    Deadline,
    Declared,
    Each,
    Expression,
    Flow,
    Function,
    Guard,
    Input,
    InputSet,
    Net,
    On,
    Outcome,
    Output,
    Person,
    Process,
    Quiet,
    Rule,
    Signal,
    Source,
    Task,
    Timer,
    Variable,
    When,
    every,
    some,
)
from weft.model.wellformed import check

VARIABLES = ("x", "y", "z")
ERRORS = ("task", "task.a", "task.a.b", "task.c", "handler.down")
NUMBER = {"v": "int"}
MARK = {"v": "int", "more": "list[int]"}


class Around:
    """What the place of an activity allows."""

    def __init__(self, depth: int, readable: tuple[str, ...] = VARIABLES) -> None:
        self.depth = depth
        self.readable = readable
        self.is_bounded = True
        self.is_side = False
        self.holds = False
        self.inside_call = False

    def inside(self) -> "Around":
        twin = Around(self.depth + 1, self.readable)
        twin.is_bounded, twin.is_side, twin.holds = self.is_bounded, self.is_side, self.holds
        twin.inside_call = self.inside_call
        return twin


class Made:
    """A process, and those that it may call, by name."""

    def __init__(self, process: Process, called: dict[str, Process]) -> None:
        self.process = process
        self.called = called


def process(draw: Draw, size: int = 14) -> Made:
    maker = Maker(draw, size)
    body = maker.root("main")
    called: dict[str, Process] = {}
    while maker.calls:
        name = maker.calls.pop()
        if name not in called:
            maker.left = max(maker.left, 4)
            maker.prefix = name + "_"
            called[name] = wellformed(Process(name=name, body=maker.root(name)))
    return Made(wellformed(Process(name="main", body=body)), called)


def wellformed(found: Process) -> Process:
    """A circle through `skipped` or `ended` is the one fault that is not avoided from the start."""
    faults = [fault for fault in check(found) if fault.severity == "error"]
    circles = {fault.activity for fault in faults if fault.code == "guard-cycle"}
    if circles:
        found = replace(found, body=uncircled(found.body, circles))
        faults = [fault for fault in check(found) if fault.severity == "error"]
    assert not faults, "\n".join(map(str, faults))
    return found


def uncircled(activity: Activity, circles: set[str]) -> Activity:
    if isinstance(activity, Flow):
        children = tuple(uncircled(child, circles) for child in activity.children)
        if activity.name in circles:
            children = tuple(positive_child(child) for child in children)
        outcomes = activity.outcomes
        if activity.name in circles:
            outcomes = tuple(replace(one, guard=positive(one.guard)) if one.kind == "mark" else one for one in outcomes)
        return replace(activity, children=children, outcomes=outcomes)
    if isinstance(activity, Each):
        return replace(activity, body=uncircled(activity.body, circles))
    if isinstance(activity, Net):
        transitions = tuple(
            one if one.operation is None else replace(one, operation=uncircled(one.operation, circles))
            for one in activity.transitions
        )
        return replace(activity, transitions=transitions)
    return activity


def positive_child(child: Activity) -> Activity:
    sets = tuple(replace(one, guard=positive(one.guard)) for one in child.input_sets)
    child = replace(child, input_sets=sets)
    if isinstance(child, Task):
        child = replace(child, outcomes=tuple(replace(one, guard=positive(one.guard)) for one in child.outcomes))
    return child


def positive(guard: Guard | None) -> Guard | None:
    if isinstance(guard, On) and guard.event in ("skipped", "ended"):
        return On(guard.activity, "committed")
    if isinstance(guard, AtLeast):
        return AtLeast(guard.count, tuple(positive(one) for one in guard.guards))
    return guard


class Maker:
    def __init__(self, draw: Draw, size: int) -> None:
        self.draw = draw
        self.left = size
        self.prefix = ""
        self.numbers: dict[str, int] = {}
        self.calls: list[str] = []

    def name(self, kind: str) -> str:
        self.numbers[kind] = self.numbers.get(kind, 0) + 1
        return f"{self.prefix}{kind}{self.numbers[kind]}"

    def root(self, name: str) -> Flow:
        variables = {one: Declared("int", 0) for one in VARIABLES}
        around = Around(0)
        around.inside_call = name != "main"
        kind = self.draw.weighted({"serial": 3, "graph": 4, "all": 2, "any": 1, "race": 1, "loop": 1})
        if kind == "loop":
            around.is_bounded = False
        body = self.graph(around, name) if kind == "graph" else self.block(kind, around, name)
        return replace(body, variables=variables)

    # Activities.

    def activity(self, around: Around) -> Activity:
        self.left -= 1
        if around.depth >= 5 or self.left <= 0:
            return self.task(around)
        kinds = {"task": 50, "serial": 8, "graph": 14, "all": 5, "any": 4, "race": 6, "contingency": 4, "choice": 5}
        kinds |= {"loop": 3, "pick": 4, "at_least": 3, "each": 8}
        kinds |= {"call": 2} if around.inside_call else {"call": 4, "net": 5}
        kind = self.draw.weighted(kinds)
        if kind == "task":
            return self.task(around)
        inner = around.inside()
        decoration = self.decoration(inner)
        if kind == "each":
            found: Activity = self.each(inner)
        elif kind == "call":
            found = self.call()
        elif kind == "net":
            found = net(self, inner)
        elif kind == "graph":
            found = self.graph(inner, self.name("g"))
        else:
            found = self.block(kind, inner, self.name(kind[0]) if self.draw.chance(80) else "")
        return replace(found, **decoration)

    def task(self, around: Around, outcomes: tuple[Outcome, ...] = ()) -> Task:
        draw = self.draw
        handler: object = Function("work:do")
        transaction = draw.weighted({"none": 65, "transactional": 20, "two_phase": 15})
        if transaction == "none" and draw.chance(25):
            handler = draw.one([Person(), Timer(seconds=5), Signal("go", keep=draw.chance(50))])
        extra: dict[str, object] = {}
        if draw.chance(30) and not around.is_side:
            extra["writes"] = {draw.one(VARIABLES): "v"}
        if draw.chance(40):
            extra["idempotent"] = True
        if draw.chance(12):
            extra["vital"] = False
        if transaction == "two_phase" and around.is_bounded and not around.is_side and draw.chance(60):
            extra["critical"] = True
        elif draw.chance(8 if around.is_side else 32):
            extra["compensation"] = self.side(around)
        if draw.chance(3 if around.is_side else 12):
            extra["undo"] = self.side(around)
        if draw.chance(10) and not around.holds and not around.is_side:
            extra["holds"] = tuple(draw.some(["h1", "h2"], 1))
        if draw.chance(7):
            extra["deadline"] = self.deadline()
        name = self.name("t")
        found = Task(
            name=name,
            handler=handler,
            transaction=transaction,
            outcomes=outcomes or self.outcomes(transaction),
            **extra,
        )
        return replace(found, on_error=self.rules(around, found)) if draw.chance(30) else found

    def outcomes(self, transaction: str) -> tuple[Outcome, ...]:
        draw = self.draw
        found = [Outcome("done", types=NUMBER)]
        if draw.chance(25):
            found.append(Outcome("other", types=NUMBER))
        found.append(ABORTED)
        if draw.chance(25):
            found.append(Outcome("bad", "abort", types=NUMBER))
        if transaction == "none" and draw.chance(30):
            found.append(Outcome("m", "mark", types=MARK))
        return tuple(found)

    def side(self, around: Around) -> Activity:
        """What takes back, or takes over."""
        twin = around.inside()
        twin.is_side, twin.depth = True, around.depth + 2
        twin.is_bounded = False
        if self.draw.chance(85) or self.left <= 2:
            return self.task(twin)
        self.left -= 2
        children = [self.task(twin) for _ in range(2)]
        return self.draw.one([serial, all_of])(*children, name=self.name("side"))

    def rules(self, around: Around, activity: Activity) -> tuple[Rule, ...]:
        draw = self.draw
        found: list[Rule] = []
        for _ in range(draw.number(1, 2)):
            error = draw.one(["", "task.a", "task.a.b", "task.c", "handler"])
            action = draw.weighted({"retry": 50, "ignore": 10, "ask": 10, "fail": 10, "alternate": 10})
            if action == "retry":
                delay = draw.one([0.0, 3.0])
                when = self.condition(around) if draw.chance(15) else ""
                found.append(Rule("retry", error, draw.number(1, 2), delay, draw.one([1.0, 2.0]), when=when))
            elif action == "alternate" and not around.is_side and not any(one.alternate for one in found):
                alternate = replace(self.task(around.inside(), activity.outcomes), holds=())
                if any(one.kind == "mark" for one in activity.outcomes):
                    alternate = replace(alternate, transaction="none", critical=False)
                found.append(Rule("alternate", error, alternate=alternate))
            elif action in ("ignore", "ask", "fail"):
                found.append(Rule(action, error))
        return tuple(found)

    def deadline(self) -> Deadline:
        return Deadline(4.0, self.draw.one(["tell", "fail"]), self.draw.one([(), (1.0,)]))

    def decoration(self, around: Around) -> dict[str, object]:
        """What may be said of any compound."""
        draw = self.draw
        found: dict[str, object] = {}
        if draw.chance(18) and not around.is_side:
            found["compensation"] = self.side(around)
        if draw.chance(4) and not around.is_side:
            found["undo"] = self.side(around)
        if draw.chance(10):
            found["vital"] = False
        if draw.chance(8) and not around.holds and not around.is_side:
            found["holds"] = (draw.one(["h1", "h2"]),)
            around.holds = True
        if draw.chance(4):
            found["deadline"] = self.deadline()
        if draw.chance(12):
            action = draw.weighted({"retry": 6, "ignore": 1, "ask": 1, "fail": 1})
            times = draw.number(1, 2) if action == "retry" else 0
            delay = draw.one([0.0, 3.0]) if action == "retry" else 0.0
            found["on_error"] = (Rule(action, draw.one(["", "task.a"]), times, delay),)
        return found

    def several(self, around: Around, least: int, most: int) -> list[Activity]:
        return [self.activity(around) for _ in range(self.draw.number(least, most))]

    # Blocks.

    def block(self, kind: str, around: Around, name: str) -> Flow:
        draw = self.draw
        if kind == "loop":
            around.is_bounded = False
        children = self.several(around, 1 if kind in ("serial", "loop", "choice") else 2, 3)
        if kind == "choice":
            branches = [(self.condition(around), child) for child in children]
            found = choice(branches, self.task(around) if draw.chance(40) else None, name=name)
        elif kind == "loop":
            found = loop(self.condition(around), *children, name=name)
        elif kind == "at_least":
            found = at_least(draw.number(1, len(children)), *children, name=name)
        else:
            plain = {
                "serial": serial,
                "all": all_of,
                "any": any_of,
                "race": race,
                "contingency": contingency,
                "pick": pick,
            }
            found = plain[kind](*children, name=name)
        return self.sprinkled(found, around) if draw.chance(25) else found

    def sprinkled(self, flow: Flow, around: Around) -> Flow:
        """With commit guards, `cancel` and `until` that speak of siblings."""
        names = [flow.name]
        children = [self.stoppable(child, self.others(flow.children, child), names, around) for child in flow.children]
        return replace(flow, children=tuple(children))

    def others(self, children: Sequence[Activity], child: Activity) -> list[Activity]:
        return [one for one in children if one.name != child.name]

    def stoppable(self, child: Activity, others: list[Activity], compound: list[str], around: Around) -> Activity:
        draw = self.draw
        found: dict[str, object] = {}
        if draw.chance(12):
            found["cancel"] = self.guard(others, around)
        if draw.chance(10):
            found["until"] = self.guard(others, around)
        if isinstance(child, Task) and child.transaction != "none" and not child.holds and draw.chance(40):
            first, *rest = child.outcomes
            found["outcomes"] = (replace(first, guard=self.guard(others, around)), *rest)
        return replace(child, **found)

    # Graphs.

    def graph(self, around: Around, name: str) -> Flow:
        draw = self.draw
        has_repeat = draw.chance(15)
        if has_repeat:
            around.is_bounded = False
        made = self.several(around, 2, 5)
        order = draw.weighted({"earlier": 6, "any": 4})
        children: list[Activity] = []
        for position, child in enumerate(made):
            others = made[:position] if order == "earlier" else self.others(made, child)
            later = self.others(made, child)
            child = self.wired(child, others, around, name)
            children.append(self.stoppable(child, later, [name], around))
        if draw.chance(10):
            children = draw.shuffled(children)
        outcomes = self.ends(children, around, has_repeat)
        if any(one.kind == "mark" for one in outcomes) and draw.chance(40):
            children[-1] = self.waiting_for_mark(children[-1], name)
        extra: dict[str, object] = {}
        kind = draw.weighted({"plain": 76, "exclusive": 12, "one_start": 12})
        if kind != "plain":
            extra[kind] = True
        return Flow(name=name, children=tuple(children), outcomes=outcomes, **extra)

    def waiting_for_mark(self, child: Activity, compound: str) -> Activity:
        """It starts by a mark of the flow around."""
        one, *rest = child.input_sets
        guard = On(compound, "mark:m")
        return replace(
            child, input_sets=(replace(one, guard=guard if one.guard is None else every(guard, one.guard)), *rest)
        )

    def wired(self, child: Activity, others: list[Activity], around: Around, compound: str) -> Activity:
        """With input sets that wait for siblings and take from them."""
        draw = self.draw
        sets: list[InputSet] = []
        for name in ["start", "second"][: draw.number(1, 2)]:
            guard = self.guard(others, around) if others and draw.chance(70) else None
            one = replace(child.input_sets[0], name=name, guard=guard)
            if draw.chance(45):
                sources = tuple(self.source(others, around, compound) for _ in range(draw.number(1, 3)))
                one = replace(one, types={**one.types, "p": "any"}, bindings={**one.bindings, "p": sources})
            sets.append(one)
        child = replace(child, input_sets=tuple(sets))
        if isinstance(child, Each):
            marking = [one for one in others if any(out.kind == "mark" and "more" in out.types for out in one.outcomes)]
            if marking and draw.chance(70):
                child = replace(child, adds=(Output(draw.one(marking).name, "m", "more"),))
        return child

    def source(self, others: list[Activity], around: Around, compound: str) -> Source:
        draw = self.draw
        kind = draw.weighted({"constant": 15, "output": 60, "input": 10, "variable": 10, "expression": 10})
        if kind == "output" and others:
            giver = draw.one(others)
            given = [one for one in giver.outcomes if "v" in one.types and one.kind != "repeat"]
            if given:
                return Output(giver.name, draw.one(given).name, "v")
        if kind == "input" and others:
            giver = draw.one(others)
            taking = [(one.name, name) for one in giver.input_sets for name in one.bindings]
            if taking:
                return Input(giver.name, *draw.one(taking))
        if kind == "variable":
            return Variable(draw.one(around.readable))
        if kind == "expression":
            return Expression(f"{draw.one(around.readable)} + 1")
        return Constant(draw.number(0, 3))

    def guard(self, others: list[Activity], around: Around, depth: int = 0) -> Guard:
        draw = self.draw
        kind = draw.weighted({"on": 60, "at_least": 25 if depth < 2 else 0, "when": 15})
        if kind == "when" or not others:
            return When(self.condition(around))
        if kind == "on":
            return self.event(draw.one(others))
        guards = tuple(self.guard(others, around, depth + 1) for _ in range(draw.number(1, 3)))
        return AtLeast(draw.number(1, len(guards)), guards)

    def event(self, other: Activity) -> On:
        draw = self.draw
        kinds = {"committed": 30, "aborted": 12, "ended": 10, "skipped": 8, "started": 8, "ready": 4, "error": 5}
        kind = draw.weighted({**kinds, "outcome": 12, "set": 4})
        if kind == "error":
            return On(other.name, "error:" + draw.one(ERRORS))
        if kind == "outcome":
            words = {"commit": "committed:", "abort": "aborted:", "mark": "mark:"}
            named = [words[one.kind] + one.name for one in other.outcomes if one.kind in words]
            return On(other.name, draw.one(named))
        if kind == "set":
            return On(other.name, "started:" + draw.one(other.input_sets).name)
        return On(other.name, kind)

    def ends(self, children: list[Activity], around: Around, has_repeat: bool) -> tuple[Outcome, ...]:
        draw = self.draw
        committed = tuple(On(child.name, "committed") for child in children)
        ended = tuple(On(child.name, "ended") for child in children)
        aborted = tuple(On(child.name, "aborted") for child in children)
        kind = draw.weighted({"quiet": 3, "one": 2, "all": 2, "some": 2, "ended": 2, "wild": 2})
        if kind == "wild":
            guard = self.guard(children, around)
        else:
            guard = {
                "quiet": Quiet(),
                "one": committed[0],
                "all": every(*committed),
                "some": AtLeast(draw.number(1, len(children)), committed),
                "ended": every(some(*committed), every(*ended)),
            }[kind]
        outcomes = [self.end("done", "commit", guard, children)]
        kind = draw.weighted({"some": 3, "last": 2, "none": 2, "wild": 1})
        if kind != "none":
            guard = {"some": some(*aborted), "last": aborted[-1], "wild": self.guard(children, around)}[kind]
            outcomes.append(self.end("aborted", "abort", guard, children))
        else:
            outcomes.append(ABORTED)
        if has_repeat:
            guard = every(self.event(draw.one(children)), When(self.condition(around)))
            outcomes.insert(draw.number(0, 1), Outcome("again", "repeat", guard))
        if draw.chance(25):
            outcomes.append(self.end("m", "mark", self.guard(children, around), children))
        return tuple(outcomes)

    def end(self, name: str, kind: str, guard: Guard, children: list[Activity]) -> Outcome:
        given = [(child.name, one.name) for child in children for one in child.outcomes if "v" in one.types]
        given = [(child, outcome) for child, outcome in given if outcome != "again"]
        if kind == "abort" or not given or not self.draw.chance(40):
            return Outcome(name, kind, guard)
        sources: list[Source] = [Output(*self.draw.one(given), "v") for _ in range(self.draw.number(1, 2))]
        if self.draw.chance(60):
            sources.append(Constant(7))
        return Outcome(name, kind, guard, {"v": tuple(sources)}, {"v": "any"})

    def condition(self, around: Around) -> str:
        draw = self.draw
        one, other = draw.one(around.readable), draw.one(around.readable)
        kinds = {"less": 40, "more": 25, "equal": 15, "sum": 10, "wrong": 3}
        kind = draw.weighted(kinds)
        if kind == "wrong":
            return f"{one} // {other} >= 0"
        if kind == "sum":
            return f"{one} + {other} < {draw.number(1, 4)}"
        return f"{one} {({'less': '<', 'more': '>=', 'equal': '=='})[kind]} {draw.number(1, 3)}"

    # Eachs and calls.

    def each(self, around: Around) -> Each:
        draw = self.draw
        around.is_bounded = False
        item = self.name("i")
        around.readable = (*around.readable, item) if draw.chance(50) else around.readable
        body = self.activity(around)
        if isinstance(body, Task) and draw.chance(40):
            body = replace(body, input_sets=(InputSet(types={"p": "any"}, bindings={"p": (Variable(item),)}),))
        items: Source = Constant([draw.number(0, 3) for _ in range(draw.number(0, 4))])
        if draw.chance(15):
            items = Expression("[x, 1, y + 2]")
        outcomes = [DONE]
        if draw.chance(15):
            outcomes = [
                Outcome("done", guard=When(draw.one(["committed >= 1", "aborted == 0", "committed > running"])))
            ]
            if draw.chance(50):
                outcomes.append(Outcome("usual"))
        outcomes.append(ABORTED if draw.chance(80) else Outcome("aborted", "abort", When("aborted >= 2")))
        if draw.chance(20):
            outcomes.append(Outcome("k", "mark", When(draw.one(["committed >= 1", "total - running >= 2"]))))
        return Each(
            name=self.name("e"),
            input_sets=(InputSet(types={"items": "list[int]"}, bindings={"items": (items,)}),),
            item=item,
            body=body,
            outcomes=tuple(outcomes),
            at_most=draw.one([None, 1, 2]),
            enough=draw.one([1, 2]) if draw.chance(15) else None,
            open=draw.chance(12),
        )

    def call(self) -> Call:
        name = "sub1" if self.prefix or self.draw.chance(70) else "sub2"
        self.calls.append(name)
        return Call(name=self.name("c"), process=name)
