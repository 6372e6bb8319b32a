"""Checks data: where each parameter and object comes from, and that the types fit."""

from typing import Final

from weft.model.definition import (
    Activity,
    Assign,
    Compound,
    Constant,
    Each,
    Expression,
    Flow,
    Input,
    InputSet,
    Net,
    Outcome,
    Output,
    Source,
    Sources,
    Task,
    Value,
    Variable,
)
from weft.model.types import ANY, NULL, ListOf, Type, ValueFault, check, exceeds, union
from weft.model.wellformed_reach import Hearing, Reach
from weft.model.wellformed_scope import Scope, Scopes, objects
from weft.model.wellformed_tree import NAME, Node, Report

ENDS: Final = frozenset(("commit", "abort"))


class Data:
    def __init__(self, hearing: Hearing, scopes: Scopes, report: Report) -> None:
        self.hearing = hearing
        self.scopes = scopes
        self.report = report
        self.good_names: set[str] = set()
        self.good_ends: set[int] = set()
        """The outcomes, by identity, that many tasks share and that were found to be without fault."""

    def check(self, node: Node) -> None:
        activity = node.activity
        for one in activity.input_sets:
            if (one.types or one.bindings) and not self._is_plain(node, one):
                self._input_set(node, one)
        if id(activity.outcomes) not in self.good_ends:
            before = len(self.report.faults)
            for outcome in activity.outcomes:
                if outcome.types or outcome.bindings:
                    self._outcome(node, outcome)
            if isinstance(activity, Task) and len(self.report.faults) == before:
                self.good_ends.add(id(activity.outcomes))
        if activity.writes:
            self._writes(node)
        if isinstance(activity, Compound):
            self._variables(node, activity)
        if isinstance(activity, Task) and isinstance(activity.handler, Assign):
            self._assign(node, activity, activity.handler)

    # Parameters.

    def _is_plain(self, node: Node, one: InputSet) -> bool:
        """Whether nothing can be wrong: each source is a declared variable, or of an earlier sibling, and fits.

        This is the common case, and quicker than telling what is wrong.
        """
        if one.types.keys() != one.bindings.keys() or node.role != "child" or node.parent is None:
            return False
        type_of, fits = self.scopes.type, self.scopes.fits
        for name, sources in one.bindings.items():
            declared = one.types[name]
            if not sources or self.scopes.is_wrong(declared):
                return False
            wanted = type_of(declared)
            for source in sources:
                if type(source) is Output:
                    found = self.hearing.tree.by_name.get(source.activity)
                    if found is None or found.parent is not node.parent or found.position >= node.position:
                        return False
                    outcome = found.activity.outcome(source.outcome)
                    if outcome is None or outcome.kind == "repeat" or found.role != "child":
                        return False
                    offered = outcome.types.get(source.object)
                    if offered is None or not fits(type_of(offered), wanted):
                        return False
                elif type(source) is Variable:
                    variable = self.scopes.inside(node.parent).variables.get(source.name)
                    if variable is None or not fits(variable, wanted):
                        return False
                else:
                    return False
        return True

    def _input_set(self, node: Node, one: InputSet) -> None:
        reach, scope, place = Reach.of_start(node), self.scopes.outside(node), f"input set {one.name!r}"
        by_name = self.scopes.given(node)
        for name, declared in one.types.items():
            what = f"parameter {name!r} of {place}"
            self.scopes.declared(node, declared, what)
            if name in one.bindings:
                continue
            if name in by_name or (node.owner is not None and name in scope.names):
                self._fit(node, f"{name!r} by its name", scope.names[name], what, self.scopes.type(declared))
            elif node.role != "root":
                self.report.add(node, "no-source", f"{what} has no source", _where_from(node, name))
        for name, sources in one.bindings.items():
            what = f"parameter {name!r} of {place}"
            wanted = self.scopes.type(one.types.get(name, "any"))
            if isinstance(node.activity, Each) and name == "items" and wanted == ANY:
                wanted = ListOf(ANY)
            if not sources:
                self.report.add(node, "no-source", f"{what} has an empty list of sources", _where_from(node, name))
            elif node.role != "root" and all(_is_repeat(node.activity, source) for source in sources):
                self.report.add(
                    node, "no-source", f"{what} has no source in the first round, only a repeat",
                    "add a source for the first round after it",
                )  # fmt: skip
            self._sources(node, reach, scope, sources, what, wanted)

    def _sources(self, node: Node, reach: Reach, scope: Scope, sources: Sources, what: str, wanted: Type) -> None:
        for source in sources:
            if type(source) is Constant:
                self.value(node, source.value, wanted, f"a constant of {what}")
            else:
                offered = self._offered(node, reach, scope, source, what)
                if offered is not None:
                    self._fit(node, _shown(source), offered, what, wanted)

    def _offered(self, node: Node, reach: Reach, scope: Scope, source: Source, what: str) -> Type | None:
        """The type of what a source brings; None if that was a fault."""
        if isinstance(source, Output):
            return self._output(node, reach, source, what)
        if isinstance(source, Input):
            return self._input(node, reach, source, what)
        if isinstance(source, Variable):
            return self._variable(node, scope, source.name, what)
        assert isinstance(source, Expression)
        return self.scopes.compile(node, source.text, scope, what)

    def _output(self, node: Node, reach: Reach, source: Output, what: str) -> Type | None:
        if _is_repeat(node.activity, source) and (reach.compound is not node):
            return self._object(node, node, source, what)
        found = self._heard(node, reach, source.activity, what)
        if found is None:
            return None
        outcome = self.hearing.outcome(node, found.activity, source.outcome, f"{what} takes from {found.name!r}")
        if outcome is None:
            return None
        if outcome.kind == "repeat":
            self.report.add(
                node, "repeat-source", f"{what} takes from {source.outcome!r} of {found.name!r}, which is a repeat",
                "only the input sets of the activity itself can take from it",
            )  # fmt: skip
            return None
        if found is reach.compound and outcome.kind == "mark" and reach.asker is node:
            found.looks_back = True
        if found is reach.compound and outcome.kind in ENDS:
            self.report.add(
                node, "never", f"{what} takes from outcome {outcome.name!r} of {found.name!r}, which ends after it",
                "take from one of its marks, or from a child",
            )  # fmt: skip
        return self._object(node, found, source, what)

    def _object(self, node: Node, found: Node, source: Output, what: str) -> Type | None:
        outcome = found.activity.outcome(source.outcome)
        assert outcome is not None
        types = objects(found.activity, outcome)
        if source.object not in types:
            self.report.add(
                node, "unknown-object",
                f"{what} takes {source.object!r}, which outcome {outcome.name!r} of {found.name!r} does not have",
                self.report.meant(source.object, types, "declare it in the outcome's types"),
            )  # fmt: skip
            return None
        offered = self.scopes.type(types[source.object])
        if isinstance(node.activity, Each) and found.role == "body" and found.parent is node:
            return ListOf(union((offered, NULL)))
        return offered

    def _input(self, node: Node, reach: Reach, source: Input, what: str) -> Type | None:
        found = self._heard(node, reach, source.activity, what)
        one = None if found is None else self._set(node, found, source, what)
        if found is None or one is None:
            return None
        if source.object not in one.types and source.object not in one.bindings:
            self.report.add(
                node, "unknown-object",
                f"{what} takes {source.object!r}, which input set {one.name!r} of {found.name!r} does not have",
                self.report.meant(source.object, [*one.types, *one.bindings], "declare it in the set's types"),
            )  # fmt: skip
            return None
        return self.scopes.type(one.types.get(source.object, "any"))

    def _set(self, node: Node, found: Node, source: Input, what: str) -> InputSet | None:
        return self.hearing.input_set(node, found, source.set, f"{what} takes from {found.name!r}")

    def _heard(self, node: Node, reach: Reach, name: str, what: str) -> Node | None:
        found = self.hearing.activity(node, reach, name, what)
        compound = reach.compound
        if found is not None and compound is not None and found is not compound and reach.asker is node:
            compound.looks_back |= found.position >= node.position
        return found

    def _variable(self, node: Node, scope: Scope, name: str, what: str) -> Type | None:
        found = scope.variables.get(name)
        if found is None:
            if name in scope.names:
                advice = f"{name!r} is a parameter of the compound around: take it with Input(…)"
            else:
                advice = self.report.meant(name, scope.variables, "declare it as a variable of a compound around")
            message = f"{what} reads the variable {name!r}, which nothing around declares"
            self.report.add(node, "unknown-variable", message, advice)
        return found

    def _fit(self, node: Node, what: str, offered: Type, where: str, wanted: Type) -> None:
        if not self.scopes.fits(offered, wanted):
            self.scopes.misfit(node, what, offered, where, wanted)

    # Objects and writes.

    def _outcome(self, node: Node, outcome: Outcome) -> None:
        activity, place = node.activity, f"outcome {outcome.name!r}"
        for name, declared in outcome.types.items():
            self.scopes.declared(node, declared, f"object {name!r} of {place}")
        if isinstance(activity, Task):
            if outcome.bindings:
                self.report.add(
                    node, "task-outcome", f"{place} of a task has bindings, but the work makes its objects",
                    "leave the bindings out, or do it in the handler",
                )  # fmt: skip
            return
        reach, scope = Reach.of_outcome(node), self.scopes.inside(node)
        for name, sources in outcome.bindings.items():
            what = f"object {name!r} of {place}"
            if not sources:
                self.report.add(node, "no-source", f"{what} has an empty list of sources", "give it a source")
            self._sources(node, reach, scope, sources, what, self.scopes.type(outcome.types.get(name, "any")))
        made = self._made(activity)
        for name, declared in outcome.types.items():
            if name in outcome.bindings or made is None:
                continue
            what = f"object {name!r} of {place}"
            if name in made:
                for offered in made[name]:
                    self._fit(node, "what is made for it", offered, what, self.scopes.type(declared))
            else:
                self.report.add(node, "no-source", f"{what} has no source", _made_by(activity, name))

    def _made(self, activity: Activity) -> dict[str, list[Type]] | None:
        """Objects that an each or a net makes for its outcomes by itself; None: whatever is declared."""
        if isinstance(activity, Flow):
            return {}
        found: dict[str, list[Type]] = {}
        if isinstance(activity, Each):
            for outcome in activity.body.outcomes:
                for name, declared in objects(activity.body, outcome).items():
                    found.setdefault(name, []).append(ListOf(union((self.scopes.type(declared), NULL))))
            return {"outcome": [ListOf(ANY)], **found}
        if isinstance(activity, Net):
            for place in activity.places:
                if place.output:
                    found[place.name] = []
            return found
        return None

    def _writes(self, node: Node) -> None:
        activity, scope = node.activity, self.scopes.outside(node)
        commits = [outcome for outcome in activity.outcomes if outcome.kind == "commit"]
        for name, made in activity.writes.items():
            what = f"the write to {name!r}"
            wanted = scope.variables.get(name)
            if wanted is None:
                advice = self.report.meant(name, scope.variables, "declare it as a variable of a compound around")
                message = f"it writes the variable {name!r}, which nothing around declares"
                self.report.add(node, "unknown-variable", message, advice)
                continue
            if name in scope.read_only:
                self.report.add(
                    node, "read-only", f"it writes {name!r}, which is given and can only be read",
                    "write to another variable",
                )  # fmt: skip
            offered = [types[made] for types in (objects(activity, one) for one in commits) if made in types]
            if not offered and commits:
                known = [name for one in commits for name in objects(activity, one)]
                self.report.add(
                    node, "unknown-object", f"{what} takes {made!r}, which no commit outcome has",
                    self.report.meant(made, known, "declare it in the outcome's types"),
                )  # fmt: skip
            for declared in offered:
                self._fit(node, f"object {made!r}", self.scopes.type(declared), what, wanted)

    # Variables, constants, assignments.

    def _variables(self, node: Node, activity: Compound) -> None:
        for name, declared in activity.variables.items():
            what = f"the variable {name!r}"
            self.name(node, name, "variable")
            self.scopes.declared(node, declared.type, what)
            if declared.default is not None:
                self.value(node, declared.default, self.scopes.type(declared.type), f"the default of {what}")
        if activity.variables:
            self._hidden(node, activity)

    def _hidden(self, node: Node, activity: Compound) -> None:
        """At the root a parameter fills the variable of its name; elsewhere the two only look alike."""
        for one in activity.input_sets:
            for name in one.types:
                declared = activity.variables.get(name)
                if declared is None:
                    continue
                if node.role == "root":
                    offered, wanted = self.scopes.type(one.types[name]), self.scopes.type(declared.type)
                    self._fit(node, f"parameter {name!r}", offered, f"the variable {name!r}", wanted)
                else:
                    self.report.add(
                        node, "hidden-name", f"{name!r} is a variable and a parameter; inside, the variable is meant",
                        "rename one of them",
                    )  # fmt: skip

    def value(self, node: Node, value: Value, wanted: Type, what: str) -> None:
        if value is None and wanted is ANY:
            return
        try:
            is_large = exceeds(value, self.scopes.limits.value)
        except ValueFault as fault:
            message = f"{what} is not plain data: {fault.message}"
            self.report.add(node, "bad-value", message, "use null, bool, int, float, str, list and dict")
            return
        if is_large:
            self.report.add(
                node, "too-large", f"{what} has more than {self.scopes.limits.value} bytes",
                "keep it in a file, or bring it in as a parameter",
            )  # fmt: skip
            return
        reason = check(value, wanted, self.scopes.classes)
        if reason is not None:
            self.report.add(node, "bad-value", f"{what} does not fit: {reason}", "change the value or the type")

    def name(self, node: Node, name: str, what: str) -> None:
        if name in self.good_names:
            return
        if NAME.fullmatch(name):
            self.good_names.add(name)
        else:
            self.report.add(
                node, "bad-name", f"{name!r} can't be the name of {'an' if what[0] in 'aeiou' else 'a'} {what}",
                "begin with a letter or _, go on with letters, digits, _ or -",
            )  # fmt: skip

    def _assign(self, node: Node, activity: Task, handler: Assign) -> None:
        inputs = self.scopes.inputs(activity)
        wanted = {name: types for one in activity.outcomes if one.kind == "commit" for name, types in one.types.items()}
        for name, source in handler.objects.items():
            offered = self.scopes.compile(node, source, inputs, f"the assignment of {name!r}")
            if name not in wanted:
                self.report.add(
                    node, "unknown-object", f"it assigns {name!r}, which no commit outcome has",
                    self.report.meant(name, wanted, "declare it in the outcome's types"),
                )  # fmt: skip
            else:
                end = self.scopes.type(wanted[name])
                self._fit(node, f"the assignment of {name!r}", offered, f"object {name!r}", end)
        for name in wanted:
            if name not in handler.objects:
                self.report.add(node, "no-source", f"object {name!r} is not assigned", "give it an expression")


def _is_repeat(activity: Activity, source: Source) -> bool:
    """Whether the source is a repeat of the activity itself."""
    if not isinstance(source, Output) or source.activity != activity.name:
        return False
    outcome = activity.outcome(source.outcome)
    return outcome is not None and outcome.kind == "repeat"


def _shown(source: Source) -> str:
    match source:
        case Output(activity, outcome, object):
            return f"{activity}.{outcome}.{object}"
        case Input(activity, set, object):
            return f"{activity}.{set}.{object}"
        case Variable(name):
            return f"the variable {name!r}"
    return "the expression" if isinstance(source, Expression) else "the constant"


def _where_from(node: Node, name: str) -> str:
    if node.owner is not None and node.role in ("compensation", "undo"):
        return f"take it from an input or output of {node.owner.name!r}, a variable or a constant"
    return "give it a source: an output, a variable, a constant or an expression"


def _made_by(activity: Activity, name: str) -> str:
    if isinstance(activity, Net):
        return f"add an output place {name!r}"
    if isinstance(activity, Each):
        return f"let an outcome of the body have an object {name!r}"
    return "give it a source: the output of a child, a variable, a constant or an expression"
