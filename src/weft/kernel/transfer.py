"""A running frame put into a new plan: what stands where, and what the events of this round make of the new guards.

A transfer is worked out beside the frame, so that a change can be refused with nothing changed, and is installed when
the fact `Changed` is told. It follows from the state and the two plans alone.
"""

from weft.kernel import events, status
from weft.kernel.agenda import tell, tell_aborted, tell_around
from weft.kernel.evolve_begin import tell_inside
from weft.kernel.liveness import is_needed, live_of
from weft.kernel.plan import Plan
from weft.kernel.state import ALTERNATE, FIRING, Execution, Frame, State
from weft.kernel.tree import EACH, NET, TASK
from weft.model.definition import Flow

BEGAN = frozenset(range(status.STARTED, status.SKIPPED))


class Transfer:
    """A frame, its new plan, and a shadow that holds its state as it will be."""

    def __init__(self, state: State, frame: Frame, plan: Plan) -> None:
        self.state = state
        self.frame = frame
        self.plan = plan
        self.shadow = Frame(plan, frame.role, frame.prefix, frame.root_path)
        self.place: dict[int, int] = {}
        self.withdrawn: list[str] = []
        self.opened: list[str] = []
        self.missing: list[int] = []
        self.inside: list[Transfer] = []
        self.scratch = State()
        self.scratch.holders = state.holders
        self.settle_places()
        self.came_from = {at: node for node, at in self.place.items()}
        self.carry_over()
        self.retell()
        self.descend()

    # Where everything stands.

    def settle_places(self) -> None:
        """An activity is the same if its path, kind and compound are."""
        old, new = self.frame.plan, self.plan
        for node, path in enumerate(old.paths):
            at = 0 if node == 0 else new.index.get(path, -1)
            if at >= 0 and new.kind[at] == old.kind[node] and self.same_home(node, at):
                self.place[node] = at
            elif self.has_begun(node):
                self.missing.append(node)

    def same_home(self, node: int, at: int) -> bool:
        above = self.frame.plan.parent[node]
        return (above < 0 and at == 0) or (above >= 0 and self.place.get(above, -2) == self.plan.parent[at])

    def has_begun(self, node: int) -> bool:
        now = self.frame.status[node]
        execution = self.frame.execution[node]
        return now in BEGAN or (now == status.READY and execution is not None and execution.attempt > 1)

    def carry_over(self) -> None:
        frame, shadow = self.frame, self.shadow
        for node, at in self.place.items():
            shadow.status[at] = frame.status[node]
            shadow.rounds[at] = frame.rounds[node]
            shadow.execution[at] = frame.execution[node]
            if node in frame.told_to_skip:
                shadow.told_to_skip.add(at)
        known = set(self.place.values())
        for at in range(1, len(self.plan)):
            if at not in known:
                shadow.rounds[at] = self.round_for(at)

    def round_for(self, at: int) -> int:
        """A new activity joins the round that its compound is in."""
        above = self.plan.parent[at]
        here = self.came_from.get(above, -1)
        children = [] if here < 0 else self.frame.plan.children[here]
        return self.frame.rounds[children[0]] if children else self.shadow.rounds[above]

    # What has happened, told to the new guards.

    def retell(self) -> None:
        """Starts and ends first, then what was ready and skipped, as far as that is still right."""
        shadow, plan = self.shadow, self.plan
        skipped: list[int] = []
        for at in range(len(plan)):
            now, execution = shadow.status[at], shadow.execution[at]
            if now == status.SKIPPED:
                skipped.append(at)
            elif execution is not None and now != status.READY:
                self.tell_events(at, now, execution)
        self.answer_again()
        ready = [at for at in range(1, len(plan)) if shadow.status[at] == status.READY]
        self.keep_skips(skipped, ready)
        for at in ready:
            if not self.stays_ready(at):
                shadow.status[at] = status.WAITING
                shadow.execution[at] = None
                self.withdrawn.append(shadow.path(at))

    def tell_events(self, at: int, now: int, execution: Execution) -> None:
        shadow, scratch = self.shadow, self.scratch
        tell_around(scratch, shadow, at, events.ON_READY, "")
        tell_around(scratch, shadow, at, events.ON_STARTED, execution.set)
        if execution.body is not None:
            tell_inside(scratch, shadow, at, execution)
        for mark in execution.marks or ():
            for event, name, formula in self.plan.mentions[at] or ():
                if event == events.MARK and name == mark:
                    tell(scratch, shadow, [(events.STARTED, "", formula)], events.ON_STARTED, "")
        if now == status.COMMITTED:
            tell_around(scratch, shadow, at, events.ON_COMMITTED, execution.outcome)
        elif now == status.ABORTED:
            tell_aborted(scratch, shadow, at, execution.outcome, execution.error)

    def answer_again(self) -> None:
        """A question is the same if its activity and its key are."""
        old = self.frame.plan
        for question in old.questions:
            said = self.frame.value[question.atom]
            at = self.place.get(question.node, -1)
            number = self.plan.question_of.get((at, question.key), -1)
            if said and number >= 0:
                atom = self.plan.questions[number].atom
                event = events.STARTED if said == 1 else events.NEVER
                tell(self.scratch, self.shadow, [(event, "", atom)], events.ON_STARTED, "")

    def keep_skips(self, left: list[int], ready: list[int]) -> None:
        """A skip that is still right is told, and so is what stays ready; either may make others right, and so on."""
        is_changing = True
        while is_changing:
            is_changing = False
            for at in list(ready):
                if self.stays_ready(at):
                    ready.remove(at)
                    is_changing = True
            for at in list(left):
                if self.is_right(at):
                    left.remove(at)
                    self.tell_skip(at)
                    is_changing = True
            if not is_changing:
                dead = self.dead_in_circles(left)
                for at in dead:
                    left.remove(at)
                    self.tell_skip(at)
                is_changing = bool(dead)
        for at in left:
            self.open(at)

    def tell_skip(self, at: int) -> None:
        if self.shadow.execution[at] is not None:
            tell_around(self.scratch, self.shadow, at, events.ON_READY, "")
        tell_around(self.scratch, self.shadow, at, events.ON_SKIPPED, "")

    def is_right(self, at: int) -> bool:
        """Would it be skipped in the new definition too?"""
        shadow, plan = self.shadow, self.plan
        above = plan.parent[at]
        if shadow.status[above] != status.STARTED or at in shadow.told_to_skip:
            return True
        for table in (plan.cancel, plan.until):
            if at in table and shadow.value[table[at]] == 1:
                return True
        flow = plan.activity[above]
        if isinstance(flow, Flow) and flow.one_start and self.one_began(above):
            return True
        if at in plan.occurrences.get(above, ()) and shadow.execution[at] is not None and not is_needed(shadow, at):
            return True
        body = shadow.execution[above]
        if body is not None and body.body is not None and body.body.is_drained:
            return True
        return all(shadow.value[formula] == 2 for formula in plan.sets[at])

    def one_began(self, flow: int) -> bool:
        return any(
            self.plan.kind[child] == TASK and (self.shadow.status[child] in BEGAN or self.is_tried_again(child))
            for child in self.plan.children[flow]
        )

    def is_tried_again(self, at: int) -> bool:
        execution = self.shadow.execution[at]
        return self.shadow.status[at] == status.READY and execution is not None and execution.attempt > 1

    def dead_in_circles(self, left: list[int]) -> list[int]:
        found: list[int] = []
        for flow in self.plan.cycles:
            if self.shadow.status[flow] != status.STARTED:
                continue
            members = [at for at in self.plan.cycles[flow] if at in left]
            for at in members:
                self.shadow.status[at] = status.WAITING
            live = live_of(self.shadow, flow, self.state.holders)
            for at in members:
                self.shadow.status[at] = status.SKIPPED
            found += [at for at in members if at not in live]
        return found

    def open(self, at: int) -> None:
        self.shadow.status[at] = status.WAITING
        self.shadow.execution[at] = None
        self.opened.append(self.shadow.path(at))

    def stays_ready(self, at: int) -> bool:
        """What is ready stays so if it is as it was; else it is withdrawn, and perhaps offered anew."""
        shadow, plan = self.shadow, self.plan
        execution = shadow.execution[at]
        assert execution is not None
        node = self.came_from[at]
        if execution.attempt > 1:
            tell_around(self.scratch, shadow, at, events.ON_READY, "")
            tell_around(self.scratch, shadow, at, events.ON_STARTED, execution.set)
            return True
        if self.frame.plan.activity[node] == plan.activity[at] and self.set_holds(at, execution.set):
            tell_around(self.scratch, shadow, at, events.ON_READY, "")
            return True
        return False

    def set_holds(self, at: int, name: str) -> bool:
        for number, one in enumerate(self.plan.activity[at].input_sets):
            if one.name == name:
                return self.shadow.value[self.plan.sets[at][number]] == 1
        return False

    # What runs inside.

    def descend(self) -> None:
        for node, at in self.place.items():
            execution = self.frame.execution[node]
            if execution is None or self.shadow.execution[at] is None:
                continue
            if execution.body is not None and self.plan.kind[at] in (EACH, NET):
                for child in execution.body.frames.values():
                    self.enter(child, node, at)
        for child in self.state.frames.values():
            if child.role == ALTERNATE and child.parent is self.frame and child.parent_node in self.place:
                self.enter(child, child.parent_node, self.place[child.parent_node])

    def enter(self, child: Frame, node: int, at: int) -> None:
        role = "body"
        if child.role == FIRING:
            role = "operation " + child.root_path[child.root_path.rindex("/") + 1 : child.root_path.rindex("[")]
        elif child.role == ALTERNATE:
            execution = self.frame.execution[node]
            role = f"alternate {execution.rule if execution is not None else 0}"
        if not self.plan.has_side(at, role):
            self.missing.append(node)
            return
        self.inside.append(Transfer(self.state, child, self.plan.side(at, role)))

    def all(self) -> "list[Transfer]":
        found = [self]
        for inside in self.inside:
            found += inside.all()
        return found
