"""Activities of a process in MFDL: a use of what ACTIVITY declared, with its arguments and all that is said of it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from msgspec.structs import replace

from weft.languages.mfdl.clauses import Said, gather
from weft.languages.mfdl.interfaces import Interface
from weft.languages.mfdl.tree import Block, Clause, Declaration, Invocation, Parameter, Side
from weft.languages.text.errors import Rules
from weft.languages.text.expressions import compiled, translated
from weft.languages.text.faults import TextReport
from weft.languages.text.source import Span
from weft.languages.text.words import Word
from weft.model import blocks
from weft.model.definition import (
    ABORTED,
    Activity,
    Call,
    Constant,
    Expression,
    InputSet,
    Named,
    Outcome,
    Person,
    Rule,
    Source,
    Sources,
    Task,
    Variable,
)
from weft.model.expressions import Expression as Compiled
from weft.model.types import Type, fits, parse
from weft.model.types import text as type_text

NO_NAMES: Final[Mapping[str, Type]] = {}


class Declared(NamedTuple):
    """An activity of a process: what it is, and where ACTIVITY says so."""

    interface: Interface
    declaration: Declaration


@dataclass(slots=True)
class Scope:
    """What the statements of one process may speak of."""

    interfaces: Mapping[str, Interface]
    variables: dict[str, str] = field(default_factory=dict)
    types: dict[str, Type] = field(default_factory=dict)
    declared: dict[str, Declared] = field(default_factory=dict)
    places: dict[str, Span] = field(default_factory=dict)
    """The names that are taken, and by what."""
    used: set[str] = field(default_factory=set)
    errors: dict[str, None] = field(default_factory=dict)

    def declare(self, name: str, of_type: str) -> None:
        self.variables[name] = of_type
        self.types[name] = parse(of_type)


class Activities:
    """`lower` makes a block of a process, which a side may be."""

    def __init__(self, report: TextReport, scope: Scope, lower: Callable[[Block], Activity | None]) -> None:
        self.report = report
        self.scope = scope
        self.lower = lower

    def use(self, invocation: Invocation, clauses: tuple[Clause, ...], label: Word | None) -> Activity | None:
        """An activity where it stands in the flow."""
        found = self._plain(invocation, label or invocation.name, self.scope.types)
        if found is None:
            return None
        activity, declared = found
        interface = declared.interface
        kind = interface.kind
        said = gather(
            self.report,
            (
                ("definition", kind, interface.clauses),
                ("declaration", kind, declared.declaration.clauses),
                ("use", kind, clauses),
            ),
        )
        return self.with_said(self._of_kind(activity, said), said, interface)

    def take(self, name: Word) -> bool:
        """Takes a name for an activity, once."""
        first = self.scope.places.setdefault(name.text, name.span)
        if first is not name.span:
            line, _ = self.report.source.position(first.start)
            self.report.add(
                "duplicate-name", name.span, f"{name.text!r} is already used in line {line}, and an activity runs once",
                f"name this use, {name.text}2: {name.text}(…), or declare another ACTIVITY",
            )  # fmt: skip
        return first is name.span

    # An activity without what is said of it.

    def _plain(self, invocation: Invocation, name: Word, types: Mapping[str, Type]) -> tuple[Activity, Declared] | None:
        declared = self._declared(invocation.name)
        if declared is None or not self.take(name):
            return None
        interface = declared.interface
        bindings, writes = self._arguments(invocation, interface, types)
        sets = (InputSet(bindings=bindings, types=interface.inputs),)
        outcomes = Outcome("done", types=interface.outputs), ABORTED
        what = interface.name.text
        if not interface.kind:
            return Call(name=name.text, process=what, input_sets=sets, outcomes=outcomes, writes=writes), declared
        handler = Person(title=what) if interface.is_person else Named(what)
        transaction = interface.transaction
        return (
            Task(
                name=name.text, handler=handler, input_sets=sets, outcomes=outcomes, writes=writes,
                transaction=transaction,  # type: ignore[arg-type]
            ),
            declared,
        )  # fmt: skip

    def _of_kind(self, activity: Activity, said: Said) -> Activity:
        if not isinstance(activity, Task):
            return activity
        if isinstance(activity.handler, Person):
            return replace(activity, handler=replace(activity.handler, role=said.role.text if said.role else ""))
        resource = said.resource.text if said.resource else ""
        return replace(activity, checkpoint=said.has_checkpoint, resource=resource)

    def _declared(self, name: Word) -> Declared | None:
        found = self.scope.declared.get(name.text)
        if found is not None:
            self.scope.used.add(name.text)
        elif name.text in self.scope.interfaces:
            self.report.add(
                "unknown-activity", name.span, f"{name.text!r} is defined, but no activity of this process",
                f"declare one at its beginning, ACTIVITY {name.text} NAME; and use that name",
            )  # fmt: skip
        else:
            self.report.unknown(
                "unknown-activity", name.span, f"no ACTIVITY {name.text!r} is declared in this process",
                name.text, self.scope.declared, "declare it first, ACTIVITY …",
            )  # fmt: skip
        return found

    # Arguments.

    def _arguments(
        self, invocation: Invocation, interface: Interface, types: Mapping[str, Type]
    ) -> tuple[dict[str, Sources], dict[str, str]]:
        given, asked = len(invocation.arguments), len(interface.parameters)
        if given != asked:
            listed = ", ".join(f"{one.direction} {one.name.text}" for one, _ in interface.parameters) or "none"
            self.report.add(
                "arguments", invocation.span,
                f"{invocation.name.text!r} takes {asked} argument{'s' * (asked != 1)} and is given {given}",
                f"parameters of {interface.name.text}: {listed}",
            )  # fmt: skip
        bindings: dict[str, Sources] = {}
        writes: dict[str, str] = {}
        for (parameter, of_type), span in zip(interface.parameters, invocation.arguments, strict=False):
            if parameter.direction != "IN":
                variable = self._written(parameter, span)
                if variable:
                    self.fit(span, of_type, self.scope.types[variable], f"the variable {variable!r}")
                    writes[variable] = parameter.name.text
            if parameter.direction != "OUT":
                source = self._source(span, types, of_type, f"parameter {parameter.name.text!r}")
                if source is not None:
                    bindings[parameter.name.text] = (source,)
        return bindings, writes

    def _written(self, parameter: Parameter, span: Span) -> str:
        text = self.report.source.text[span.start : span.end]
        what = f"parameter {parameter.name.text!r} is {parameter.direction}"
        if not text.isidentifier():
            self.report.add("arguments", span, f"{what}, so its argument is a variable", "write the name of one")
            return ""
        return text if self.variable(Word(text, span), f"{what}, and {text!r} is no variable") else ""

    def variable(self, name: Word, message: str) -> bool:
        if name.text in self.scope.variables:
            return True
        self.report.unknown(
            "unknown-variable", name.span, message, name.text, self.scope.variables, f"declare it: VAR … {name.text};"
        )
        return False

    def fit(self, span: Span, offered: str | Type, wanted: Type, where: str) -> None:
        offered = parse(offered) if isinstance(offered, str) else offered
        if not fits(offered, wanted, {}):
            self.report.add(
                "misfit", span, f"this is {type_text(offered)}, but {where} wants {type_text(wanted)}",
                "change one of the two types, or convert the value in between",
            )  # fmt: skip

    def _source(self, span: Span, types: Mapping[str, Type], wanted: str, where: str) -> Source | None:
        expression = compiled(self.report, span, types)
        if expression is None:
            return None
        self.fit(span, expression.type, parse(wanted), where)
        if expression.text in types:
            return Variable(expression.text)
        if not expression.names and translated(self.report.source, span).text == expression.text:
            return Constant(expression({}))
        return Expression(expression.text)

    def condition(self, span: Span, types: Mapping[str, Type] | None = None) -> str:
        """The text of a condition, or one that is never true if it is wrong."""
        found: Compiled | None = compiled(self.report, span, self.scope.types if types is None else types)
        return "False" if found is None else found.text

    # What is said of an activity.

    def with_said(self, activity: Activity, said: Said, interface: Interface | None) -> Activity:
        """The activity with its attributes, sides and rules."""
        types = self._seen_by_sides(interface)
        rules, errors = self._rules(said, interface)
        compensation = self._side(said.compensation, types) if said.compensation else None
        undo = self._side(said.undo, types) if said.undo else None
        made: Activity = replace(
            activity,
            vital=said.is_vital,
            critical=said.is_critical,
            idempotent=said.is_idempotent,
            compensation=compensation,
            undo=undo,
            on_error=rules,
        )
        return replace(made, errors=errors) if isinstance(made, Task) else made

    def _seen_by_sides(self, interface: Interface | None) -> Mapping[str, Type]:
        """What takes back sees the variables, and the parameters of what it takes back."""
        if interface is None:
            return self.scope.types
        parameters = {one.name.text: parse(of_type) for one, of_type in interface.parameters}
        return {**self.scope.types, **parameters}

    def _side(self, side: Side, types: Mapping[str, Type]) -> Activity | None:
        made = self._side_activity(side, types)
        if made is None or side.when is None:
            return made
        return blocks.choice([(self.condition(side.when, types), made)])

    def _side_activity(self, side: Side, types: Mapping[str, Type]) -> Activity | None:
        if isinstance(side.activity, Block):
            return self.lower(side.activity)
        return self._beside(side.activity, types)

    def _beside(self, invocation: Invocation, types: Mapping[str, Type]) -> Activity | None:
        found = self._plain(invocation, invocation.name, types)
        if found is None:
            return None
        activity, declared = found
        kind = declared.interface.kind
        said = gather(
            self.report,
            (
                ("definition", kind, declared.interface.clauses),
                ("declaration", kind, declared.declaration.clauses),
            ),
        )
        return self.with_said(self._of_kind(activity, said), said, declared.interface)

    def _rules(self, said: Said, interface: Interface | None) -> tuple[tuple[Rule, ...], dict[str, str]]:
        def alternate(invocation: Invocation) -> Activity | None:
            found = self._plain(invocation, invocation.name, self._seen_by_sides(interface))
            return None if found is None else replace(found[0], writes={})

        rules = Rules(self.report, self.scope.errors, self.condition, alternate)
        made, raw = rules.of(said.errors)
        return (*made, *(rules.retry(one) for one in said.retries)), raw
