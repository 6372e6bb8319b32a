"""Reads an expression's text into a tree, with Python's precedences. Knows nothing of values, types or running."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NoReturn

from weft.model.expression_tokens import ExpressionFault, Limits, Token, tokens

FUNCTIONS = {
    "len", "min", "max", "sum", "abs", "round", "any", "all", "str", "int", "float", "xpath", "xpath_data",
}  # fmt: skip
"""Those that there are, and those that the operator registered (`weft.model.expression_functions.register`)."""


@dataclass(frozen=True, slots=True)
class Constant:
    value: object
    column: int
    depth: int = 1


@dataclass(frozen=True, slots=True)
class Name:
    name: str
    column: int
    depth: int = 1


@dataclass(frozen=True, slots=True)
class Unary:
    """`not`, `-` or `+`."""

    operator: str
    operand: "Node"
    column: int
    depth: int


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """A chain of operators of one precedence, taken from the left: `a + b - c`."""

    first: "Node"
    rest: tuple[tuple[str, "Node", int], ...]  # operator, operand, column of the operator
    column: int
    depth: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """`a < b <= c`, as in Python."""

    first: "Node"
    rest: tuple[tuple[str, "Node", int], ...]
    column: int
    depth: int


@dataclass(frozen=True, slots=True)
class Logic:
    """`and` or `or` over two or more."""

    operator: str
    operands: tuple["Node", ...]
    column: int
    depth: int


@dataclass(frozen=True, slots=True)
class Conditional:
    """`value if condition else … else otherwise`; the cases are (condition, value)."""

    cases: tuple[tuple["Node", "Node"], ...]
    otherwise: "Node"
    column: int
    depth: int


@dataclass(frozen=True, slots=True)
class Index:
    holder: "Node"
    index: "Node"
    column: int
    depth: int


@dataclass(frozen=True, slots=True)
class Slice:
    holder: "Node"
    start: "Node | None"
    stop: "Node | None"
    column: int
    depth: int


@dataclass(frozen=True, slots=True)
class Attribute:
    holder: "Node"
    name: str
    column: int
    depth: int


@dataclass(frozen=True, slots=True)
class Call:
    function: str
    arguments: tuple["Node", ...]
    column: int
    depth: int


@dataclass(frozen=True, slots=True)
class Items:
    """A list, or a tuple, which is a list."""

    items: tuple["Node", ...]
    column: int
    depth: int


@dataclass(frozen=True, slots=True)
class Entries:
    """A dict."""

    keys: tuple["Node", ...]
    values: tuple["Node", ...]
    column: int
    depth: int


Node = (
    Constant | Name | Unary | Arithmetic | Comparison | Logic | Conditional | Index | Slice | Attribute | Call | Items
    | Entries
)  # fmt: skip

_CONDITIONAL, _OR, _AND, _NOT, _COMPARISON, _SUM, _PRODUCT, _SIGN = range(8)
_LEVELS: Mapping[str, int] = {
    "if": _CONDITIONAL, "or": _OR, "and": _AND,
    "==": _COMPARISON, "!=": _COMPARISON, "<": _COMPARISON, "<=": _COMPARISON, ">": _COMPARISON, ">=": _COMPARISON,
    "in": _COMPARISON, "not": _COMPARISON, "is": _COMPARISON,
    "+": _SUM, "-": _SUM, "*": _PRODUCT, "/": _PRODUCT, "//": _PRODUCT, "%": _PRODUCT,
}  # fmt: skip


def parse_expression(source: str, limits: Limits) -> Node:
    """The tree of the text, at most `limits.nesting` deep."""
    try:
        source.encode()
    except UnicodeEncodeError as error:
        raise ExpressionFault("an expression can't have half of a surrogate pair", error.start + 1) from None
    reader = _Reader(tokens(source, limits), limits.nesting)
    try:
        node = reader.expression(_CONDITIONAL)
    except RecursionError:
        raise reader.too_deep() from None
    if reader.token.kind != "end":
        raise reader.unexpected("the expression should end here")
    return node


@dataclass(slots=True)
class _Reader:
    """A precedence-climbing parser, one token ahead."""

    tokens: list[Token]
    nesting: int
    at: int = 0
    open: int = 0
    token: Token = field(init=False)

    def __post_init__(self) -> None:
        self.token = self.tokens[0]

    def advance(self) -> Token:
        taken = self.token
        self.at = min(self.at + 1, len(self.tokens) - 1)
        self.token = self.tokens[self.at]
        return taken

    def expect(self, kind: str, after: str) -> None:
        if self.token.kind != kind:
            raise self.unexpected(f"expected {kind!r} after {after}")
        self.advance()

    def unexpected(self, sentence: str) -> ExpressionFault:
        found = self.token
        if found.kind == ",":
            sentence += "; a list is written [a, b]"
        shown = "the end" if found.kind == "end" else f"{found.text:.40}"
        return ExpressionFault(f"{sentence}, found {shown}", found.column)

    def too_deep(self) -> ExpressionFault:
        return ExpressionFault(f"an expression may be nested {self.nesting} deep", self.token.column)

    def depth(self, *parts: Node) -> int:
        deepest = 1 + max((part.depth for part in parts), default=0)
        if deepest > self.nesting:
            raise self.too_deep()
        return deepest

    def expression(self, level: int) -> Node:
        """An expression all of whose operators bind at least as tightly as `level`."""
        self.open += 1
        if self.open > self.nesting:
            raise self.too_deep()
        left = self.prefix(level)
        while True:
            found = _LEVELS.get(self.token.kind)
            if found is None or found < level:
                break
            left = self.infix(left, found)
        self.open -= 1
        return left

    def prefix(self, level: int) -> Node:
        token = self.token
        if token.kind == "not":
            if level > _NOT:
                raise ExpressionFault("not binds less tightly than what is before it: write (not …)", token.column)
            self.advance()
            operand = self.expression(_NOT)
            return Unary("not", operand, token.column, self.depth(operand))
        if token.kind in ("-", "+"):
            self.advance()
            operand = self.expression(_SIGN)
            if token.kind == "-" and isinstance(operand, Constant) and type(operand.value) in (int, float):
                return Constant(-operand.value, token.column)  # type: ignore[operator]
            return Unary(token.kind, operand, token.column, self.depth(operand))
        return self.postfix(self.atom())

    def infix(self, left: Node, level: int) -> Node:
        column = self.token.column
        if level == _CONDITIONAL:
            return self.conditional(left, column)
        if level in (_OR, _AND):
            operator = self.token.kind
            operands = [left]
            while self.token.kind == operator:
                self.advance()
                operands.append(self.expression(level + 1))
            return Logic(operator, tuple(operands), column, self.depth(*operands))
        rest: list[tuple[str, Node, int]] = []
        while _LEVELS.get(self.token.kind) == level:
            operator_column = self.token.column
            operator = self.comparison() if level == _COMPARISON else self.advance().kind
            rest.append((operator, self.expression(level + 1), operator_column))
            if operator in ("is", "is not"):
                rest[-1] = self.compared_to_null(*rest[-1])
        depth = self.depth(left, *(operand for _, operand, _ in rest))
        kind = Comparison if level == _COMPARISON else Arithmetic
        return kind(left, tuple(rest), column, depth)

    def comparison(self) -> str:
        operator = self.advance().kind
        if operator == "not":
            self.expect("in", "not")
            return "not in"
        if operator == "is" and self.token.kind == "not":
            self.advance()
            return "is not"
        return operator

    def compared_to_null(self, operator: str, operand: Node, column: int) -> tuple[str, Node, int]:
        plain = "==" if operator == "is" else "!="
        if not isinstance(operand, Constant) or operand.value is not None:
            raise ExpressionFault(f"{operator!r} is only for None; compare values with {plain}", column, plain)
        return plain, operand, column

    def conditional(self, value: Node, column: int) -> Node:
        cases: list[tuple[Node, Node]] = []
        while self.token.kind == "if":
            self.advance()
            cases.append((self.expression(_OR), value))
            self.expect("else", "the condition")
            value = self.expression(_OR)
        return Conditional(tuple(cases), value, column, self.depth(value, *(part for case in cases for part in case)))

    def postfix(self, node: Node) -> Node:
        while True:
            token = self.token
            if token.kind == "[":
                node = self.subscript(node)
            elif token.kind == ".":
                self.advance()
                if self.token.kind != "name":
                    raise self.unexpected("expected the name of a field after '.'")
                name = self.advance()
                node = Attribute(node, name.text, name.column, self.depth(node))
            elif token.kind == "(":
                raise self.no_call(node, token)
            else:
                return node

    def no_call(self, node: Node, token: Token) -> ExpressionFault:
        if isinstance(node, Attribute):
            return ExpressionFault(f"there are no methods; .{node.name}(…) can't be called", node.column)
        return ExpressionFault(f"only functions can be called: {', '.join(sorted(FUNCTIONS))}", token.column)

    def subscript(self, holder: Node) -> Node:
        column = self.advance().column
        start = None if self.token.kind == ":" else self.expression(_CONDITIONAL)
        if self.token.kind != ":":
            self.expect("]", "the index")
            assert start is not None
            return Index(holder, start, column, self.depth(holder, start))
        self.advance()
        stop = None if self.token.kind in ("]", ":") else self.expression(_CONDITIONAL)
        if self.token.kind == ":":
            raise ExpressionFault("a slice has a start and a stop, and no step", self.token.column)
        self.expect("]", "the slice")
        return Slice(holder, start, stop, column, self.depth(*(part for part in (holder, start, stop) if part)))

    def atom(self) -> Node:
        token = self.token
        match token.kind:
            case "value":
                return self.constant()
            case "name":
                self.advance()
                return self.call(token) if self.token.kind == "(" else Name(token.text, token.column)
            case "(":
                return self.parenthesis()
            case "[":
                self.advance()
                items, _ = self.listed("]")
                return Items(items, token.column, self.depth(*items))
            case "{":
                return self.entries()
            case "*":
                raise ExpressionFault("* can't unpack a list here; join lists with +", token.column)
        raise self.unexpected("expected a value")

    def constant(self) -> Node:
        token = self.advance()
        parts = [token.value]
        while isinstance(token.value, str) and isinstance(self.token.value, str):
            parts.append(self.advance().value)
        value = "".join(map(str, parts)) if len(parts) > 1 else token.value
        return Constant(value, token.column)

    def call(self, name: Token) -> Node:
        if name.text not in FUNCTIONS:
            known = ", ".join(sorted(FUNCTIONS))
            raise ExpressionFault(f"there is no function {name.text!r:.60}; there are {known}", name.column)
        self.advance()
        arguments, _ = self.listed(")")
        return Call(name.text, arguments, name.column, self.depth(*arguments))

    def parenthesis(self) -> Node:
        column = self.advance().column
        items, commas = self.listed(")")
        return items[0] if len(items) == 1 and not commas else Items(items, column, self.depth(*items))

    def listed(self, end: str) -> tuple[tuple[Node, ...], int]:
        """What stands up to the closing bracket, and how many commas were among it."""
        items: list[Node] = []
        commas = 0
        while self.token.kind != end:
            items.append(self.expression(_CONDITIONAL))
            if self.token.kind != ",":
                break
            commas += 1
            self.advance()
        if self.token.kind != end:
            raise self.unexpected(f"expected ',' or {end!r}")
        self.advance()
        return tuple(items), commas

    def entries(self) -> Node:
        column = self.advance().column
        keys: list[Node] = []
        values: list[Node] = []
        while self.token.kind != "}":
            keys.append(self.expression(_CONDITIONAL))
            if self.token.kind in (",", "}"):
                self.no_set()
            self.expect(":", "the key")
            values.append(self.expression(_CONDITIONAL))
            if self.token.kind != ",":
                break
            self.advance()
        self.expect("}", "the last entry")
        return Entries(tuple(keys), tuple(values), column, self.depth(*keys, *values))

    def no_set(self) -> NoReturn:
        raise ExpressionFault("there are no sets; a list is written [a, b]", self.token.column)
