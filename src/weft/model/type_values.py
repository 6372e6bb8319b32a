"""Plain values: to and from Python objects, and how large they are. Never pickles."""

from collections.abc import Mapping

import msgspec

SIZE_MAX = 2**30  # where measuring stops if nobody says otherwise


class ValueFault(ValueError):
    """A Python value has no plain form, or a plain value is not what was wanted."""

    def __init__(self, message: str) -> None:
        self.message = message
        super().__init__(message)


def to_plain(value: object) -> object:
    """The value as plain data: None, bool, int, float, str, list and dict with text keys.

    >>> to_plain({"due": date(2031, 5, 1), "at": (1, 2)})
    {'due': '2031-05-01', 'at': [1, 2]}
    """
    try:
        return _without_tuples(msgspec.to_builtins(value, str_keys=True))
    except RecursionError:
        raise ValueFault(f"this {type(value).__name__} is nested too deep, or holds itself") from None
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueFault(f"this {type(value).__name__} has no plain form: {error}") from None


def from_plain(value: object, annotation: object) -> object:
    """The Python object of that annotation which the plain value stands for.

    >>> from_plain("2031-05-01", date)
    datetime.date(2031, 5, 1)
    """
    try:
        return msgspec.convert(value, annotation, str_keys=True)
    except RecursionError:
        raise ValueFault("the value is nested too deep") from None
    except msgspec.ValidationError as error:
        raise ValueFault(str(error)) from None
    except (TypeError, ValueError) as error:
        raise ValueFault(f"a value can't be made into {annotation}: {error}") from None


def _without_tuples(value: object) -> object:
    if isinstance(value, list | tuple):
        return [_without_tuples(part) for part in value]
    if isinstance(value, dict):
        return {key: _without_tuples(part) for key, part in value.items()}
    return value


def size_of(value: object, stop: int = SIZE_MAX) -> int:
    """About how many bytes the value has as JSON. Counting ends soon after `stop`, so even a cycle costs no more."""
    size = 0
    rest = [value]
    while rest and size <= stop:
        part = rest.pop()
        if isinstance(part, str):
            size += _text_size(part, stop)
        elif part is None or isinstance(part, bool):
            size += 4
        elif isinstance(part, int):
            size += part.bit_length() * 30_103 // 100_000 + 1 + (part < 0)
        elif isinstance(part, float):
            size += len(repr(part))
        elif isinstance(part, Mapping):
            size += 2 + 2 * len(part)
            rest.extend(part)
            rest.extend(part.values())
        elif isinstance(part, list | tuple):
            size += 2 + len(part)
            rest.extend(part)
        else:
            raise ValueFault(f"a {type(part).__name__} is not plain data")
    return size


def _text_size(value: str, stop: int) -> int:
    if value.isascii() or len(value) > stop:
        return len(value) + 2
    return len(value.encode(errors="surrogatepass")) + 2


def exceeds(value: object, limit: int) -> bool:
    """Whether the value is larger than so many bytes of JSON; looks at no more of it than needed."""
    return size_of(value, limit) > limit
