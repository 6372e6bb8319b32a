"""How a net picks its next child: by tokens. Which binding fires next is `weft.kernel.binding`'s to say."""

from weft.kernel import facts, status
from weft.kernel.agenda import attend, body_of, execution_of
from weft.kernel.binding import Binding, Choice
from weft.kernel.commands import About
from weft.kernel.data import inputs_beside, value_beside
from weft.kernel.decision import Decision
from weft.kernel.effect_types import AnyEffect, Dispatch
from weft.kernel.facts import Value, Values
from weft.kernel.net_plan import NotAList, Put
from weft.kernel.refusals import Late, NotAvailable
from weft.kernel.starting import may_hold, start
from weft.kernel.state import Frame, State
from weft.kernel.stopping import begin_abort, fix, stop
from weft.kernel.whole import Names, marks_due, outcome_due, usual_outcome
from weft.model.definition import Activity, Net, Outcome, Signal, Task, Timer


def look(d: Decision, frame: Frame, node: int) -> None:
    """Arrivals, marks and ends, then firings and offers, until nothing is left or enough is done.

    May raise `ExpressionError`: a guard that fails aborts the net.
    """
    body = body_of(frame, node)
    if body.is_drained and body.busy:  # what runs may end, then all arrives
        return
    try:
        for number in list(body.ended):
            arrive(d, frame, node, number)
            if frame.status[node] != status.STARTED or decide_end(d, frame, node, is_quiet=False):
                return
        withdraw_lost(d, frame, node)
        if decide_end(d, frame, node, is_quiet=False):
            return
        if d.state.paused_at >= 0:
            return
        if not body.is_drained:
            fire_all(d, frame, node)
            if frame.status[node] != status.STARTED:
                return
            offer_all(d, frame, node)
    except NotAList as problem:
        begin_abort(d, frame, node, "aborted", "engine.expression", str(problem))
        return
    end_when_quiet(d, frame, node)


def choice_of(state: State, frame: Frame, node: int) -> Choice:
    body = body_of(frame, node)
    if body.choice is None:
        assert body.marking is not None
        inputs = execution_of(frame, node).inputs
        body.choice = Choice(frame.plan.net(node), body.marking, inputs, state.seed, frame.path(node))
    return body.choice


# Arrivals.


def arrive(d: Decision, frame: Frame, node: int, number: int) -> None:
    """A firing has ended: its tokens come by the arcs that bear its end; a failure that none bears ends the net."""
    body = body_of(frame, node)
    inside = body.frames[number]
    firing = body.firings[number]
    plan = frame.plan.net(node).transitions[firing.transition]
    ended = execution_of(inside, 0)
    put: Put | None = ()
    reset: tuple[str, ...] = ()
    if inside.status[0] == status.COMMITTED:
        variables = plan.assigned({**firing.variables, **ended.values}, execution_of(frame, node).inputs)
        put, reset = plan.put(variables, ended.outcome) or (), plan.resets
    elif not ended.is_stopped and inside.status[0] == status.ABORTED:
        put = plan.put({**firing.variables, **ended.values}, ended.outcome, ended.error, failed=True)
    if put is None:
        begin_abort(d, frame, node, "aborted", ended.error, ended.message)
        return
    d.tell(inside, 0, facts.Arrived(inside.path(0), inside.rounds[0], ended.attempt, put, reset))
    if inside.status[0] == status.COMMITTED:
        cancel_firings(d, frame, node, plan.cancels)


def cancel_firings(d: Decision, frame: Frame, node: int, transitions: tuple[str, ...]) -> None:
    body = body_of(frame, node)
    numbers = frame.plan.net(node).transition_number
    for name in transitions:
        for number, firing in list(body.firings.items()):
            if firing.transition == numbers[name] and not firing.is_offer:
                stop(d, body.frames[number], 0)


def withdraw_lost(d: Decision, frame: Frame, node: int) -> None:
    """Offers and failed firings of which a token has left."""
    marking = body_of(frame, node).marking
    assert marking is not None
    for number, transition in sorted(marking.lost):
        d.tell_net(frame, node, facts.Withdrawn(f"{frame.path(node)}/{transition}[{number}]"))


# Firings and offers.


def fire_all(d: Decision, frame: Frame, node: int) -> None:
    choice = choice_of(d.state, frame, node)
    marking = body_of(frame, node).marking
    assert marking is not None
    asks = has_guards(frame, node)
    while True:
        binding = choice.next(blocked(d.state, frame, node))
        if binding is None:
            return
        if d.firings_left <= 0:
            d.stop_short(frame, node)
            return
        d.firings_left -= 1
        fire(d, frame, node, binding)
        if marking.lost:
            withdraw_lost(d, frame, node)
        if asks and decide_end(d, frame, node, is_quiet=False):
            return


def blocked(state: State, frame: Frame, node: int) -> set[int]:
    """Transitions whose operation holds a name that is taken."""
    holding = frame.plan.net_holds(node)
    if not holding:
        return NONE
    return {number for number, names in holding if not may_hold(state, frame, node, names)}


NONE: set[int] = set()


def fire(d: Decision, frame: Frame, node: int, binding: Binding) -> None:
    plan = frame.plan.net(node).transitions[binding.transition]
    net = frame.plan.activity[node]
    assert isinstance(net, Net)
    operation = net.transitions[binding.transition].operation
    path = frame.path(node)
    if operation is None:
        variables = plan.assigned(binding.variables, execution_of(frame, node).inputs)
        put = plan.put(variables) or ()
        attempt = execution_of(frame, node).attempt
        d.tell(frame, node, facts.Moved(path, frame.rounds[node], attempt, plan.name, binding.took, put, plan.resets))
        cancel_firings(d, frame, node, plan.cancels)
        return
    body = body_of(frame, node)
    number = binding.number
    if number >= 0:
        inside = body.frames[number]
        before = execution_of(inside, 0)
        again = facts.Fired(
            inside.path(0),
            inside.rounds[0],
            before.attempt + 1,
            before.set,
            before.inputs,
            binding.took,
            binding.variables,
        )
        d.tell(inside, 0, again)
        start(d, inside, 0)
        return
    number = d.state.numbers.get(path, 1)
    inputs = inputs_beside(frame, node, operation, binding.variables)
    begin_firing(d, f"{path}/{plan.name}[{number}]", operation.input_sets[0].name, inputs, binding)


def begin_firing(d: Decision, path: str, set: str, inputs: Values, binding: Binding) -> Frame:
    inside = d.open(facts.Fired(path, 0, 1, set, inputs, binding.took, binding.variables))
    start(d, inside, 0)
    return inside


def offer_all(d: Decision, frame: Frame, node: int) -> None:
    """Bindings of a person's task or a trigger are offered; they take their tokens when someone begins."""
    net = frame.plan.activity[node]
    assert isinstance(net, Net)
    path = frame.path(node)
    for binding in choice_of(d.state, frame, node).offers():
        transition = net.transitions[binding.transition]
        assert transition.operation is not None
        number = d.state.numbers.get(path, 1)
        inputs = inputs_beside(frame, node, transition.operation, binding.variables)
        offer = facts.Offered(f"{path}/{transition.name}[{number}]", 0, 1, binding.took, inputs, binding.variables)
        d.tell_net(frame, node, offer)


def begin_offer(d: Decision, command: About) -> bool:
    """Someone begins what a net offered: its tokens leave, and it is ready. False if the path is no offer's."""
    offer = d.state.offers.get(command.path)
    if offer is None:
        return False
    frame, node, number = offer
    if command.round or (command.attempt or 1) != 1:
        raise Late(f"{command.path} is offered in its first attempt")
    firing = body_of(frame, node).firings[number]
    operation = offered(frame, node, number)
    binding = choice_of(d.state, frame, node).bind(firing.transition, firing.took)
    if binding is None or not may_hold(d.state, frame, node, operation.holds):
        raise NotAvailable(f"{command.path} can't begin now: a name that it holds is taken, or as many run as may")
    begin_firing(d, command.path, operation.input_sets[0].name, firing.inputs, binding)
    attend(d.state, frame, node)  # tokens have left: what they inhibited may fire
    return True


def offered(frame: Frame, node: int, number: int) -> Activity:
    """The operation of an offer."""
    net = frame.plan.activity[node]
    assert isinstance(net, Net)
    operation = net.transitions[body_of(frame, node).firings[number].transition].operation
    assert operation is not None
    return operation


def is_occurrence(frame: Frame, node: int, number: int) -> bool:
    """Is what is offered a timer or a signal?"""
    operation = offered(frame, node, number)
    return isinstance(operation, Task) and isinstance(operation.handler, Signal | Timer)


# Ends.


def has_guards(frame: Frame, node: int) -> bool:
    return any(one.guard is not None for one in frame.plan.activity[node].outcomes)


def counts(frame: Frame, node: int) -> Names:
    """A place's name counts its tokens."""
    marking = body_of(frame, node).marking
    assert marking is not None
    places = marking.places

    def count(name: str) -> Value:
        return len(places[name].values) if name in places else None

    return count


def decide_end(d: Decision, frame: Frame, node: int, is_quiet: bool) -> bool:
    """Gives the marks that hold; True when an outcome holds and the net ends by it."""
    if not has_guards(frame, node):
        return False
    names = counts(frame, node)
    execution = execution_of(frame, node)
    for mark in marks_due(frame, node, names, is_quiet):
        values = values_of(frame, node, mark)
        d.tell(frame, node, facts.Marked(frame.path(node), frame.rounds[node], execution.attempt, mark.name, values))
    outcome = outcome_due(frame, node, names, is_quiet)
    if outcome is None:
        return False
    values = values_of(frame, node, outcome)
    if outcome.kind == "abort":
        begin_abort(d, frame, node, outcome.name, "task." + outcome.name, values=values)
    else:
        fix(d, frame, node, outcome.name, values)
    return True


def end_when_quiet(d: Decision, frame: Frame, node: int) -> None:
    body = body_of(frame, node)
    if body.busy or any(firing.is_offer for firing in body.firings.values()):
        return
    if not body.is_drained and not choice_of(d.state, frame, node).is_quiet():
        return
    if decide_end(d, frame, node, is_quiet=True):
        return
    usual = usual_outcome(frame.plan, node)
    if usual.guard is None and all_filled(frame, node):
        fix(d, frame, node, usual.name, values_of(frame, node, usual))
    elif body.is_drained:
        begin_abort(d, frame, node, "aborted", "engine.cancelled")
    else:
        begin_abort(d, frame, node, "aborted", "engine.unfilled", unfilled(frame, node))


def all_filled(frame: Frame, node: int) -> bool:
    net = frame.plan.activity[node]
    names = counts(frame, node)
    assert isinstance(net, Net)
    return all(names(place.name) for place in net.places if place.output)


def unfilled(frame: Frame, node: int) -> str:
    net = frame.plan.activity[node]
    names = counts(frame, node)
    assert isinstance(net, Net)
    empty = [place.name for place in net.places if place.output and not names(place.name)]
    return "nothing can fire any more and " + (f"{', '.join(empty)} has no token" if empty else "no outcome holds")


def values_of(frame: Frame, node: int, outcome: Outcome) -> Values:
    """An output place fills the object of its name: with its one token, or with all where a list is declared."""
    net = frame.plan.activity[node]
    marking = body_of(frame, node).marking
    assert isinstance(net, Net)
    assert marking is not None
    found: Values = {}
    for place in net.places:
        if place.output:
            values = marking.values(place.name)
            is_list = outcome.types.get(place.name, "").startswith("list[") and not place.type.startswith("list[")
            found[place.name] = values if is_list else values[0] if values else None
    for name, sources in outcome.bindings.items():
        found[name] = value_beside(frame, node, sources[0], {}) if sources else None
    return found


# What it still asks.


def wants_more(state: State, frame: Frame, node: int) -> bool:
    """Could something fire now? Then a decision stopped short, and `Continue` goes on."""
    if body_of(frame, node).is_drained:
        return False
    return choice_of(state, frame, node).next(blocked(state, frame, node)) is not None


def standing(state: State, frame: Frame, node: int, found: list[AnyEffect], transition: str = "") -> None:
    """Every offer that may begin is to be shown to people, or waited for; or those of one transition."""
    transitions = frame.plan.net(node).transitions
    for number, firing in body_of(frame, node).firings.items():
        name = transitions[firing.transition].name
        if firing.is_offer and transition in ("", name) and may_begin(state, frame, node, number):
            found.append(Dispatch(f"{frame.path(node)}/{name}[{number}]", 0, 1, firing.inputs))


def may_begin(state: State, frame: Frame, node: int, number: int) -> bool:
    """Are the names that an offer's operation holds free, and do fewer run than may? Else it is shown again later."""
    body = body_of(frame, node)
    one = frame.plan.net(node).transitions[body.firings[number].transition]
    assert body.marking is not None
    running = body.marking.firings[one.name].running
    return len(running) < one.at_most and may_hold(state, frame, node, offered(frame, node, number).holds)
