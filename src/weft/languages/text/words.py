"""Words of a text with their places, which the trees of all languages are made of."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from lark import Token

from weft.languages.text.parsing import span_of
from weft.languages.text.source import Span


class Word(NamedTuple):
    text: str
    span: Span


def word(token: Token) -> Word:
    return Word(str(token), span_of(token))


def keyword(parts: Sequence[Any]) -> Word:
    """The first part, in capitals."""
    return Word(str(parts[0]).upper(), span_of(parts[0]))


def there(parts: Sequence[Any]) -> tuple[Any, ...]:
    """The parts that are there: an option that was left out, or what was skipped, is None."""
    return tuple([one for one in parts if one is not None])


def whole(parts: Sequence[Any]) -> Span:
    """From the first part to the last."""
    first, last = parts[0], parts[-1]
    start = span_of(first) if isinstance(first, Token) else first
    end = span_of(last) if isinstance(last, Token) else last
    return Span(start.start, end.end)
