"""Rules of dependency as guards: a term is an event of another task, `AND` and `OR` join them."""

from collections.abc import Collection, Iterable
from typing import Final

from weft.languages.pdl.tree import Block, Clause, Gate, Rule, Term
from weft.languages.text.faults import TextReport
from weft.languages.text.words import Word
from weft.model.definition import Guard, On, every, some

STATES: Final = {
    "READY": "ready",
    "RUNNING": "started",
    "SUCCEEDED": "committed",
    "SUCCEDED": "committed",
    "FAILED": "aborted",
}


class Rules:
    """The rules of one workflow."""

    def __init__(self, workflow: Block, tasks: Collection[str], report: TextReport) -> None:
        self.workflow = workflow
        self.tasks = tasks
        self.report = report
        self.awaited: set[tuple[str, str]] = set()
        """Which task is waited for to reach which state."""

    def guard(self, task: str, clause: Clause | None) -> Guard | None:
        """The guard of a task with this clause `DEPENDS`; none if it depends on nothing."""
        rule = clause.rule if clause is not None else None
        if clause is None or rule is None:
            return None
        deepest = self.report.limits.nesting
        if rule.depth > deepest:
            message = f"the rule of {task!r} is nested more than {deepest} deep"
            self.report.add("too-large", clause.keyword.span, message, "make it flatter")
            return None
        return self._guard(task, rule)

    def _guard(self, task: str, rule: Rule) -> Guard:
        if isinstance(rule, Term):
            return self._event(task, rule)
        guards = [self._guard(task, one) for one in rule.rules]
        word = rule.operator
        if word.text.lower() not in ("and", "or"):
            message = f"there is no operator {word.text!r}"
            self.report.unknown("unknown-name", word.span, message, word.text, ("AND", "OR"), "write AND or OR")
        return every(*guards) if word.text.lower() == "and" else some(*guards)

    def _event(self, name: str, term: Term) -> Guard:
        task, state = term.task, state_of(term.state)
        if task.text not in self.tasks:
            message = f"the rule of {name!r} speaks of {task.text!r}, and there is no such task"
            others = (one for one in self.tasks if one != name)
            self.report.unknown("unknown-activity", task.span, message, task.text, others, "name one of this workflow")
        if task.text == name:
            self.report.add("out-of-reach", task.span, f"{name!r} waits for itself", "leave it out of its own rule")
        if state == "NOT_READY":
            why = f"{task.text!r} is NOT_READY from the beginning, so this part of the rule is always true"
            self.report.add("left-out", term.state.span, why, "leave it out")
            return On(self.workflow.name.text, "started")
        if state not in STATES:
            self.report.unknown(
                "unknown-event", term.state.span, f"there is no state {term.state.text!r}", state,
                [one for one in STATES if one != "SUCCEDED"], "write READY, RUNNING, SUCCEEDED or FAILED",
            )  # fmt: skip
        event = STATES.get(state, "committed")
        self.awaited.add((task.text, event))
        return On(task.text, event)


def state_of(word: Word) -> str:
    return word.text.upper().replace("-", "_")


def terms(clause: Clause | None) -> Iterable[Term]:
    rest: list[Rule] = [clause.rule] if clause is not None and clause.rule is not None else []
    while rest:
        one = rest.pop()
        if isinstance(one, Gate):
            rest += one.rules
        else:
            yield one
