"""Reads the part of XPath 1.0 that workflows use into a tree. Knows nothing of values."""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal, NoReturn

from weft.model.expression_tokens import ExpressionFault

NESTING_MAX: Final = 60
SOURCE_MAX: Final = 10_000

FUNCTIONS: Final[dict[str, tuple[int, int]]] = {
    "boolean": (1, 1), "ceiling": (1, 1), "concat": (2, 100), "contains": (2, 2), "count": (1, 1), "false": (0, 0),
    "floor": (1, 1), "last": (0, 0), "local-name": (0, 1), "name": (0, 1), "normalize-space": (0, 1), "not": (1, 1),
    "number": (0, 1), "position": (0, 0), "round": (1, 1), "starts-with": (2, 2), "string": (0, 1),
    "string-length": (0, 1), "substring": (2, 3), "substring-after": (2, 2), "substring-before": (2, 2), "sum": (1, 1),
    "translate": (3, 3), "true": (0, 0),
}  # fmt: skip
"""How many arguments each takes, at least and at most."""


@dataclass(frozen=True, slots=True)
class Value:
    """A number or a text."""

    value: float | str


@dataclass(frozen=True, slots=True)
class Variable:
    name: str


@dataclass(frozen=True, slots=True)
class Binary:
    operator: str
    left: "XPath"
    right: "XPath"


@dataclass(frozen=True, slots=True)
class Negated:
    operand: "XPath"


@dataclass(frozen=True, slots=True)
class Called:
    function: str
    arguments: tuple["XPath", ...]


@dataclass(frozen=True, slots=True)
class Step:
    """`axis` is where the step goes; `name` is `*`, a name, or `text()` or `node()`."""

    axis: Literal["child", "attribute", "self", "parent", "deep"]
    name: str
    predicates: tuple["XPath", ...] = ()


@dataclass(frozen=True, slots=True)
class Path:
    """From the root, from where one stands (`start` is None), or from nodes that an expression gives."""

    start: "XPath | Literal['root'] | None"
    predicates: tuple["XPath", ...]
    steps: tuple[Step, ...]


XPath = Value | Variable | Binary | Negated | Called | Path

_TOKEN: Final = re.compile(
    r"""\s*(?:(?P<number>\d+(?:\.\d*)?|\.\d+)|(?P<text>"[^"]*"|'[^']*')|(?P<variable>\$[^\W\d][\w.:-]*)"""
    r"""|(?P<axis>[a-z-]+)\s*::|(?P<name>(?:[^\W\d][\w.-]*:(?!:))?(?:[^\W\d][\w.-]*|(?<=:)\*))|(?P<sign>//|\.\.|!=|<=|>=|[/.@*|=<>+,()\[\]-])|(?P<end>$))"""
)
_BEFORE_OPERAND: Final = frozenset(("", "(", "[", ",", "/", "//", "|", "@", "+", "-", "*", "=", "!=", "<", "<=", ">",
                                    ">=", "and", "or", "div", "mod", "axis"))  # fmt: skip
_LEVELS: Final = (("or",), ("and",), ("=", "!="), ("<", "<=", ">", ">="), ("+", "-"), ("*", "div", "mod"))


@lru_cache(maxsize=1_000)
def parse_xpath(text: str) -> XPath:
    """The tree of a text.

    >>> parse_xpath("$i/a < 10").operator
    '<'
    """
    if len(text) > SOURCE_MAX:
        raise ExpressionFault(f"an XPath may have {SOURCE_MAX} characters")
    reader = _Reader(_tokens(text))
    found = reader.level(0)
    if reader.kind != "end":
        raise reader.unexpected("the XPath should end here")
    return found


def variables(tree: XPath) -> set[str]:
    """The names that a tree reads: those with `$`, and the first step below `/data`."""
    found: set[str] = set()
    rest: list[XPath] = [tree]
    while rest:
        match rest.pop():
            case Variable(name):
                found.add(name)
            case Binary(_, left, right):
                rest += (left, right)
            case Negated(operand):
                rest.append(operand)
            case Called(_, arguments):
                rest += arguments
            case Path(start, predicates, steps):
                if start == "root" and len(steps) > 1 and steps[0].name == "data" and steps[1].axis == "child":
                    found.update({steps[1].name} - {"*", "text()", "node()"})
                elif start is not None and start != "root":
                    rest.append(start)
                rest += [*predicates, *(one for step in steps for one in step.predicates)]
            case _:
                pass
    return found


def _tokens(text: str) -> list[tuple[str, str, int]]:
    """Kind, text and column of each. `*`, `and`, `or`, `div` and `mod` are operators where one may stand."""
    found: list[tuple[str, str, int]] = []
    at, before = 0, ""
    while True:
        token = _TOKEN.match(text, at)
        if token is None:
            shown = text[at : at + 10].strip()
            raise ExpressionFault(f"{shown!r} can't be read as XPath", at + 1)
        kind = token.lastgroup or "end"
        said = token[kind]
        column = token.start(kind) + 1
        if kind == "name" and said in ("and", "or", "div", "mod") and before not in _BEFORE_OPERAND:
            kind = "sign"
        elif said == "*" and before in _BEFORE_OPERAND:
            kind = "name"
        found.append((kind, said, column))
        if kind == "end":
            return found
        at, before = token.end(), said if kind == "sign" else kind


class _Reader:
    """A recursive-descent parser, one token ahead."""

    def __init__(self, tokens: list[tuple[str, str, int]]) -> None:
        self.tokens = tokens
        self.at = 0
        self.open = 0

    @property
    def kind(self) -> str:
        return self.tokens[self.at][0]

    @property
    def text(self) -> str:
        return self.tokens[self.at][1]

    def is_sign(self, *signs: str) -> bool:
        return self.kind == "sign" and self.text in signs

    def take(self) -> str:
        said = self.text
        self.at = min(self.at + 1, len(self.tokens) - 1)
        return said

    def expect(self, sign: str) -> None:
        if not self.is_sign(sign):
            raise self.unexpected(f"expected {sign!r}")
        self.take()

    def unexpected(self, what: str) -> ExpressionFault:
        found = "the end" if self.kind == "end" else self.text[:40]
        return ExpressionFault(f"{what}, found {found}", self.tokens[self.at][2])

    def level(self, number: int) -> XPath:
        """Operators of one precedence, from the left; below the last level are signs and unions."""
        if number == len(_LEVELS):
            return self.signed()
        if number == 0:
            self.open += 1
            if self.open > NESTING_MAX:
                raise self.unexpected(f"an XPath may be nested {NESTING_MAX} deep")
        left = self.level(number + 1)
        while self.is_sign(*_LEVELS[number]):
            left = Binary(self.take(), left, self.level(number + 1))
        if number == 0:
            self.open -= 1
        return left

    def signed(self) -> XPath:
        negative = False
        while self.is_sign("-"):
            self.take()
            negative = not negative
        found = self.path()
        while self.is_sign("|"):
            self.take()
            found = Binary("|", found, self.path())
        return Negated(found) if negative else found

    def path(self) -> XPath:
        if self.is_sign("/", "//"):
            if self.text == "/":
                self.take()
                starts = self.kind in ("name", "axis") or self.is_sign(".", "..", "@")
                return Path("root", (), self.steps() if starts else ())
            return Path("root", (), self.following())
        is_step = self.kind in ("name", "axis") and not self.is_function()
        if is_step or self.is_sign(".", "..", "@"):
            return Path(None, (), self.steps())
        start = self.primary()
        predicates = self.predicates()
        steps = self.following() if self.is_sign("/", "//") else ()
        return Path(start, predicates, steps) if predicates or steps else start

    def is_function(self) -> bool:
        return self.tokens[self.at + 1][1] == "(" and self.text not in ("text", "node", "comment")

    def primary(self) -> XPath:
        match self.kind:
            case "number":
                return Value(float(self.take()))
            case "text":
                return Value(self.take()[1:-1])
            case "variable":
                return Variable(_local(self.take()[1:]))
            case "name":
                return self.call()
        if not self.is_sign("("):
            raise self.unexpected("expected a value")
        self.take()
        found = self.level(0)
        self.expect(")")
        return found

    def call(self) -> XPath:
        column = self.tokens[self.at][2]
        name = self.take()
        bounds = FUNCTIONS.get(_local(name))
        if bounds is None:
            known = ", ".join(FUNCTIONS)
            raise ExpressionFault(f"there is no XPath function {name[:40]!r} here; there are {known}", column)
        self.take()
        arguments: list[XPath] = []
        while not self.is_sign(")"):
            arguments.append(self.level(0))
            if not self.is_sign(","):
                break
            self.take()
        self.expect(")")
        if not bounds[0] <= len(arguments) <= bounds[1]:
            wanted = f"{bounds[0]}" if bounds[0] == bounds[1] else f"{bounds[0]} to {bounds[1]}"
            raise ExpressionFault(f"{name} takes {wanted} arguments, not {len(arguments)}", column)
        return Called(_local(name), tuple(arguments))

    def following(self) -> tuple[Step, ...]:
        """Steps behind a slash."""
        deep = self.take() == "//"
        return ((Step("deep", "node()"),) if deep else ()) + self.steps()

    def steps(self) -> tuple[Step, ...]:
        found = [self.step()]
        while self.is_sign("/", "//"):
            if self.take() == "//":
                found.append(Step("deep", "node()"))
            found.append(self.step())
        return tuple(found)

    def step(self) -> Step:
        if self.is_sign(".", ".."):
            return Step("self" if self.take() == "." else "parent", "node()")
        axis: Literal["child", "attribute", "self", "parent"] = "child"
        if self.is_sign("@"):
            self.take()
            axis = "attribute"
        elif self.kind == "axis":
            if self.text not in ("child", "attribute", "self", "parent"):
                self.no_axis()
            axis = self.take()  # type: ignore[assignment]
        if self.kind != "name":
            raise self.unexpected("expected the name of an element")
        name = _local(self.take())
        if self.is_sign("("):
            if name not in ("text", "node"):
                raise self.unexpected(f"{name}() is no step here")
            self.take()
            self.expect(")")
            name += "()"
        return Step(axis, name, self.predicates())

    def no_axis(self) -> NoReturn:
        raise self.unexpected("there are the axes child, attribute, self and parent")

    def predicates(self) -> tuple[XPath, ...]:
        found = []
        while self.is_sign("["):
            self.take()
            found.append(self.level(0))
            self.expect("]")
        return tuple(found)


def _local(name: str) -> str:
    return name.rpartition(":")[2]
