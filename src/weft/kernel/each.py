"""How an `Each` picks its next child: the next item, as long as fewer than allowed run."""

from weft.kernel import facts, status
from weft.kernel.agenda import body_of, execution_of
from weft.kernel.data import inputs_beside
from weft.kernel.decision import Decision
from weft.kernel.facts import Value, Values
from weft.kernel.starting import start_frame
from weft.kernel.state import Body, Frame, Items
from weft.kernel.stopping import begin_abort, fix
from weft.kernel.whole import Names, holds, is_undecided, marks_due, outcome_due, usual_outcome
from weft.model.definition import Each


def look(d: Decision, frame: Frame, node: int) -> None:
    """Additions, marks, ends, then starts. May raise `ExpressionError`."""
    each = frame.plan.activity[node]
    body = body_of(frame, node)
    items = body.items
    assert isinstance(each, Each)
    assert items is not None
    take_added(d, frame, node, items)
    counts = counts_of(items).get
    for mark in marks_due(frame, node, counts, is_quiet=not items.running):
        tell_mark(d, frame, node, mark.name, results(each, items))
    if decide_end(d, frame, node, each, body, items, counts):
        return
    start_items(d, frame, node, each, items)


def take_added(d: Decision, frame: Frame, node: int, items: Items) -> None:
    """The first look takes the items it was given; later ones those that siblings' marks bring."""
    execution = execution_of(frame, node)
    path, round = frame.path(node), frame.rounds[node]
    if "items" in execution.inputs and "given" not in items.sources:
        given = execution.inputs["items"]
        d.tell(frame, node, facts.Added(path, round, execution.attempt, as_items(given), "given"))
    for sibling, mark, name in frame.plan.adders.get(node, ()):
        source = f"{frame.plan.activity[sibling].name}:{mark}"
        giver = frame.execution[sibling]
        if source in items.sources or giver is None or giver.marks is None or mark not in giver.marks:
            continue
        d.tell(frame, node, facts.Added(path, round, execution.attempt, as_items(giver.marks[mark].get(name)), source))


def as_items(value: Value) -> tuple[Value, ...]:
    return tuple(value) if isinstance(value, list | tuple) else () if value is None else (value,)


def counts_of(items: Items) -> Values:
    return {
        "committed": items.committed,
        "aborted": items.aborted,
        "running": items.running,
        "total": len(items.values),
    }


def is_open(frame: Frame, node: int, each: Each, items: Items) -> bool:
    """May more items come?"""
    if items.is_closed:
        return False
    return each.open or any(is_undecided(frame, sibling, mark) for sibling, mark, _ in frame.plan.adders.get(node, ()))


def decide_end(d: Decision, frame: Frame, node: int, each: Each, body: Body, items: Items, counts: Names) -> bool:
    if body.is_drained and items.running:  # what runs may end
        return False
    if each.body.vital and body.first_error:
        begin_abort(d, frame, node, "aborted", body.first_error, body.first_message)
        return True
    all_ended = not items.running and items.next >= len(items.values)
    outcome = outcome_due(frame, node, counts, is_quiet=all_ended)
    if outcome is not None and outcome.kind == "abort":
        begin_abort(d, frame, node, outcome.name, "task." + outcome.name, values=results(each, items))
        return True
    if outcome is not None:
        fix(d, frame, node, outcome.name, results(each, items))
        return True
    has_enough = each.enough is not None and items.committed >= each.enough
    if has_enough or items.is_closed or (all_ended and not is_open(frame, node, each, items)):
        usual = usual_outcome(frame.plan, node)
        if usual.guard is None or holds(frame, node, usual.guard, counts, all_ended):
            fix(d, frame, node, usual.name, results(each, items))
        else:
            begin_abort(d, frame, node, "aborted", "engine.unfilled", "no outcome holds when all items have ended")
        return True
    if body.is_drained:
        begin_abort(d, frame, node, "aborted", "engine.cancelled")
        return True
    return False


def results(each: Each, items: Items) -> Values:
    """For each object of the body a list as long as the items, null where none; `outcome` likewise."""
    names: dict[str, None] = {}
    for outcome in each.body.outcomes:
        if outcome.kind == "commit":
            names.update(dict.fromkeys([*outcome.types, *outcome.bindings]))
    found: Values = {name: [None if one is None else one.get(name) for one in items.results] for name in names}
    found["outcome"] = list(items.outcomes)
    return found


def start_items(d: Decision, frame: Frame, node: int, each: Each, items: Items) -> None:
    body = body_of(frame, node)
    if d.state.paused_at >= 0 or body.is_drained:
        return
    limit = each.at_most or len(items.values)
    path = frame.path(node)
    one = each.body.input_sets[0]
    while items.next < len(items.values) and items.running < limit and d.items_left > 0:
        d.items_left -= 1
        item_path = f"{path}[{items.first + items.next}]"
        inputs: Values = {}
        if one.bindings:
            scope: Values = {each.item: items.values[items.next], "index": items.next}
            inputs = inputs_beside(frame, node, each.body, scope)
        start_frame(d, item_path, 0, 1, one.name, inputs)
    if wants_more(frame, node):
        d.stop_short(frame, node)


def tell_mark(d: Decision, frame: Frame, node: int, mark: str, values: Values) -> None:
    execution = execution_of(frame, node)
    d.tell(frame, node, facts.Marked(frame.path(node), frame.rounds[node], execution.attempt, mark, values))


def wants_more(frame: Frame, node: int) -> bool:
    """Could it start an item now? Then a decision stopped short, and `Continue` goes on."""
    each = frame.plan.activity[node]
    body = body_of(frame, node)
    items = body.items
    assert isinstance(each, Each)
    if items is None or body.is_drained or frame.status[node] != status.STARTED:
        return False
    return items.next < len(items.values) and items.running < (each.at_most or len(items.values))
