"""How wide text is, and how it is put into lines that fit. Widths are those of a wide font, so that it always does."""

import re
import unicodedata
from functools import lru_cache
from typing import Final
from xml.sax.saxutils import escape as _escape

SIZE: Final = 13
LINE: Final = 17
_WIDTHS: Final = {
    **dict.fromkeys("ijlI.,:;'|!`", 0.34), **dict.fromkeys('frt()[]{}-/\\" ', 0.44), **dict.fromkeys("mM", 0.98),
    **dict.fromkeys("wW%@", 1.0), **dict.fromkeys("ABCDEFGHJKLNOPQRSTUVXYZ&", 0.76), **dict.fromkeys("+=<>~#", 0.84),
}  # fmt: skip
_NOT_XML: Final = re.compile("[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_BREAKS: Final = re.compile(r"(?<=[ _\-./:>,|])|(?<=[a-z0-9])(?=[A-Z])")


@lru_cache(maxsize=10_000)
def width(text: str, size: float = SIZE) -> float:
    return size * sum(map(_width, text))


def _width(sign: str) -> float:
    found = _WIDTHS.get(sign)
    if found is not None:
        return found
    if unicodedata.combining(sign):
        return 0.0
    return 1.05 if unicodedata.east_asian_width(sign) in "WF" else 0.65


def lines(text: str, wide: float, most: int, size: float = SIZE) -> list[str]:
    """The text in at most so many lines, broken where words end, with … where it is cut."""
    found: list[str] = []
    line = ""
    for part in _pieces(text, wide, size):
        if line and width(line + part.rstrip(), size) > wide:
            found.append(line.strip())
            line = part
        else:
            line += part
    found.append(line.strip())
    if len(found) > most:
        found = [*found[: most - 1], _cut(found[most - 1] + "…", wide, size)]
    return found


def _pieces(text: str, wide: float, size: float) -> list[str]:
    """Parts of a text after which a line may end, none wider than a line."""
    found: list[str] = []
    for part in _BREAKS.split(" ".join(text.split())):
        while width(part, size) > wide and len(part) > 1:
            at = max(1, int(len(part) * wide / width(part, size)) - 1)
            found.append(part[:at])
            part = part[at:]
        found.append(part)
    return found


def _cut(line: str, wide: float, size: float) -> str:
    while width(line, size) > wide and len(line) > 2:
        line = line[:-2] + "…"
    return line


def short(text: str, wide: float, size: float = SIZE) -> str:
    return lines(text, wide, 1, size)[0]


def escape(text: str) -> str:
    """Text as it may stand in XML, in an attribute too."""
    return _escape(_NOT_XML.sub("·", text), {'"': "&quot;"})
