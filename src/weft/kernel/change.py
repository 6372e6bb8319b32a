"""Going on with another definition: accepted or refused from the state alone (SEMANTICS §7)."""

from weft.kernel import facts, status
from weft.kernel.commands import Change
from weft.kernel.decision import Decision
from weft.kernel.plan import Plan
from weft.kernel.refusals import NotChangeable, NotRunning
from weft.kernel.state import Execution, Frame, State
from weft.kernel.transfer import BEGAN, Transfer
from weft.kernel.tree import FLOW, NET
from weft.model.definition import Activity, Compound, Flow, Net
from weft.model.types import check, parse


def change(plan: Plan, d: Decision, command: Change) -> None:
    """Tells `Changed`, after which everything is looked at, or raises every reason at once."""
    root = d.state.root
    if root is None or root.status[0] in status.ENDS:
        raise NotRunning("the instance does not run: there is nothing to change")
    name, other = root.plan.activity[0].name, command.process.body.name
    if name != other:
        raise NotChangeable([f"{name}: the other definition is of {other}, and paths begin with the name"])
    new = root.plan.library.learn(command.definition, command.process)
    reasons, transfer = judge(d.state, root, new)
    if reasons:
        raise NotChangeable(reasons)
    withdrawn = tuple(path for one in transfer.all() for path in one.withdrawn)
    opened = tuple(path for one in transfer.all() for path in one.opened)
    d.tell(root, 0, facts.Changed(root.path(0), 0, 1, command.definition, withdrawn, opened))


def judge(state: State, root: Frame, new: Plan) -> tuple[list[str], Transfer]:
    """Every reason against the change; none means that it is accepted."""
    transfer = Transfer(state, root, new)
    reasons: list[str] = []
    for one in transfer.all():
        reasons += Judge(one).reasons()
    return reasons, transfer


class Judge:
    """The reasons of one frame."""

    def __init__(self, transfer: Transfer) -> None:
        self.transfer = transfer
        self.frame = transfer.frame
        self.shadow = transfer.shadow
        self.plan = transfer.plan
        self.found: list[str] = []

    def reasons(self) -> list[str]:
        for node in self.transfer.missing:
            self.say(node, "has begun, and is not there with the same kind in the same compound")
        for node, at in self.transfer.place.items():
            now = self.shadow.status[at]
            execution = self.shadow.execution[at]
            if execution is None:
                continue
            if now in BEGAN or now == status.READY:
                self.check_same(node, at, execution, now)
            if now in (status.STARTED, status.FIXED) and self.plan.kind[at] == FLOW:
                self.check_running_flow(node, at, execution, now)
            if self.plan.kind[at] == NET and execution.body is not None:
                self.check_net(node, at, execution)
        self.check_additions()
        return self.found

    def say(self, node: int, reason: str) -> None:
        self.found.append(f"{self.frame.path(node)}: {reason}")

    def check_same(self, node: int, at: int, execution: Execution, now: int) -> None:
        """What began has the interface, the marks and the chosen set that it began with, and that set holds."""
        old, new = self.frame.plan.activity[node], self.plan.activity[at]
        if interface(old) != interface(new):
            self.say(node, "has begun, and its parameters or outcomes differ")
            return
        if old.critical != new.critical:
            self.say(node, "has begun, and whether it is critical differs")
        if isinstance(old, Flow) and isinstance(new, Flow) and old.exclusive != new.exclusive:
            self.say(node, "has begun, and whether it is exclusive differs")
        above = self.plan.parent[at]
        if (
            at
            and self.shadow.status[above] in (status.STARTED, status.FIXED)
            and not self.began_rightly(at, execution, now)
        ):
            self.say(node, f"has begun by its input set {execution.set}, which does not hold")
        for mark in execution.marks or ():
            declared = new.outcome(mark)
            if declared is None or declared.kind != "mark":
                self.say(node, f"has given the mark {mark}, which is not declared")
        is_own_end = execution.then not in BY_RULE
        if (
            now == status.COMMITTED
            and self.plan.kind[at] == FLOW
            and is_own_end
            and not self.outcome_holds(at, execution.outcome)
        ):
            self.say(node, f"has committed as {execution.outcome}, which does not hold")
        self.check_values(node, new, execution)

    def began_rightly(self, at: int, execution: Execution, now: int) -> bool:
        if now == status.ABORTED and execution.is_stopped:
            return True
        return self.transfer.set_holds(at, execution.set)

    def outcome_holds(self, at: int, name: str) -> bool:
        for number, outcome in enumerate(self.plan.activity[at].outcomes):
            if outcome.name == name:
                return self.shadow.value[self.plan.outcomes[at][number]] == 1
        return False

    def check_values(self, node: int, new: Activity, execution: Execution) -> None:
        chosen = new.input_set(execution.set)
        outcome = new.outcome(execution.outcome)
        given = (
            {} if chosen is None else {name: (execution.inputs.get(name), text) for name, text in chosen.types.items()}
        )
        if outcome is not None and self.shadow.status[self.transfer.place[node]] in status.ENDS:
            given.update({name: (execution.values.get(name), text) for name, text in outcome.types.items()})
        if isinstance(new, Compound) and execution.body is not None:
            kept = execution.body.variables
            given.update({name: (kept[name], one.type) for name, one in new.variables.items() if name in kept})
        for name, (value, text) in given.items():
            if text != "any" and value is not None and check(value, parse(text), self.plan.library.classes):
                self.say(node, f"the value of {name} is no {text}")

    def check_running_flow(self, node: int, at: int, execution: Execution, now: int) -> None:
        """No end may hold already, and every mark given must hold."""
        for number, outcome in enumerate(self.plan.activity[at].outcomes):
            value = self.shadow.value[self.plan.outcomes[at][number]]
            if outcome.kind == "mark":
                if outcome.name in (execution.marks or {}) and value != 1 and not self.is_later_round(at):
                    self.say(node, f"has given the mark {outcome.name}, which does not hold")
            elif now == status.STARTED and value == 1:
                self.say(node, f"its outcome {outcome.name} would hold at once")
            elif now == status.FIXED and outcome.name == execution.outcome and value != 1:
                self.say(node, f"has fixed its outcome {outcome.name}, which does not hold")

    def is_later_round(self, at: int) -> bool:
        children = self.plan.children[at]
        return bool(children) and self.shadow.rounds[children[0]] > self.shadow.rounds[at]

    def check_net(self, node: int, at: int, execution: Execution) -> None:
        """Tokens keep their places and running firings their transitions."""
        net = self.plan.activity[at]
        body = execution.body
        assert isinstance(net, Net)
        assert body is not None
        assert body.marking is not None
        places = {place.name: place for place in net.places}
        names = {one.name for one in net.transitions}
        for name, tokens in body.marking.places.items():
            if tokens.values and name not in places:
                self.say(node, f"place {name} has tokens and is not there")
            for value in tokens.values.values():
                text = places[name].type if name in places else "any"
                if text != "any" and check(value, parse(text), self.plan.library.classes):
                    self.say(node, f"a token in place {name} is no {text}")
                    break
        old = self.frame.plan.net(node)
        for firing in body.firings.values():
            name = old.transitions[firing.transition].name
            if name not in names:
                self.say(node, f"transition {name} fires and is not there")

    def check_additions(self) -> None:
        """Nothing is added to what is aborting or has ended."""
        known = set(self.transfer.place.values())
        for at in range(1, len(self.plan)):
            above = self.plan.parent[at]
            if at not in known and self.shadow.status[above] in CLOSED and above in known:
                self.found.append(f"{self.shadow.path(at)}: is added to what is aborting or has ended")


BY_RULE = frozenset(("ask", "ignore", "alternate"))
"""What a rule or a person let commit did not do so by its own outcome."""

CLOSED = frozenset((status.ABORTING, status.COMMITTED, status.ABORTED))


def interface(activity: Activity) -> tuple[object, ...]:
    sets = tuple((one.name, tuple(sorted(one.types.items()))) for one in activity.input_sets)
    ends = tuple((one.name, one.kind, tuple(sorted(one.types.items()))) for one in activity.outcomes)
    return sets, ends
