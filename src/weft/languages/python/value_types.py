"""The types of sources and variables in a process that is being built, worked out from what gives them."""

from collections.abc import Iterable

from weft.languages.python.activities import Activity, Leaf
from weft.languages.python.catalogue import HOW_ITEMS_ENDED, Catalogue, Gives, ways_of
from weft.languages.python.data import Raw, Result
from weft.languages.python.scopes import Scope, Slot
from weft.model.definition import Constant, Expression, Input, Output, Value, Variable
from weft.model.expressions import Expression as Compiled
from weft.model.expressions import ExpressionFault, compile_expression
from weft.model.types import ANY, NULL, ListOf, Type, check, parse, text, union


class Types:
    def __init__(self, catalogue: Catalogue) -> None:
        self.catalogue = catalogue
        self._parsed: dict[str, Type] = {}
        self._slots: dict[Slot, str] = {}
        self._compiled: dict[str, Compiled | None] = {}

    def of(self, sources: Iterable[Raw], scope: Scope) -> str:
        """The type of what sources bring, one or the other."""
        return self._union([self._raw(one, scope) for one in sources])

    def of_slot(self, slot: Slot) -> str:
        """The type of a variable: that of all that is written into it, and of the value that it is born with."""
        found = self._slots.get(slot)
        if found is not None:
            return found
        born = slot.type or (_of_value(slot.default.value) if slot.default is not None else "")
        self._slots[slot] = born = born or "any"  # what is seen by that on which it depends itself
        if slot.type:
            found = slot.type
        elif slot.items is not None:
            found = self._element(self.of(*slot.items))
        else:
            written = [self.of_object(writer, "", name, where) for writer, name, where in slot.writers]
            found = self._union(written) if written else born if born != "null" else "any"
            if written and slot.default is not None and not self._fits(slot.default.value, found):
                found = self._union([*written, born])
        self._slots[slot] = found
        return found

    def of_object(self, activity: Activity, outcome: str, name: str, scope: Scope) -> str:
        """The type of an object in one outcome, or in all that commit."""
        gives = self.catalogue.gives(activity).items()
        wanted = [one for key, one in gives if (key == outcome if outcome else one.kind == "commit")]
        return self._union([self._given(activity, one, name, scope) for one in wanted if name in one.objects()])

    def _given(self, activity: Activity, gives: Gives, name: str, scope: Scope) -> str:
        if gives.body is not None:
            inside = "str" if name == HOW_ITEMS_ENDED else self.of_object(gives.body, "", name, scope)
            return f"list[{self._union([inside, 'null'])}]"
        if name in gives.sources:
            return self.of(gives.sources[name], gives.scope or scope)
        found = gives.types[name]
        if found == "any" and isinstance(activity, Leaf):
            return self._assigned(activity, name, scope)
        return found

    def _assigned(self, leaf: Leaf, name: str, scope: Scope) -> str:
        text_given = self.catalogue.prototype(leaf).expressions.get(name)
        return "any" if text_given is None else self._expression(text_given, scope)

    def _raw(self, raw: Raw, scope: Scope) -> str:
        match raw:
            case Constant(value):
                return _of_value(value)
            case Variable(name):
                slot = scope.find(name)
                return "any" if slot is None else self.of_slot(slot)
            case Expression(source):
                return self._expression(source, scope)
            case Result(name, object_name, outcome) | Output(name, outcome, object_name):
                activity = self.catalogue.by_name.get(name)
                if activity is None:
                    return "any"
                objects = self.catalogue.objects(activity, outcome)
                return self.of_object(activity, outcome, object_name or next(iter(objects), ""), scope)
            case Input(name, set_name, parameter):
                return self._parameter(name, set_name, parameter, scope)

    def _parameter(self, name: str, set_name: str, parameter: str, scope: Scope) -> str:
        activity = self.catalogue.by_name.get(name)
        if isinstance(activity, Leaf):
            declared = self.catalogue.prototype(activity).parameters.get(parameter)
            if declared is not None:
                return declared.type
        ways = [] if activity is None else ways_of(activity)
        given = next((way.sources[parameter] for way in ways if way.name == set_name and parameter in way.sources), ())
        return self.of(given, scope) if given else "any"

    def _expression(self, source: str, scope: Scope) -> str:
        names = self.names(source)
        known = {name: slot for name in names if (slot := scope.find(name)) is not None}
        types = {name: self.parse(self.of_slot(slot)) for name, slot in known.items()}
        types |= dict.fromkeys(names - types.keys(), ANY)
        try:
            return text(compile_expression(source, types, self.catalogue.classes).type)
        except ExpressionFault:
            return "any"

    def names(self, source: str) -> frozenset[str]:
        """The names that an expression reads; none if it is wrong, which is told when all is built."""
        if source not in self._compiled:
            try:
                self._compiled[source] = compile_expression(source, None, self.catalogue.classes)
            except ExpressionFault:
                self._compiled[source] = None
        compiled = self._compiled[source]
        return compiled.names if compiled is not None else frozenset()

    def parse(self, source: str) -> Type:
        found = self._parsed.get(source)
        if found is None:
            found = self._parsed[source] = parse(source)
        return found

    def _union(self, types: Iterable[str]) -> str:
        different = list(dict.fromkeys(types))
        return different[0] if len(different) == 1 else text(union([self.parse(one) for one in different]))

    def _element(self, source: str) -> str:
        of = self.parse(source)
        return text(of.item) if isinstance(of, ListOf) else "any"

    def _fits(self, value: Value, source: str) -> bool:
        return check(value, self.parse(source), self.catalogue.classes) is None


def _of_value(value: Value) -> str:
    if value is None:
        return text(NULL)
    if isinstance(value, list):
        inside = list(dict.fromkeys(map(_of_value, value)))
        return f"list[{inside[0]}]" if len(inside) == 1 else "list[any]"
    return type(value).__name__ if isinstance(value, bool | int | float | str) else "any"
