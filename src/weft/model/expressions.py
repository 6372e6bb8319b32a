"""Expressions: a bounded, safe subset of Python, compiled once to closures. No text of a user is ever `eval`ed.

>>> parse = weft.model.types.parse
>>> scope = {"order": parse("Order"), "paid": parse("bool")}
>>> due = compile_expression("order.cents > 500 and not paid", scope, classes)
>>> due({"order": {"cents": 900}, "paid": False})
True
"""

import math
from collections.abc import Callable, Mapping, Sequence

import msgspec

from weft.model import expression_syntax as syntax
from weft.model.expression_functions import CALLS
from weft.model.expression_meter import ExpressionError, Meter, kind_of
from weft.model.expression_operations import ARITHMETIC, COMPARISONS, cut, index, negate, plus
from weft.model.expression_syntax import Node, parse_expression
from weft.model.expression_tokens import ExpressionFault, Limits
from weft.model.expression_typing import Typing
from weft.model.type_language import Field, ObjectClass, Type

Environment = Mapping[str, object]
Closure = Callable[[Environment, Meter], object]

__all__ = ["Environment", "Expression", "ExpressionError", "ExpressionFault", "Limits", "compile_expression", "literal"]

_DEFAULT_LIMITS = Limits()
_LITERAL_NESTING_MAX = 100


class Expression:
    """A compiled expression: call it with the values of its names."""

    __slots__ = ("_builds", "_limits", "_run", "names", "text", "type")

    def __init__(self, text: str, names: frozenset[str], of: Type, run: Closure, builds: bool, limits: Limits) -> None:
        self.text = text
        self.names = names
        self.type = of
        self._run = run
        self._builds = builds
        self._limits = limits

    def __repr__(self) -> str:
        return f"Expression({self.text!r})"

    def __call__(self, environment: Environment) -> object:
        try:
            meter = Meter(self._limits)
            result = self._run(environment, meter)
            if self._builds and isinstance(result, list | dict | str):
                _bound_result(result, self._limits)
        except ExpressionError as error:
            error.text = self.text
            raise
        except (RecursionError, OverflowError, MemoryError, TypeError, ValueError) as error:
            failed = ExpressionError(f"it can't be evaluated on these values: {error}")
            failed.text = self.text
            raise failed from None
        return result


def compile_expression(
    text: str,
    scope: Mapping[str, Type] | None,
    classes: Mapping[str, ObjectClass],
    limits: Limits = _DEFAULT_LIMITS,
) -> Expression:
    """The expression that a text means, its names and types checked.

    With no scope (None) every name is allowed and nothing is known of its type.
    """
    node = parse_expression(text, limits)
    typing = Typing(scope, classes)
    try:
        of = typing.of(node)
        run = _Builder(typing.fields).closure(node)
    except RecursionError:
        raise ExpressionFault("the expression is nested too deep") from None
    return Expression(text, frozenset(typing.names), of, run, _builds(node), limits)


def _bound_result(result: object, limits: Limits) -> None:
    from_here = Meter(Limits(steps=4 * limits.value, value=limits.value))
    from_here.walk(result)


def _builds(node: Node) -> bool:
    """Whether the result may be larger than every value that went in."""
    match node:
        case syntax.Items() | syntax.Entries() | syntax.Arithmetic() | syntax.Call():
            return True
        case syntax.Logic(_, operands):
            return any(map(_builds, operands))
        case syntax.Conditional(cases, otherwise):
            return _builds(otherwise) or any(_builds(value) for _, value in cases)
        case syntax.Index(holder) | syntax.Slice(holder) | syntax.Attribute(holder):
            return _builds(holder)
    return False


class _Builder:
    """Turns a tree into closures of (environment, meter)."""

    def __init__(self, fields: Mapping[int, Field]) -> None:
        self.fields = fields

    def closure(self, node: Node) -> Closure:
        return _CLOSURES[type(node)](self, node)

    def each(self, nodes: Sequence[Node]) -> tuple[Closure, ...]:
        return tuple(map(self.closure, nodes))

    def constant(self, node: syntax.Constant) -> Closure:
        value = node.value
        return lambda environment, meter: value

    def name(self, node: syntax.Name) -> Closure:
        name = node.name

        def read(environment: Environment, meter: Meter) -> object:
            try:
                return environment[name]
            except KeyError:
                raise _no_value(name) from None

        return read

    def unary(self, node: syntax.Unary) -> Closure:
        operand = self.closure(node.operand)
        if node.operator == "not":
            return lambda environment, meter: not operand(environment, meter)
        operation = negate if node.operator == "-" else plus
        return lambda environment, meter: operation(operand(environment, meter))

    def arithmetic(self, node: syntax.Arithmetic) -> Closure:
        first = self.closure(node.first)
        rest = tuple((ARITHMETIC[operator], self.closure(operand)) for operator, operand, _ in node.rest)
        if len(rest) == 1:
            ((operation, second),) = rest
            return lambda environment, meter: operation(first(environment, meter), second(environment, meter), meter)

        def chain(environment: Environment, meter: Meter) -> object:
            value = first(environment, meter)
            for operation, operand in rest:
                value = operation(value, operand(environment, meter), meter)
            return value

        return chain

    def comparison(self, node: syntax.Comparison) -> Closure:
        if len(node.rest) > 1:
            return self.comparisons(node)
        operator, operand, _ = node.rest[0]
        if isinstance(operand, syntax.Constant) and isinstance(node.first, syntax.Name):
            return _name_with_constant(node.first.name, operator, operand.value)
        if operator in ("in", "not in") and isinstance(operand, syntax.Items):
            constants = tuple(item.value for item in operand.items if isinstance(item, syntax.Constant))
            if len(constants) == len(operand.items):
                return _among(self.closure(node.first), constants, operator == "in")
        first, second, operation = self.closure(node.first), self.closure(operand), COMPARISONS[operator]
        return lambda environment, meter: operation(first(environment, meter), second(environment, meter), meter)

    def comparisons(self, node: syntax.Comparison) -> Closure:
        first = self.closure(node.first)
        rest = tuple((COMPARISONS[operator], self.closure(operand)) for operator, operand, _ in node.rest)

        def chain(environment: Environment, meter: Meter) -> object:
            left = first(environment, meter)
            for operation, operand in rest:
                right = operand(environment, meter)
                if not operation(left, right, meter):
                    return False
                left = right
            return True

        return chain

    def logic(self, node: syntax.Logic) -> Closure:
        *before, last = self.each(node.operands)
        stop_at = node.operator == "or"

        def logic(environment: Environment, meter: Meter) -> object:
            for operand in before:
                value = operand(environment, meter)
                if bool(value) is stop_at:
                    return value
            return last(environment, meter)

        return logic

    def conditional(self, node: syntax.Conditional) -> Closure:
        cases = tuple((self.closure(condition), self.closure(value)) for condition, value in node.cases)
        otherwise = self.closure(node.otherwise)

        def choose(environment: Environment, meter: Meter) -> object:
            for condition, value in cases:
                if condition(environment, meter):
                    return value(environment, meter)
            return otherwise(environment, meter)

        return choose

    def index(self, node: syntax.Index) -> Closure:
        holder, at = self.closure(node.holder), self.closure(node.index)
        return lambda environment, meter: index(holder(environment, meter), at(environment, meter))

    def cut(self, node: syntax.Slice) -> Closure:
        nothing = syntax.Constant(None, node.column)
        holder, start, stop = self.each((node.holder, node.start or nothing, node.stop or nothing))
        return lambda environment, meter: cut(
            holder(environment, meter), start(environment, meter), stop(environment, meter), meter
        )

    def attribute(self, node: syntax.Attribute) -> Closure:
        holder, name = self.closure(node.holder), node.name
        field = self.fields.get(node.column, Field("any"))
        missing, required = (None if field.default is msgspec.UNSET else field.default), field.required

        def read(environment: Environment, meter: Meter) -> object:
            record = holder(environment, meter)
            if not isinstance(record, dict):
                raise ExpressionError(f"{kind_of(record)} has no field {name!r}")
            if name in record:
                return record[name]
            if required:
                raise ExpressionError(f"the record lacks the field {name!r}")
            return missing

        return read

    def call(self, node: syntax.Call) -> Closure:
        function = CALLS[node.function][0]
        arguments = self.each(node.arguments)
        if len(arguments) == 1:
            (argument,) = arguments
            return lambda environment, meter: function([argument(environment, meter)], meter)
        return lambda environment, meter: function([argument(environment, meter) for argument in arguments], meter)

    def items(self, node: syntax.Items) -> Closure:
        items = self.each(node.items)
        return lambda environment, meter: [item(environment, meter) for item in items]

    def entries(self, node: syntax.Entries) -> Closure:
        entries = tuple(zip(self.each(node.keys), self.each(node.values), strict=True))

        def build(environment: Environment, meter: Meter) -> object:
            result: dict[str, object] = {}
            for key, value in entries:
                name = key(environment, meter)
                if not isinstance(name, str):
                    raise ExpressionError(f"a key is text, not {kind_of(name)}")
                result[name] = value(environment, meter)
            return result

        return build


_CLOSURES: dict[type, Callable[..., Closure]] = {
    syntax.Constant: _Builder.constant,
    syntax.Name: _Builder.name,
    syntax.Unary: _Builder.unary,
    syntax.Arithmetic: _Builder.arithmetic,
    syntax.Comparison: _Builder.comparison,
    syntax.Logic: _Builder.logic,
    syntax.Conditional: _Builder.conditional,
    syntax.Index: _Builder.index,
    syntax.Slice: _Builder.cut,
    syntax.Attribute: _Builder.attribute,
    syntax.Call: _Builder.call,
    syntax.Items: _Builder.items,
    syntax.Entries: _Builder.entries,
}


def _no_value(name: str) -> ExpressionError:
    return ExpressionError(f"there is no value for {name!r}")


def _name_with_constant(name: str, operator: str, constant: object) -> Closure:
    """The commonest shape of a condition, such as `patient_id == 0`, in one closure."""
    if operator in ("==", "!="):
        wanted = operator == "=="

        def equals(environment: Environment, meter: Meter) -> object:
            try:
                return (environment[name] == constant) is wanted
            except KeyError:
                raise _no_value(name) from None

        return equals
    operation = COMPARISONS[operator]

    def compares(environment: Environment, meter: Meter) -> object:
        try:
            value = environment[name]
        except KeyError:
            raise _no_value(name) from None
        return operation(value, constant, meter)

    return compares


def _among(first: Closure, constants: tuple[object, ...], wanted: bool) -> Closure:
    """`x in ["a", "b"]`: the list is not built again for each look."""
    return lambda environment, meter: (first(environment, meter) in constants) is wanted


def literal(value: object) -> str:
    """The source of an expression that gives this plain value.

    >>> literal({"a": [1, None, "it's"]})
    '{"a": [1, None, "it\\'s"]}'
    """
    return _literal(value, _LITERAL_NESTING_MAX)


def _literal(value: object, levels: int) -> str:
    if levels == 0:
        raise ValueError(f"a value nested more than {_LITERAL_NESTING_MAX} deep has no literal")
    if value is None or isinstance(value, bool | int):
        return str(value)
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) else f'float("{value}")'
    if isinstance(value, str):
        return msgspec.json.encode(value).decode()
    if isinstance(value, list | tuple):
        return f"[{', '.join(_literal(part, levels - 1) for part in value)}]"
    if isinstance(value, dict):
        if not all(isinstance(key, str) for key in value):
            raise ValueError("a dict whose keys are not all text has no literal")
        entries = (f"{_literal(key, 1)}: {_literal(part, levels - 1)}" for key, part in value.items())
        return f"{{{', '.join(entries)}}}"
    raise ValueError(f"a {type(value).__name__} has no literal")
