"""Writes a process as a text in MFDL, and says what of it MFDL can't say."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from msgspec.structs import replace

from weft.languages.mfdl.definition_writing import NAME, Definitions, done_of
from weft.languages.mfdl.layout import LAYOUT
from weft.languages.text.error_writing import error_lines, retry_text
from weft.languages.text.formatting import formatted
from weft.languages.text.source import TEXT_LIMITS
from weft.languages.text.writing import Lines, Losses, Names, quoted
from weft.model import blocks
from weft.model.definition import (
    Activity,
    Assign,
    AtLeast,
    Constant,
    Expression,
    Flow,
    Guard,
    Input,
    Output,
    Process,
    Rule,
    Source,
    Task,
    Value,
    Variable,
    When,
    is_unnamed,
)
from weft.model.faults import Invalid

KINDS: Final[dict[str, tuple[str, Callable[..., Flow]]]] = {
    "serial": ("SERIAL", blocks.serial),
    "all": ("AND_PARALLEL", blocks.all_of),
    "any": ("OR_PARALLEL", blocks.any_of),
    "race": ("XOR_PARALLEL", blocks.race),
    "contingency": ("CONTINGENCY", blocks.contingency),
}
SAID: Final = frozenset(
    ("vital", "critical", "idempotent", "compensation", "undo", "on_error", "errors", "writes", "variables",
     "transaction", "resource", "checkpoint", "exclusive")
)  # fmt: skip


def write(process: Process) -> tuple[str, list[str]]:
    """The text, and what it leaves out. A process that is not made of blocks has no text."""
    body = process.body
    if not isinstance(body, Flow) or (body.block not in KINDS and body.block not in ("choice", "loop")):
        kind = "graph" if isinstance(body, Flow) else type(body).__name__.lower()
        return "", [f"{process.name} is a {kind}, and MFDL has blocks only"]
    return _Writer(process, body).text()


class _Writer:
    def __init__(self, process: Process, body: Flow) -> None:
        self.process = process
        self.body = body
        self.losses = Losses()
        self.names = Names(allowed=NAME)
        self.definitions = Definitions(self.losses)
        self.declarations: dict[str, list[str]] = {}
        self.variables: dict[str, str] = {}
        """Variable → its declaration."""
        self.lines = Lines()

    def text(self) -> tuple[str, list[str]]:
        process, body = self.process, self.body
        for what, is_there in (("its version", process.version), ("what can be searched for", process.searchable)):
            if is_there:
                self.losses.add(what, process.name)
        for name in process.classes:
            self.losses.add(f"the class {name}", process.name)
        for name in process.applications:
            self.losses.add(f"the application {name}", process.name)
        parameters = self._parameters()
        self._declare(body, parameters)
        is_plain = body.block == "serial" and self._rebuilt(body)
        self.losses.unsaid(body, ("variables", "exclusive"))
        for child in body.children if is_plain else ():
            self._statement(child)
        if not is_plain:
            self._statement(body)
        whole = Lines()
        for line in self.definitions.lines():
            whole.add(line)
        whole.add()
        listed = ", ".join(f"{direction} {one}" for direction, one in parameters.values())
        with whole.block(f"DEFINE_PROCESS {self.names.of(process.name)} ({listed})"):
            for definition, names in self.declarations.items():
                whole.add(f"ACTIVITY {definition} {', '.join(names)};")
            for declared in self.variables.values():
                whole.add(f"VAR {declared};")
            whole.add()
            for line in self.lines.whole().splitlines():
                whole.add(line)
        return _laid_out(whole.whole()), self.losses.listed()

    # The process.

    def _parameters(self) -> dict[str, tuple[str, str]]:
        body = self.body
        if len(body.input_sets) > 1:
            self.losses.add("its other ways to start", body.name)
        found: dict[str, tuple[str, str]] = {}
        starts = body.input_sets[0]
        for name, of_type in starts.types.items():
            found[name] = "IN", self.definitions.declared(name, of_type, body.name)
            if starts.bindings.get(name):
                self.losses.add(f"what {name} is if nobody gives it", body.name)
        done = done_of(body)
        for name, of_type in done.types.items():
            if done.bindings.get(name) != (Variable(name),):
                self.losses.add(f"where its {name} comes from", body.name)
            if name in found:
                self.losses.add(f"that it gives {name} back", body.name)
                continue
            found[name] = "OUT", self.definitions.declared(name, of_type, body.name)
        for one in body.outcomes:
            if one.name not in (done.name, "aborted", "again"):
                self.losses.add(f"its outcome {one.name}", body.name)
        return found

    def _declare(self, flow: Flow, parameters: dict[str, tuple[str, str]]) -> None:
        for name, declared in flow.variables.items():
            if name in parameters and parameters[name][0] == "OUT" and declared.default is None:
                continue
            text = self.definitions.declared(name, declared.type, flow.name)
            value = "" if declared.default is None else f" = {self._literal(declared.default)}"
            self.variables[name] = f"{text}{value}"

    # Statements.

    def _statement(self, activity: Activity) -> None:
        if isinstance(activity, Flow):
            self._flow(activity)
        elif isinstance(activity, Task) and isinstance(activity.handler, Assign):
            self._assignments(activity, activity.handler)
        else:
            self.lines.add(f"{self._call(activity)}{self._said(activity)};")

    def _flow(self, flow: Flow) -> None:
        if flow.variables and flow is not self.body:
            self.losses.add("that its variables are its own", flow.name)
            self._declare(flow, {})
        label = "" if is_unnamed(flow.name) or flow is self.body else f"{self._own(flow.name)}: "
        if flow.block in KINDS and self._rebuilt(flow):
            with self.lines.block(f"{label}{KINDS[flow.block][0]}", self._tail(flow)):
                for child in flow.children:
                    self._statement(child)
        elif flow.block == "choice" and self._rebuilt(flow):
            self._choice(flow, label)
        elif flow.block == "loop" and self._rebuilt(flow):
            with self.lines.block(f"{label}WHILE ({flow.condition})"):
                for child in flow.children:
                    self._statement(child)
        else:
            self.losses.add(f"{flow.name}, whose order is not that of a block", self.process.name)

    def _choice(self, flow: Flow, label: str) -> None:
        word = f"{label}IF"
        for child in flow.children:
            condition = _condition(child.input_sets[0].guard)
            self.lines.add("ELSE" if condition is None else f"{word} ({condition})")
            with self.lines.indented():
                self._branch(child, is_last=child is flow.children[-1], is_default=condition is None)
            word = "ELSE IF"

    def _branch(self, child: Activity, *, is_last: bool, is_default: bool) -> None:
        """An ELSE belongs to the IF before it, and ELSE IF to the one around: some IFs need braces."""
        if not isinstance(child, Flow) or child.block != "choice" or not is_unnamed(child.name):
            self._statement(child)
            return
        takes_else = not is_last and _condition(child.children[-1].input_sets[0].guard) is not None
        if takes_else or is_default:
            self.losses.add(f"that {child.name} stands alone", self.process.name)
            with self.lines.block("SERIAL"):
                self._statement(child)
        else:
            self._statement(child)

    def _tail(self, flow: Flow) -> str:
        said = self._said(flow)
        return f"}}{said};" if said else "}"

    def _assignments(self, task: Task, handler: Assign) -> None:
        for name, expression in handler.objects.items():
            variable = next((one for one, written in task.writes.items() if written == name), "")
            if not variable:
                self.losses.add(f"the value of {name}, which is written nowhere", task.name)
                continue
            label = "" if re.fullmatch(rf"set-{variable}(-\d+)?", task.name) else f"{self._own(task.name)}: "
            self.lines.add(f"{label}{variable} = {expression};")
        self.losses.unsaid(task, ("writes",))

    # Activities.

    def _call(self, activity: Activity, owner: Activity | None = None) -> str:
        self.losses.unsaid(activity, SAID)
        if len(activity.input_sets) > 1:
            self.losses.add("its other ways to start", activity.name)
        done = done_of(activity)
        for end in activity.outcomes:
            if end.name not in (done.name, "aborted"):
                self.losses.add(f"its outcome {end.name}", activity.name)
        definition, parameters = self.definitions.of(activity)
        name = self._own(activity.name)
        self.declarations.setdefault(definition, []).append(name)
        written = {out: variable for variable, out in (owner or activity).writes.items()}
        types = {**done.types, **(activity.input_sets[0].types if activity.input_sets else {})}
        given = [
            self._argument(activity, one) if direction == "IN"
            else written.get(one) or self._variable(activity, one, types[one])
            for direction, one in parameters
        ]  # fmt: skip
        for direction, parameter in parameters:
            if direction == "INOUT" and self._argument(activity, parameter) != written.get(parameter):
                self.losses.add(f"that {parameter} comes from elsewhere than it goes", activity.name)
        return f"{name}({', '.join(given)})"

    def _own(self, name: str) -> str:
        made = self.names.of(name)
        if made != name:
            self.losses.add(f"its name, which is {made} now", name)
        return made

    def _variable(self, activity: Activity, name: str, of_type: str) -> str:
        """A variable for an object that the model keeps in none."""
        made = self.names.of(f"{activity.name}_{name}")
        self.variables.setdefault(made, self.definitions.declared(made, of_type, activity.name))
        return made

    def _argument(self, activity: Activity, name: str) -> str:
        sources: Sequence[Source] = activity.input_sets[0].bindings.get(name, ())
        if len(sources) > 1:
            self.losses.add(f"the other sources of {name}", activity.name)
        match sources[0] if sources else None:
            case Variable(variable):
                return variable
            case Expression(text):
                return text
            case Constant(value):
                return self._literal(value)
            case Input(around, _, one) if around == self.body.name:
                return one
            case Output(giver, _, one):
                return self._given(giver, one)
        self.losses.add(f"where its {name} comes from", activity.name)
        return "NULL"

    def _given(self, giver: str, name: str) -> str:
        """The variable in which an object of an activity is."""
        for activity in _all(self.body):
            if activity.name == giver:
                known = next((one for one, written in activity.writes.items() if written == name), "")
                return known or self._variable(activity, name, done_of(activity).types.get(name, "any"))
        return "NULL"

    def _literal(self, value: Value) -> str:
        match value:
            case None:
                return "NULL"
            case True | False:
                return str(value).upper()
            case str():
                return quoted(value)
            case list():
                return f"[{', '.join(map(self._literal, value))}]"
            case int() | float():
                return repr(value)
            case _:
                self.losses.add("a constant that is a record", self.process.name)
                return "NULL"

    # What is said of an activity.

    def _said(self, activity: Activity) -> str:
        said = [""]
        if activity.critical:
            said.append("CRITICAL" if activity.vital else "CRITICAL_NON_VITAL")
        elif not activity.vital:
            said.append("NON_VITAL")
        if activity.idempotent:
            said.append("IDEMPOTENT")
        if activity.compensation is not None:
            said.append(f"COMPENSATED_BY {self._side(activity.compensation)}")
        if activity.undo is not None:
            said.append(f"UNDONE_BY {self._side(activity.undo, may_ask=True)}")
        rules = list(activity.on_error)
        last: list[Rule] = []
        while rules and rules[-1].action == "retry" and not rules[-1].error:
            last.insert(0, rules.pop())
        said += [retry_text(activity, one, self.losses) for one in last]
        errors = error_lines(activity, rules, self.losses, lambda one: self._beside(one, activity))
        if errors:
            said.append(f"ERRORS {{ {' '.join(errors)} }}")
        return " ".join(said)

    def _beside(self, activity: Activity, owner: Activity) -> str | None:
        """What takes the place of another writes where that does."""
        return None if isinstance(activity, Flow) else self._call(activity, owner)

    def _side(self, activity: Activity, *, may_ask: bool = False) -> str:
        if not isinstance(activity, Flow):
            self.losses_of_side(activity)
            return self._call(activity)
        only = activity.children[0] if len(activity.children) == 1 else None
        if may_ask and activity.block == "choice" and only is not None and not isinstance(only, Flow):
            return f"{self._call(only)} WHEN ({_condition(only.input_sets[0].guard)})"
        lines, self.lines = self.lines, Lines()
        is_serial = activity.block == "serial" and self._rebuilt(activity)
        for child in activity.children if is_serial else (activity,):
            self._statement(child)
        lines, self.lines = self.lines, lines
        return f"{{ {lines.in_one()} }}"

    def losses_of_side(self, activity: Activity) -> None:
        """What stands beside another may be tried again and have errors only by its definition."""
        for said, what in ((activity.on_error, "its rules for errors"), (activity.compensation, "its compensation")):
            if said:
                self.losses.add(what, activity.name)

    # Blocks.

    def _rebuilt(self, flow: Flow) -> bool:
        """Whether the guards are those that the block gives; if some child has more, that is lost."""
        children = [_unguarded(child) for child in flow.children]
        if not children:
            return False
        made = self._made(flow, children)
        if made is None:
            return False
        for there, here in zip(flow.children, made.children, strict=True):
            if there.input_sets != here.input_sets:
                self.losses.add("what else its start waits for", there.name)
        for mine, wanted in zip(flow.outcomes, made.outcomes, strict=False):
            if (mine.kind, mine.guard) != (wanted.kind, wanted.guard):
                self.losses.add(f"when its outcome {mine.name} is reached", flow.name)
        return True

    def _made(self, flow: Flow, children: list[Activity]) -> Flow | None:
        if flow.block in KINDS:
            return KINDS[flow.block][1](*_kept_apart(children), name=flow.name)
        if flow.block == "loop":
            return blocks.loop(flow.condition, *children, name=flow.name)
        conditions = [_condition(child.input_sets[0].guard) for child in flow.children]
        if None in conditions[:-1]:
            return None
        default = children[-1] if conditions[-1] is None else None
        return blocks.choice(
            [(asked, one) for asked, one in zip(conditions, children, strict=True) if asked is not None],
            default,
            name=flow.name,
        )


def _laid_out(text: str) -> str:
    try:
        return formatted(text.encode(), "it", LAYOUT, TEXT_LIMITS)
    except Invalid:
        return text


def _kept_apart(children: list[Activity]) -> list[Activity]:
    """Blocks inside equal ones would be flattened; here they are looked at one by one."""
    return [replace(one, description="kept apart") if isinstance(one, Flow) else one for one in children]


def _unguarded(child: Activity) -> Activity:
    return replace(child, input_sets=tuple(replace(one, guard=None) for one in child.input_sets))


def _condition(guard: Guard | None) -> str | None:
    """The condition that the guard of a branch asks."""
    match guard:
        case When(text):
            return text
        case AtLeast(guards=guards):
            return next((one.text for one in guards if isinstance(one, When)), None)
    return None


def _all(activity: Activity) -> Iterator[Activity]:
    yield activity
    for child in activity.children if isinstance(activity, Flow) else ():
        yield from _all(child)
