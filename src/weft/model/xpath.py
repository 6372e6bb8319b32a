"""Evaluates XPath over plain values, as if they were XML: a key is an element, a list one element for each item.

A key that begins with `@` is an attribute, `#text` is text beside elements. As in XPath itself, a list of nodes is true
when there is one, is compared by any of them, and is the text of its first.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from weft.model import xpath_syntax as syntax
from weft.model.expression_meter import ExpressionError, Meter
from weft.model.xpath_functions import FUNCTIONS, Context, Node, Result, boolean, number, string, text_of
from weft.model.xpath_syntax import XPath, parse_xpath

LEVELS_MAX: Final = 100


def xpath(arguments: list[object], meter: Meter) -> object:
    """`xpath(text, names)`: a truth, a number, a text, or the list of the values that it finds."""
    found = _evaluate(arguments, meter)
    if isinstance(found, list):
        return [node.value for node in found]
    return _plain_number(found) if isinstance(found, float) else found


def xpath_data(arguments: list[object], meter: Meter) -> object:
    """`xpath_data(text, names)`: the same as the data of a token, each node under its name."""
    found = _evaluate(arguments, meter)
    if isinstance(found, bool):
        return {"boolean": found}
    if isinstance(found, float):
        return {"number": _plain_number(found)}
    if isinstance(found, str):
        return {"string": found}
    data: dict[str, object] = {}
    for node in found:
        before = data.get(node.name)
        if node.name not in data:
            data[node.name] = node.value
        elif isinstance(before, list):
            data[node.name] = [*before, node.value]
        else:
            data[node.name] = [before, node.value]
    return data


def _plain_number(value: float) -> int | float:
    if not math.isfinite(value):
        raise ExpressionError(f"it gives {string(value)}, which is no number that a value can be")
    return int(value) if value == int(value) else value


def _evaluate(arguments: list[object], meter: Meter) -> Result:
    text, names = arguments[0], arguments[1] if len(arguments) > 1 else {}
    if not isinstance(text, str) or not isinstance(names, dict):
        raise ExpressionError("xpath wants a text and a dict of the values that it may name")
    root = Node((), "", {"data": names}, None)
    return _Evaluation(root, names, meter).of(parse_xpath(text), Context(root, 1, 1))


class _Evaluation:
    def __init__(self, root: Node, names: Mapping[str, object], meter: Meter) -> None:
        self.root = root
        self.names = names
        self.meter = meter

    def of(self, tree: XPath, here: Context) -> Result:
        self.meter.spend(1)
        match tree:
            case syntax.Value(value):
                return value
            case syntax.Variable(name):
                return self.variable(name)
            case syntax.Negated(operand):
                return -number(self.of(operand, here))
            case syntax.Binary("or", left, right):
                return boolean(self.of(left, here)) or boolean(self.of(right, here))
            case syntax.Binary("and", left, right):
                return boolean(self.of(left, here)) and boolean(self.of(right, here))
            case syntax.Binary(operator, left, right):
                return self.binary(operator, self.of(left, here), self.of(right, here))
            case syntax.Called(function, arguments):
                values = [self.of(one, here) for one in arguments]
                result = FUNCTIONS[function](here, values)
                if isinstance(result, str):
                    self.meter.text(len(result))
                    self.meter.room(len(result))
                return result
            case syntax.Path():
                return self.path(tree, here)

    def variable(self, name: str) -> list[Node]:
        if name not in self.names:
            raise ExpressionError(f"there is no value for ${name}")
        data = Node((0,), "data", self.names, self.root)
        return [one for one in self.children(data) if one.name == name]

    def binary(self, operator: str, left: Result, right: Result) -> Result:
        if operator == "|":
            if not isinstance(left, list) or not isinstance(right, list):
                raise ExpressionError("| joins lists of nodes")
            return _in_order([*left, *right])
        if operator in _COMPARISONS:
            return self.compared(operator, left, right)
        return _ARITHMETIC[operator](number(left), number(right))

    def compared(self, operator: str, left: Result, right: Result) -> bool:
        """With nodes: whether it holds for the text of any of them, or beside a truth, for whether there are any."""
        if isinstance(left, bool) and (operator in ("=", "!=") or isinstance(right, list)):
            right = boolean(right)
        if isinstance(right, bool) and (operator in ("=", "!=") or isinstance(left, list)):
            left = boolean(left)
        if isinstance(left, list):
            self.meter.spend(len(left))
            return any(self.compared(operator, text_of(one.value), right) for one in left)
        if isinstance(right, list):
            self.meter.spend(len(right))
            return any(self.compared(operator, left, text_of(one.value)) for one in right)
        if operator in ("=", "!="):
            if isinstance(left, bool):
                same = left == right
            elif isinstance(left, float) or isinstance(right, float):
                same = number(left) == number(right)
            else:
                same = string(left) == string(right)
            return same == (operator == "=")
        return _COMPARISONS[operator](number(left), number(right))

    def path(self, path: syntax.Path, here: Context) -> Result:
        if path.start == "root":
            found: Result = [self.root]
        elif path.start is None:
            found = [here.node]
        else:
            found = self.of(path.start, here)
        if not isinstance(found, list):
            raise ExpressionError(f"a step wants nodes, not {string(found)[:40]!r}")
        nodes = self.chosen(found, path.predicates)
        for step in path.steps:
            reached = [self.chosen([*self.axis(node, step)], step.predicates) for node in nodes]
            nodes = _in_order([one for some in reached for one in some])
        return nodes

    def chosen(self, nodes: list[Node], predicates: tuple[XPath, ...]) -> list[Node]:
        for predicate in predicates:
            size = len(nodes)
            nodes = [one for at, one in enumerate(nodes, 1) if self.holds(predicate, Context(one, at, size))]
        return nodes

    def holds(self, predicate: XPath, here: Context) -> bool:
        found = self.of(predicate, here)
        return found == here.position if isinstance(found, float) else boolean(found)

    def axis(self, node: Node, step: syntax.Step) -> Iterator[Node]:
        if step.axis == "deep":
            yield from self.below(node)
        elif step.axis == "self":
            yield node
        elif step.axis == "parent":
            if node.parent is not None:
                yield node.parent
        elif step.axis == "attribute":
            entries = node.value.items() if isinstance(node.value, dict) else ()
            for at, (key, value) in enumerate(entries):
                if key.startswith("@") and step.name in ("*", "node()", key[1:]):
                    yield Node((*node.order, at), key, value, node)
        else:
            yield from (one for one in self.children(node) if _named(one, step.name))

    def below(self, node: Node) -> Iterator[Node]:
        rest = [node]
        while rest:
            found = rest.pop()
            if len(found.order) > LEVELS_MAX:
                raise ExpressionError(f"a value may be {LEVELS_MAX} levels deep")
            yield found
            rest += reversed([*self.children(found)])

    def children(self, node: Node) -> Iterator[Node]:
        value = node.value
        if node.name == "#text" or node.name.startswith("@"):
            return
        if not isinstance(value, dict):
            self.meter.spend(1)
            if value is not None and not isinstance(value, list):
                yield Node((*node.order, 0), "#text", value, node)
            return
        for at, (key, inside) in enumerate(value.items()):
            if key.startswith("@"):
                continue
            for number_of, one in enumerate(inside if isinstance(inside, list) else [inside]):
                self.meter.spend(1)
                yield Node((*node.order, at, number_of), key, one, node)


def _named(node: Node, name: str) -> bool:
    if name == "node()":
        return True
    is_text = node.name == "#text"
    return is_text if name == "text()" else not is_text and name in ("*", node.name)


def _in_order(nodes: list[Node]) -> list[Node]:
    """Each once, in the order of the document."""
    return sorted({(one.order, one.name): one for one in nodes}.values(), key=lambda one: one.order)


_COMPARISONS: Final[dict[str, Callable[[float, float], bool]]] = {
    "=": lambda left, right: left == right,
    "!=": lambda left, right: left != right,
    "<": lambda left, right: left < right,
    "<=": lambda left, right: left <= right,
    ">": lambda left, right: left > right,
    ">=": lambda left, right: left >= right,
}


def _divided(left: float, right: float) -> float:
    if right:
        return left / right
    return math.nan if not left or math.isnan(left) else math.copysign(math.inf, left) * math.copysign(1.0, right)


_ARITHMETIC: Final[dict[str, Callable[[float, float], float]]] = {
    "+": lambda left, right: left + right,
    "-": lambda left, right: left - right,
    "*": lambda left, right: left * right,
    "div": _divided,
    "mod": lambda left, right: math.fmod(left, right) if right and math.isfinite(left) else math.nan,
}
