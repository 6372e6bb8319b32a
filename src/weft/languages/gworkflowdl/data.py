"""The data of a token: XML as a plain value, and a value as XML.

An element with elements inside is a dict, elements of one name a list, attributes are keys with `@`. Text is what its
`xsi:type` says, else a number or truth if that is written the same again, else text.
"""

import math
import re
from typing import Final

from lxml import etree

from weft.languages.xml.document import Element

XSI: Final = "http://www.w3.org/2001/XMLSchema-instance"
XSD: Final = "http://www.w3.org/2001/XMLSchema"
_INTEGERS: Final = {
    "int", "integer", "long", "short", "byte", "nonNegativeInteger", "positiveInteger", "negativeInteger",
    "nonPositiveInteger", "unsignedInt", "unsignedLong", "unsignedShort", "unsignedByte",
}  # fmt: skip
_FLOATS: Final = {"double", "float", "decimal"}
_TEXTS: Final = {"string", "normalizedString", "token", "anyURI", "QName", "date", "dateTime", "time"}
_DIGITS_MAX: Final = 300
_NO_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def value_of(element: Element) -> object:
    """What stands inside an element."""
    attributes = {f"@{key}": text for key, text in element.attributes.items() if not _is_typing(key)}
    if not element.children and not attributes:
        return None if element.get("nil") == "true" else _text(element.text, element.get("type"))
    found: dict[str, object] = dict(attributes)
    for child in element.children:
        value = value_of(child)
        if child.name not in found:
            found[child.name] = [value] if child.name in _repeated(element) else value
        else:
            before = found[child.name]
            assert isinstance(before, list)
            before.append(value)
    if element.text:
        found["#text"] = element.text
    return found


def _repeated(element: Element) -> set[str]:
    names = [child.name for child in element.children]
    return {name for name in names if names.count(name) > 1} if len(names) > 1 else set()


def _is_typing(key: str) -> bool:
    return key in ("type", "nil", "schemaLocation", "noNamespaceSchemaLocation", "encodingStyle")


def _text(text: str, type: str) -> object:
    kind = type.rpartition(":")[2]
    if kind in _TEXTS:
        return text
    if len(text) > _DIGITS_MAX:
        return text
    if kind in _INTEGERS and text.lstrip("+-").isdecimal() and text.isascii():
        return int(text)
    if kind in _FLOATS:
        return _float(text)
    if kind == "boolean" and text in ("true", "false", "1", "0"):
        return text in ("true", "1")
    return _guessed(text)


def _float(text: str) -> object:
    try:
        found = float(text)
    except ValueError:
        return text
    return found if math.isfinite(found) else text


def _guessed(text: str) -> object:
    if not text:
        return None
    if text in ("true", "false"):
        return text == "true"
    if text.isascii() and text.lstrip("-").isdigit():
        return int(text) if str(int(text)) == text else text
    found = _float(text) if text.isascii() and text[-1].isdigit() else text
    return found if isinstance(found, float) and repr(found) == text and found != int(found) else text


def element_of(name: str, value: object, parent: etree._Element, namespace: str | None = None) -> list[str]:
    """Writes a value as an element below another. What reading it would not give back the same is listed."""
    found = etree.SubElement(parent, f"{{{namespace}}}{name}" if namespace else name)
    if isinstance(value, dict):
        return _entries(found, name, value)
    if value is None:
        return []
    if isinstance(value, list):
        found.getparent().remove(found)  # type: ignore[union-attr]
        losses = [loss for one in value for loss in element_of(name, one, parent, namespace)]
        return losses if len(value) > 1 else [*losses, f"that {name!r} is a list of {len(value)}"]
    text = str(value).lower() if isinstance(value, bool) else str(value)
    found.text = text if _is_xml(text) else None
    kept = _guessed(text)
    if type(kept) is not type(value):
        kind = {str: "string", float: "double", int: "integer", bool: "boolean"}[type(value)]
        found.set(f"{{{XSI}}}type", f"xsd:{kind}")
    return [] if _is_xml(text) and text == text.strip() else [f"signs or blanks of a text in {name!r}"]


def _entries(found: etree._Element, name: str, value: dict[str, object]) -> list[str]:
    losses = [] if value else [f"that {name!r} is an empty dict"]
    for key, one in value.items():
        if key == "#text":
            found.text = str(one)
        elif key.startswith("@") and _is_name(key[1:]) and not _is_typing(key[1:]):
            found.set(key[1:], str(one))
        elif _is_name(key):
            losses += element_of(key, one, found)
        else:
            losses.append(f"the entry {key!r} of {name!r}")
    return losses


def _is_name(text: str) -> bool:
    return bool(text) and (text[0].isalpha() or text[0] == "_") and all(one.isalnum() or one in "_.-" for one in text)


def _is_xml(text: str) -> bool:
    return not _NO_XML.search(text)
