"""Finds the type of an expression from its scope's, and what is sure to fail. Evaluates nothing."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from weft.model import expression_syntax as syntax
from weft.model.expression_functions import CALLS
from weft.model.expression_syntax import Node
from weft.model.expression_tokens import ExpressionFault
from weft.model.type_language import (
    ANY,
    BOOL,
    FLOAT,
    INT,
    NULL,
    STR,
    DictOf,
    Field,
    ListOf,
    Literal,
    Named,
    ObjectClass,
    Simple,
    Type,
    TypeFault,
    Union,
    fields_of,
    near,
    parse,
    text,
    union,
)
from weft.model.xpath_syntax import parse_xpath

_OF_VALUES: dict[type, Type] = {type(None): NULL, bool: BOOL, int: INT, float: FLOAT, str: STR}
_NUMBER, _TEXT, _LIST, _DICT, _NULL = "number", "text", "list", "dict", "null"
_ONLY_NUMBER, _ONLY_TEXT = frozenset((_NUMBER,)), frozenset((_TEXT,))
_NUMERIC = frozenset(((_NUMBER, _NUMBER),))
_ALLOWED: dict[str, frozenset[tuple[str, str]]] = {
    "+": _NUMERIC | {(_TEXT, _TEXT), (_LIST, _LIST)},
    "-": _NUMERIC,
    "*": _NUMERIC | {(_TEXT, _NUMBER), (_NUMBER, _TEXT), (_LIST, _NUMBER), (_NUMBER, _LIST)},
    "/": _NUMERIC,
    "//": _NUMERIC,
    "%": _NUMERIC,
    "order": _NUMERIC | {(_TEXT, _TEXT), (_LIST, _LIST)},
}


def kinds(of: Type) -> frozenset[str] | None:
    """The kinds of plain value that a type allows; None if it may be any."""
    match of:
        case Simple("any"):
            return None
        case Simple("null"):
            return frozenset((_NULL,))
        case Simple("bool" | "int" | "float"):
            return frozenset((_NUMBER,))
        case Literal(value):
            return frozenset((_TEXT if isinstance(value, str) else _NUMBER,))
        case ListOf():
            return frozenset((_LIST,))
        case DictOf() | Named():
            return frozenset((_DICT,))
        case Union(members):
            return frozenset(kind for member in members for kind in kinds(member) or ())
    return frozenset((_TEXT,))


def members_of(of: Type) -> tuple[Type, ...]:
    return of.members if isinstance(of, Union) else (of,)


class Typing:
    """One expression's types. `fields` holds, by the column of an attribute, the field that it reads."""

    def __init__(self, scope: Mapping[str, Type] | None, classes: Mapping[str, ObjectClass]) -> None:
        self.scope = scope
        self.classes = classes
        self.names: set[str] = set()
        self.fields: dict[int, Field] = {}

    def of(self, node: Node) -> Type:
        return _RULES[type(node)](self, node)

    def each(self, nodes: Iterable[Node]) -> list[Type]:
        return [self.of(node) for node in nodes]

    def constant(self, node: syntax.Constant) -> Type:
        return _OF_VALUES[type(node.value)]

    def name(self, node: syntax.Name) -> Type:
        self.names.add(node.name)
        if self.scope is None:
            return ANY
        found = self.scope.get(node.name)
        if found is None:
            if node.name in syntax.FUNCTIONS:
                raise ExpressionFault(f"{node.name} is a function; call it: {node.name}(…)", node.column)
            meant = near(node.name, [*self.scope, "True", "False", "None"])
            known = ", ".join(list(self.scope)[:5]) + (", …" if len(self.scope) > 5 else "")
            known = f"there are {known}" if known else "nothing can be named here"
            raise ExpressionFault(f"there is no {node.name!r:.60}; {known}" if not meant else
                                  f"there is no {node.name!r:.60}", node.column, meant)  # fmt: skip
        return found

    def unary(self, node: syntax.Unary) -> Type:
        operand = self.of(node.operand)
        if node.operator == "not":
            return BOOL
        self.must(operand, _NUMBER, node.operator, "a number", node.column)
        return _number(operand)

    def must(self, of: Type, kind: str, who: str, wanted: str, column: int) -> None:
        """Refuses what is known never to be of the kind."""
        found = kinds(of)
        if found is not None and kind not in found:
            raise ExpressionFault(f"{who} wants {wanted}, and this is {_shown(of)}", column)

    def arithmetic(self, node: syntax.Arithmetic) -> Type:
        result = self.of(node.first)
        for operator, operand, column in node.rest:
            right = self.of(operand)
            if operator == "%" and kinds(result) == _ONLY_TEXT:
                raise ExpressionFault("% does not format text here; join text with + and str(…)", column)
            self.allowed(operator, result, right, operator, column)
            result = _result(operator, result, right)
        return result

    def allowed(self, rule: str, left: Type, right: Type, operator: str, column: int) -> None:
        lefts, rights = kinds(left), kinds(right)
        if lefts is None or rights is None:
            return
        if not any((one, other) in _ALLOWED[rule] for one in lefts for other in rights):
            raise ExpressionFault(f"{_shown(left)} {operator} {_shown(right)} can't be", column)

    def comparison(self, node: syntax.Comparison) -> Type:
        left = self.of(node.first)
        for operator, operand, column in node.rest:
            right = self.of(operand)
            if operator in ("in", "not in"):
                found = kinds(right)
                if found is not None and not found & {_LIST, _DICT, _TEXT}:
                    raise ExpressionFault(f"`in` wants a list, a dict or text, and this is {_shown(right)}", column)
            elif operator not in ("==", "!="):
                self.allowed("order", left, right, operator, column)
            left = right
        return BOOL

    def logic(self, node: syntax.Logic) -> Type:
        return union(self.each(node.operands))

    def conditional(self, node: syntax.Conditional) -> Type:
        self.each(condition for condition, _ in node.cases)
        return union(self.each([*(value for _, value in node.cases), node.otherwise]))

    def index(self, node: syntax.Index) -> Type:
        holder, at = self.of(node.holder), self.of(node.index)
        possible: list[Type] = []
        for member in members_of(holder):
            found = self.item(member, at, node.index)
            possible.extend(() if found is None else (found,))
        if not possible:
            raise ExpressionFault(f"{_shown(holder)} has no item at {_shown(at)}", node.column)
        return union(possible)

    def item(self, holder: Type, at: Type, index: Node) -> Type | None:
        """The type of an item, None if there can be none."""
        found = kinds(at)
        match holder:
            case Simple("any"):
                return ANY
            case ListOf(item):
                return item if found is None or _NUMBER in found else None
            case DictOf(value):
                return value if found is None or _TEXT in found else None
            case Named(name):
                key = index.value if isinstance(index, syntax.Constant) else None
                field = fields_of(name, self.classes).get(key) if isinstance(key, str) else None
                text_key = found is None or _TEXT in found
                return self.declared(field, index.column) if field else (ANY if text_key else None)
        if kinds(holder) == _ONLY_TEXT:
            return STR if found is None or _NUMBER in found else None
        return None

    def cut(self, node: syntax.Slice) -> Type:
        holder = self.of(node.holder)
        for bound in (node.start, node.stop):
            if bound is not None and not isinstance(bound, syntax.Constant):
                self.must(self.of(bound), _NUMBER, "a slice", "ints", bound.column)
            elif bound is not None and not (bound.value is None or isinstance(bound.value, int)):
                raise ExpressionFault("a slice wants ints", bound.column)
        possible = [member for member in members_of(holder) if member == ANY or isinstance(member, ListOf)]
        if (kinds(holder) or frozenset()) & {_TEXT}:
            possible.append(STR)
        if not possible:
            raise ExpressionFault(f"{_shown(holder)} can't be sliced; a list or text can", node.column)
        return union(possible)

    def attribute(self, node: syntax.Attribute) -> Type:
        holder = self.of(node.holder)
        if node.name.startswith("_"):
            raise ExpressionFault(f"{node.name!r:.60} can't be read: fields don't begin with _", node.column)
        if holder == ANY and self.scope is None:
            return self.somewhere(node)
        found = [self.field(member, node) for member in members_of(holder) if member != NULL]
        if not found:
            raise ExpressionFault("null has no fields", node.column)
        self.fields[node.column] = found[0]
        return union([self.declared(field, node.column) for field in found])

    def somewhere(self, node: syntax.Attribute) -> Type:
        """Without a scope, at least some class must have the field."""
        for name in (*self.classes, "File"):
            if node.name in fields_of(name, self.classes):
                return ANY
        raise ExpressionFault(f"no declared object class has a field {node.name!r:.60}", node.column)

    def field(self, holder: Type, node: syntax.Attribute) -> Field:
        if not isinstance(holder, Named):
            other = f'; write ["{node.name:.60}"]' if holder == ANY or isinstance(holder, DictOf) else ""
            raise ExpressionFault(f"only records of a declared class have fields, and this is {_shown(holder)}{other}",
                                  node.column)  # fmt: skip
        fields = fields_of(holder.name, self.classes)
        if node.name not in fields:
            meant = near(node.name, list(fields))
            raise ExpressionFault(f"{holder.name} has no field {node.name!r:.60}", node.column, meant)
        return fields[node.name]

    def declared(self, field: Field, column: int) -> Type:
        try:
            of = parse(field.type)
        except TypeFault as fault:
            raise ExpressionFault(f"the type of this field is wrong: {fault.message}", column) from None
        return union([of, NULL]) if field.optional else of

    def call(self, node: syntax.Call) -> Type:
        _, least, most = CALLS[node.function]
        if not least <= len(node.arguments) <= most:
            wanted = str(least) if least == most else f"{least} to {most}"
            raise ExpressionFault(f"{node.function} takes {wanted}, not {len(node.arguments)}", node.column)
        arguments = self.each(node.arguments)
        rule = _CALLED.get(node.function)
        return rule(self, node, arguments) if rule is not None else ANY

    def items(self, node: syntax.Items) -> Type:
        return ListOf(union(self.each(node.items)))

    def entries(self, node: syntax.Entries) -> Type:
        for key in node.keys:
            self.must(self.of(key), _TEXT, "a dict", "keys that are text", key.column)
        return DictOf(union(self.each(node.values)))


def _shown(of: Type) -> str:
    return f"{text(of):.100}"


def _number(of: Type) -> Type:
    """What stays of numbers when something is done to them."""
    found = {member for member in members_of(of) if kinds(member) in (None, _ONLY_NUMBER)}
    if any(kinds(member) is None for member in found):
        return ANY
    return union(sorted({FLOAT if member == FLOAT else INT for member in found}, key=text, reverse=True))


def _result(operator: str, left: Type, right: Type) -> Type:
    lefts, rights = kinds(left), kinds(right)
    if lefts is None or rights is None:
        return _half_known(operator, lefts or rights)
    possible = {(one, other) for one in lefts for other in rights if (one, other) in _ALLOWED[operator]}
    if possible == _NUMERIC:
        if operator == "/" or FLOAT in (left, right):
            return FLOAT
        return _number(union([left, right]))
    if all(_TEXT in pair for pair in possible):
        return STR
    if all(_LIST in pair for pair in possible):
        members = (*members_of(left), *members_of(right))
        return ListOf(union([member.item for member in members if isinstance(member, ListOf)]))
    return ANY


def _half_known(operator: str, known: frozenset[str] | None) -> Type:
    if operator == "/":
        return FLOAT
    return STR if operator in ("+", "*") and known == _ONLY_TEXT else ANY


def _length(typing: Typing, node: syntax.Call, arguments: Sequence[Type]) -> Type:
    found = kinds(arguments[0])
    if found is not None and not found & {_LIST, _DICT, _TEXT}:
        raise ExpressionFault(f"{_shown(arguments[0])} has no length", node.column)
    return INT


def _of_list(typing: Typing, node: syntax.Call, arguments: Sequence[Type]) -> Type:
    typing.must(arguments[0], _LIST, node.function, "a list", node.column)
    items = [member.item for member in members_of(arguments[0]) if isinstance(member, ListOf)]
    return union(items)


def _extreme(typing: Typing, node: syntax.Call, arguments: Sequence[Type]) -> Type:
    return _of_list(typing, node, arguments) if len(arguments) == 1 else union(arguments)


def _sum(typing: Typing, node: syntax.Call, arguments: Sequence[Type]) -> Type:
    item = _of_list(typing, node, arguments)
    if item == ANY:
        return ANY
    typing.must(item, _NUMBER, "sum", "numbers", node.column)
    return union([_number(item), INT])


def _truth(typing: Typing, node: syntax.Call, arguments: Sequence[Type]) -> Type:
    _of_list(typing, node, arguments)
    return BOOL


def _same(typing: Typing, node: syntax.Call, arguments: Sequence[Type]) -> Type:
    typing.must(arguments[0], _NUMBER, node.function, "a number", node.column)
    return _number(arguments[0])


def _round(typing: Typing, node: syntax.Call, arguments: Sequence[Type]) -> Type:
    same = _same(typing, node, arguments)
    if len(arguments) == 1:
        return INT
    if arguments[1] in (INT, BOOL):
        return same
    typing.must(arguments[1], _NUMBER, "round", "its digits as an int", node.column)
    return ANY


def _converted(to: Type) -> Callable[[Typing, syntax.Call, Sequence[Type]], Type]:
    def converted(typing: Typing, node: syntax.Call, arguments: Sequence[Type]) -> Type:
        found = kinds(arguments[0])
        if to != STR and found is not None and not found & {_NUMBER, _TEXT}:
            raise ExpressionFault(f"{_shown(arguments[0])} can't become {text(to)}", node.column)
        return to

    return converted


def _xpath(typing: Typing, node: syntax.Call, arguments: Sequence[Type]) -> Type:
    """What it gives is known when it is asked, but whether it can be read is known now."""
    typing.must(arguments[0], _TEXT, node.function, "a text", node.column)
    first = node.arguments[0]
    if isinstance(first, syntax.Constant) and isinstance(first.value, str):
        try:
            parse_xpath(first.value)
        except ExpressionFault as fault:
            raise ExpressionFault(f"{fault.message} (character {fault.column} of the XPath)", first.column) from None
    return ANY


_CALLED: dict[str, Callable[[Typing, syntax.Call, Sequence[Type]], Type]] = {
    "len": _length,
    "min": _extreme,
    "max": _extreme,
    "sum": _sum,
    "any": _truth,
    "all": _truth,
    "abs": _same,
    "round": _round,
    "str": _converted(STR),
    "int": _converted(INT),
    "float": _converted(FLOAT),
    "xpath": _xpath,
    "xpath_data": _xpath,
}
_RULES: dict[type, Callable[..., Type]] = {
    syntax.Constant: Typing.constant,
    syntax.Name: Typing.name,
    syntax.Unary: Typing.unary,
    syntax.Arithmetic: Typing.arithmetic,
    syntax.Comparison: Typing.comparison,
    syntax.Logic: Typing.logic,
    syntax.Conditional: Typing.conditional,
    syntax.Index: Typing.index,
    syntax.Slice: Typing.cut,
    syntax.Attribute: Typing.attribute,
    syntax.Call: Typing.call,
    syntax.Items: Typing.items,
    syntax.Entries: Typing.entries,
}
