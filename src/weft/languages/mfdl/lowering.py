"""Processes of a text in MFDL as processes of the model."""

from collections.abc import Callable, Mapping
from typing import Final

from msgspec.structs import replace

from weft.languages.mfdl import tree
from weft.languages.mfdl.activities import Activities, Declared, Scope
from weft.languages.mfdl.clauses import gather
from weft.languages.mfdl.interfaces import Interface, again, type_of
from weft.languages.mfdl.tree import Block, Choice, Declaration, Loop, ProcessText, Statement, Variables
from weft.languages.text.expressions import compiled
from weft.languages.text.faults import TextReport
from weft.languages.text.words import Word
from weft.model import blocks
from weft.model.definition import (
    ABORTED,
    Activity,
    Assign,
    Flow,
    InputSet,
    Outcome,
    Process,
    Task,
    Variable,
)
from weft.model.definition import (
    Declared as DeclaredVariable,
)
from weft.model.types import check, parse

BLOCKS: Final[Mapping[str, Callable[..., Flow]]] = {
    "SERIAL": blocks.serial,
    "AND_PARALLEL": blocks.all_of,
    "OR_PARALLEL": blocks.any_of,
    "XOR_PARALLEL": blocks.race,
    "CONTINGENCY": blocks.contingency,
}


class Lowering:
    """One process. Statements are lowered from the outside in, at most as deep as the limits say."""

    def __init__(self, text: ProcessText, interfaces: Mapping[str, Interface], report: TextReport) -> None:
        self.text = text
        self.report = report
        self.interface = interfaces[text.name.text]
        self.scope = Scope(interfaces, places={text.name.text: text.name.span})
        self.activities = Activities(report, self.scope, self._block)
        self.depth = 0

    def process(self) -> Process | None:
        for name, of_type in {**self.interface.inputs, **self.interface.outputs}.items():
            self.scope.declare(name, of_type)
        defaults: dict[str, DeclaredVariable] = {
            name: DeclaredVariable(of_type) for name, of_type in self.interface.outputs.items()
        }
        statements: list[Statement] = []
        for entry in self.text.entries:
            if isinstance(entry, Declaration):
                self._declare(entry)
            elif isinstance(entry, Variables):
                defaults |= self._variables(entry)
            else:
                statements.append(entry)
        children = self._children(statements, self.text.name)
        self._tell_unused()
        if not children:
            return None
        return self._of(children, defaults)

    def _of(self, children: list[Activity], variables: dict[str, DeclaredVariable]) -> Process:
        name, outputs = self.text.name.text, self.interface.outputs
        body = blocks.serial(*children, name=name)
        done, aborted = body.outcomes
        bound = replace(done, bindings={one: (Variable(one),) for one in outputs}, types=outputs)
        sets = (InputSet(types=self.interface.inputs),)
        body = replace(body, input_sets=sets, outcomes=(bound, aborted), variables=variables)
        return Process(name=name, body=body, errors=tuple(self.scope.errors))

    # Declarations.

    def _declare(self, declaration: Declaration) -> None:
        what = declaration.what
        interface = self.scope.interfaces.get(what.text)
        if interface is None:
            self.report.unknown(
                "unknown-activity", what.span, f"no activity or process {what.text!r} is defined", what.text,
                self.scope.interfaces, "define it above: TRANS_ACTIVITY, USER_ACTIVITY, … or DEFINE_PROCESS",
            )  # fmt: skip
            return
        for name in declaration.names:
            first = self.scope.declared.get(name.text)
            if first is not None:
                again(self.report, name, next(one.span for one in first.declaration.names if one.text == name.text))
            else:
                self.scope.declared[name.text] = Declared(interface, declaration)

    def _variables(self, variables: Variables) -> dict[str, DeclaredVariable]:
        found: dict[str, DeclaredVariable] = {}
        for one in variables.variables:
            of_type = type_of(self.report, variables.type, one.size)
            before = self.scope.variables.get(one.name.text)
            if before is not None and (before != of_type or one.name.text not in self._parameters()):
                self.report.add(
                    "duplicate-name", one.name.span, f"{one.name.text!r} is already declared",
                    "only a parameter may be declared again, with its own type",
                )  # fmt: skip
                continue
            self.scope.declare(one.name.text, of_type)
            found[one.name.text] = DeclaredVariable(of_type, self._initial(one, of_type))
        return found

    def _parameters(self) -> dict[str, str]:
        return {**self.interface.inputs, **self.interface.outputs}

    def _initial(self, variable: tree.Variable, of_type: str) -> object:
        if variable.value is None:
            return None
        expression = compiled(self.report, variable.value, self.scope.types)
        if expression is None:
            return None
        if expression.names:
            self.report.add("bad-value", variable.value, "its first value is no constant", "assign it in a statement")
            return None
        value = expression({})
        reason = check(value, parse(of_type), {})
        if reason:
            self.report.add(
                "bad-value", variable.value, f"the first value does not fit: {reason}", "change one of both"
            )
        return value

    def _tell_unused(self) -> None:
        if self.report.has_errors:
            return
        for name, declared in self.scope.declared.items():
            if name not in self.scope.used:
                span = next(one.span for one in declared.declaration.names if one.text == name)
                self.report.add("left-out", span, f"the activity {name!r} is declared and never used",
                                "use it, or take the declaration out")  # fmt: skip

    # Statements.

    def _statement(self, statement: Statement) -> Activity | None:
        self.depth += 1
        try:
            if self.depth > self.report.limits.nesting:
                self._too_deep(statement)
                return None
            match statement:
                case tree.Call(invocation, clauses, label):
                    return self.activities.use(invocation, clauses, label)
                case tree.Assignment():
                    return self._assignment(statement)
                case Block():
                    return self._block(statement)
                case Choice():
                    return self._choice(statement)
                case Loop():
                    return self._loop(statement)
        finally:
            self.depth -= 1

    def _too_deep(self, statement: Statement) -> None:
        span = statement.invocation.span if isinstance(statement, tree.Call) else self._word(statement).span
        self.report.add(
            "too-large", span, f"statements are nested more than {self.report.limits.nesting} deep",
            "put what is inside into a process of its own and call it",
        )  # fmt: skip

    def _word(self, statement: tree.Assignment | Block | Choice | Loop) -> Word:
        match statement:
            case tree.Assignment(variable):
                return variable
            case Block(kind):
                return kind
            case Choice(word) | Loop(word):
                return word

    def _children(self, statements: list[Statement] | tuple[Statement, ...], around: Word) -> list[Activity]:
        found = [made for one in statements if (made := self._statement(one)) is not None]
        if not statements and not self.report.has_errors:
            self.report.add("syntax", around.span, "there is no activity in it", "put one in, or take it out")
        return found

    def _block(self, block: Block) -> Activity | None:
        children = self._children(block.statements, block.kind)
        if not children:
            return None
        made = self._named(BLOCKS[block.kind.text](*children, name=self._label(block.label)), block.kind)
        if not block.clauses:
            return made
        said = gather(self.report, [("block", "", block.clauses)])
        return self.activities.with_said(made, said, None)

    def _choice(self, choice: Choice) -> Activity | None:
        """IF … ELSE IF … ELSE is one block of several branches."""
        branches: list[tuple[str, Activity]] = []
        rest: Statement | None = choice
        while isinstance(rest, Choice) and (rest is choice or rest.label is None):
            condition = self.activities.condition(rest.condition)
            then = self._statement(rest.then) if rest.then is not None else None
            if then is not None:
                branches.append((condition, then))
            rest = rest.otherwise
        default = self._statement(rest) if rest is not None else None
        if not branches:
            return default
        return self._named(blocks.choice(branches, default, name=self._label(choice.label)), choice.word)

    def _loop(self, loop: Loop) -> Activity | None:
        condition = self.activities.condition(loop.condition)
        body = loop.body
        if body is None:
            return None
        is_plain = isinstance(body, Block) and body.kind.text == "SERIAL" and not body.clauses and not body.label
        if isinstance(body, Block) and is_plain:
            children = self._children(body.statements, body.kind)
        else:
            one = self._statement(body)
            children = [] if one is None else [one]
        if not children:
            return None
        return self._named(blocks.loop(condition, *children, name=self._label(loop.label)), loop.word)

    def _label(self, label: Word | None) -> str:
        return label.text if label is not None and self.activities.take(label) else ""

    def _named(self, flow: Flow, word: Word) -> Flow:
        self.scope.places.setdefault(flow.name, word.span)
        return flow

    def _assignment(self, statement: tree.Assignment) -> Activity | None:
        variable, types = statement.variable, self.scope.types
        expression = compiled(self.report, statement.value, types)
        if not self.activities.variable(variable, f"{variable.text!r} is not declared") or expression is None:
            return None
        self.activities.fit(statement.value, expression.type, types[variable.text], f"the variable {variable.text!r}")
        read = sorted(expression.names)
        return Task(
            name=self._label(statement.label) or self._made_up(variable),
            handler=Assign({variable.text: expression.text}),
            input_sets=(
                InputSet(
                    bindings={one: (Variable(one),) for one in read},
                    types={one: self.scope.variables[one] for one in read},
                ),
            ),
            outcomes=(Outcome("done", types={variable.text: self.scope.variables[variable.text]}), ABORTED),
            writes={variable.text: variable.text},
        )

    def _made_up(self, variable: Word) -> str:
        """A name that no text can give: `set-x`, and `set-x-2` for the next assignment to x."""
        name, number = f"set-{variable.text}", 1
        while name in self.scope.places:
            number += 1
            name = f"set-{variable.text}-{number}"
        self.scope.places[name] = variable.span
        return name
