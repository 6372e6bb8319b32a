"""Cuts the text of an expression into tokens, as Python would, and refuses early what is not ours."""

import re
from dataclasses import dataclass
from typing import NoReturn

MESSAGE_MAX = 400  # a message may quote the text, which may be long
INT_BITS_MAX = 4096  # an int of more bits is refused, so that no arithmetic and no printing is slow


class ExpressionFault(ValueError):
    """An expression's text is wrong. `column` counts characters from 1; `suggestion` is what may have been meant."""

    def __init__(self, message: str, column: int = 1, suggestion: str | None = None) -> None:
        self.message = message if len(message) <= MESSAGE_MAX else message[:MESSAGE_MAX] + "…"
        self.column = column
        self.suggestion = suggestion if suggestion and len(suggestion) <= MESSAGE_MAX else None
        super().__init__(f"{self.message}; did you mean {suggestion}?" if self.suggestion else self.message)


@dataclass(frozen=True, slots=True)
class Limits:
    """How large an expression, and what it makes, may be. A step is one element looked at."""

    source: int = 65_536
    nesting: int = 100
    steps: int = 10_000
    value: int = 262_144


@dataclass(frozen=True, slots=True)
class Token:
    """`kind` is name, value, the operator itself, or end; names that are operators, such as `and`, are operators."""

    kind: str
    column: int
    text: str = ""
    value: object = None


_TOKEN = re.compile(
    r"""[ \t\r\n\f]*(?:\#[^\n]*\n?[ \t\r\n\f]*)*(?:"""
    r"""(?P<string>(?P<prefix>[^\W\d]*)(?P<quoted>"[^"\\\n]*(?:\\.[^"\\\n]*)*"|'[^'\\\n]*(?:\\.[^'\\\n]*)*'))"""
    r"""|(?P<radix>0[xX](?:_?[0-9a-fA-F])+|0[oO](?:_?[0-7])+|0[bB](?:_?[01])+)"""
    r"""|(?P<number>(?:[0-9](?:_?[0-9])*)?\.[0-9](?:_?[0-9])*(?:[eE][+-]?[0-9]+)?"""
    r"""|[0-9](?:_?[0-9])*\.?(?:[eE][+-]?[0-9]+)?)"""
    r"""|(?P<name>[^\W\d]\w*)"""
    r"""|(?P<operator>\*\*|//|==|!=|<=|>=|<<|>>|:=|->|&&|\|\||\.\.\.|[-+*/%<>()\[\]{},:.&|^~@=!;?$\\"'`])"""
    r"""|(?P<end>\Z))""",
)
_VALUES = {"None": None, "null": None, "True": True, "False": False}
_WORDS = frozenset(("and", "or", "not", "in", "is", "if", "else"))
_NO_WORDS = {
    "lambda": "a function can't be made in an expression",
    "for": "there are no comprehensions; use any, all, sum, min or max of a list, or do it in a task",
}
_KEYWORDS = frozenset(
    [
        "as",
        "assert",
        "async",
        "await",
        "break",
        "class",
        "continue",
        "def",
        "del",
        "elif",
        "except",
        "finally",
        "for",
        "from",
        "global",
        "import",
        "lambda",
        "nonlocal",
        "pass",
        "raise",
        "return",
        "try",
        "while",
        "with",
        "yield",
    ]
)
_NO_OPERATORS = {
    "**": ("there is no power; multiply instead", None),
    "<<": ("there are no shifts; multiply instead", None),
    ">>": ("there are no shifts; divide with // instead", None),
    "&": ("there are no bit operators", "and"),
    "&&": ("&& is written differently here", "and"),
    "|": ("there are no bit operators", "or"),
    "||": ("|| is written differently here", "or"),
    "^": ("there are no bit operators", "!="),
    "~": ("there are no bit operators", "not"),
    "!": ("! is written differently here", "not"),
    "=": ("an expression can't assign; a comparison is written ==", "=="),
    ":=": ("an expression can't assign; a comparison is written ==", "=="),
    "->": ("-> has no meaning here", None),
    "@": ("there are no matrices", None),
    ";": ("only one expression may be given", None),
    "...": ("... has no meaning here", None),
    "\\": ("a backslash has no meaning here; an expression may simply go on in the next line", None),
    "'": ("this string is not closed before the end of the line", None),
    '"': ("this string is not closed before the end of the line", None),
}
_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-7]{1,3}|.)")
_ESCAPES = {
    "\\": "\\", "'": "'", '"': '"', "a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v",
}  # fmt: skip


def tokens(source: str, limits: Limits) -> list[Token]:
    """All tokens of the text; the last is `end`."""
    if len(source) > limits.source:
        raise ExpressionFault(f"an expression may have {limits.source} characters, this has {len(source)}")
    result: list[Token] = []
    position = 0
    while not result or result[-1].kind != "end":
        found = _TOKEN.match(source, position)
        if found is None:
            rest = source[position:]
            at = position + len(rest) - len(rest.lstrip(" \t\r\n\f"))
            raise ExpressionFault(f"an expression can't have the character {source[at]!r}", at + 1)
        result.append(_token(found, source))
        position = found.end()
    return result


def _token(found: re.Match[str], source: str) -> Token:
    kind = found.lastgroup or ""
    if found["string"] is not None:
        kind = "string"
    word, column = found[kind], found.start(kind) + 1
    if kind == "string":
        return Token("value", column, word, _string(found["prefix"], found["quoted"], column))
    if kind in ("number", "radix"):
        following = source[found.end() : found.end() + 1]
        if following.isalnum() or following == "_" or (following == "." and word[-1] != "."):
            raise ExpressionFault(f"{word + following!r} is not a number", column)
        return Token("value", column, word, _number(word, kind, column))
    if kind == "name":
        return _word(word, column)
    if kind == "operator" and word in (*_NO_OPERATORS, "?", "$", "`"):
        message, suggestion = _NO_OPERATORS.get(word, (f"{word} has no meaning in an expression", None))
        raise ExpressionFault(message, column, suggestion)
    return Token(word if kind == "operator" else "end", column, word)


def _word(word: str, column: int) -> Token:
    if word in _VALUES:
        return Token("value", column, word, _VALUES[word])
    if word in _WORDS:
        return Token(word, column, word)
    if word in _KEYWORDS:
        raise ExpressionFault(_NO_WORDS.get(word, f"{word!r} has no meaning in an expression"), column)
    if "__" in word and (word.startswith("__") or word.endswith("__")):
        raise ExpressionFault(f"{word!r} can't be used: names with double underscores belong to Python itself", column)
    return Token("name", column, word)


def _number(word: str, kind: str, column: int) -> int | float:
    if kind == "radix" or word.replace("_", "").isdigit():
        if kind == "number" and word[0] == "0" and word.strip("0_"):
            raise ExpressionFault(f"{word} begins with 0", column, word.lstrip("0_"))
        if len(word) > INT_BITS_MAX + 2:
            raise too_large(column)
        value = int(word.replace("_", ""), 0 if kind == "radix" else 10)
        if value.bit_length() > INT_BITS_MAX:
            raise too_large(column)
        return value
    return float(word.replace("_", ""))


def too_large(column: int) -> ExpressionFault:
    return ExpressionFault(f"this number is too large; ints may have {INT_BITS_MAX} bits", column)


def _string(prefix: str, quoted: str, column: int) -> str:
    body = quoted[1:-1]
    if prefix and prefix.lower() != "r":
        raise _no_prefix(prefix, column)
    if not prefix:
        body = _ESCAPE.sub(lambda found: _escaped(found[1], column + found.start() + 1), body)
    try:
        body.encode()
    except UnicodeEncodeError:
        raise ExpressionFault("this string has half of a surrogate pair, which UTF-8 can't hold", column) from None
    return body


def _no_prefix(prefix: str, column: int) -> NoReturn:
    if "f" in prefix.lower():
        raise ExpressionFault("there are no f-strings; join text with +, and turn a number into text with str", column)
    if prefix.lower() in ("b", "br", "rb"):
        raise ExpressionFault("there are no bytes in an expression; leave the b away", column)
    raise ExpressionFault(f"a string can't follow {prefix!r}", column)


def _escaped(code: str, column: int) -> str:
    if code in _ESCAPES:
        return _ESCAPES[code]
    if code[0] in "01234567":
        return chr(int(code, 8))
    number = int(code[1:], 16) if code[0] in "xuU" and len(code) > 1 else -1
    if not 0 <= number <= 0x10FFFF:
        raise ExpressionFault(f"\\{code} is no escape; a backslash itself is written \\\\", column)
    return chr(number)
