"""Reads an XML text into plain elements with their places; reads nothing outside it and expands no entity."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from lxml import etree

from weft.languages.text.faults import TextReport
from weft.languages.text.source import START, TEXT_LIMITS, Source, Span, TextLimits, source_of
from weft.model.faults import Fault, Invalid

_DECLARED: Final = re.compile(rb"""<\?xml[^>]*?\bencoding\s*=\s*["']([A-Za-z0-9._-]{1,40})["']""")
_DECLARATION: Final = re.compile(r"<\?xml\b[^>]*\?>")
_ENCODINGS: Final = {
    "utf-8": "utf-8", "utf8": "utf-8", "us-ascii": "ascii", "ascii": "ascii", "iso-8859-1": "latin-1",
    "latin1": "latin-1", "iso-8859-15": "iso-8859-15", "windows-1252": "cp1252", "cp1252": "cp1252", "utf-16": "utf-8",
}  # fmt: skip
"""Whose declaration can be read is not in UTF-16, and programs that held it as a text say so when they write UTF-8."""
_BEFORE_ROOT: Final = re.compile(r"\s+|<!--.*?-->|<\?.*?\?>", re.DOTALL)
_DOCTYPE: Final = re.compile(r"""<!DOCTYPE(?:[^>\["']|"[^"]*"|'[^']*')*+([>\[])?""", re.IGNORECASE)
_MARKUP: Final = re.compile(
    r"""<!--.*?-->|<!\[CDATA\[.*?\]\]>|<\?.*?\?>|<!(?:[^>"']|"[^"]*"|'[^']*')*+>|</[^>]*>|<([^\s/>!?]+)(?:[^>"']|"[^"]*"|'[^']*')*+>""",
    re.DOTALL,
)
_MISMATCH: Final = re.compile(r"Opening and ending tag mismatch: (\S+) line (\d+) and (\S+)")


@dataclass(slots=True, eq=False)
class Element:
    """An element: its name without prefix, its attributes without prefixes, its own text, and where its tag stands."""

    name: str
    namespace: str
    attributes: dict[str, str]
    span: Span
    text: str = ""
    children: list["Element"] = field(default_factory=list)
    whole: Span = START
    """From its start tag to its end tag."""

    def child(self, *names: str) -> "Element | None":
        return next((one for one in self.children if one.name in names), None)

    def all(self, *names: str) -> list["Element"]:
        return [one for one in self.children if one.name in names]

    def get(self, name: str) -> str:
        return self.attributes.get(name, "").strip()

    def below(self, without: tuple[str, ...] = ()) -> Iterator["Element"]:
        """Itself and everything inside, in the order of the text, but for elements of those names."""
        rest = [self]
        while rest:
            found = rest.pop()
            yield found
            rest += reversed([one for one in found.children if one.name not in without])


def xml_source(content: bytes, name: str, limits: TextLimits = TEXT_LIMITS) -> Source:
    """The text of a file in the encoding that it says. Raises `Invalid`."""
    if content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        encoding, said = "utf-16", "UTF-16"
    else:
        found = _DECLARED.match(content.removeprefix(b"\xef\xbb\xbf").lstrip())
        said = found[1].decode() if found else "UTF-8"
        encoding = _ENCODINGS.get(said.lower(), "")
    if not encoding:
        raise _refused(name, f"its encoding {said!r} is not one that Weft reads", "save it as UTF-8")
    if encoding == "utf-8" or len(content) > limits.characters:
        return source_of(content, name, limits)
    try:
        return Source(name, content.decode(encoding))
    except UnicodeDecodeError as error:
        raise _refused(name, f"it is not {said} ({error.reason})", "save it as UTF-8") from None


def document(source: Source, report: TextReport) -> Element:
    """The root element. Raises `Invalid`, with all that is no XML, or if it declares entities."""
    _refuse_entities(source, report)
    parser = etree.XMLParser(
        encoding="utf-8", resolve_entities=False, no_network=True, load_dtd=False, dtd_validation=False,
        huge_tree=False, remove_comments=True, remove_pis=True,
    )  # fmt: skip
    text = _DECLARATION.sub(lambda found: " " * len(found[0]), source.text, count=1)
    try:
        root = etree.fromstring(text.encode(errors="surrogatepass"), parser)
    except etree.XMLSyntaxError as error:
        _tell(report, parser.error_log, error.msg or "")
        raise Invalid(source.name, report.ordered()) from None
    for entity in root.iter(etree.Entity):
        at = max(0, source.text.find(str(entity.text)))
        report.add("syntax", Span(at, at + 1), f"the entity {entity.text} is not known", "write its text")
    report.raise_errors()
    return _elements(source, root)


def _refuse_entities(source: Source, report: TextReport) -> None:
    """A document type is never loaded; one that declares something inside is refused before anything is parsed."""
    at = 0
    while found := _BEFORE_ROOT.match(source.text, at):
        at = found.end()
    doctype = _DOCTYPE.match(source.text, at)
    if doctype is None:
        return
    if doctype[1] != ">":
        report.add(
            "syntax", Span(*doctype.span()), "a document type with declarations of its own is not read",
            "leave out what stands in [ ]: entities are never expanded",
        )  # fmt: skip
        report.raise_errors()
    report.add("left-out", Span(*doctype.span()), "the document type is not looked up; nothing outside is read")


def _tell(report: TextReport, log: etree._ListErrorLog, message: str) -> None:
    """What libxml2 found: the first at each place, and the first mismatch of tags, from which the others follow."""
    told: set[Span | str] = set()
    for entry in log:
        span = _line_span(report.source, entry.line, entry.column)
        found = _MISMATCH.search(entry.message)
        if span in told or (found and "mismatch" in told):
            continue
        told |= {span, "mismatch"} if found else {span}
        what = f"<{found[1]}> of line {found[2]} is not closed before </{found[3]}>" if found else entry.message
        report.add("syntax", span, f"this is no XML: {what}"[:300])
    if not report.has_errors:
        report.add("syntax", START, f"this is no XML: {message}"[:300])


def _line_span(source: Source, line: int, column: int) -> Span:
    """The place of a line and column as libxml2 counts them, which may lie behind the text."""
    at, end = 0, len(source.text)
    for _ in range(max(1, line) - 1):
        following = source.text.find("\n", at)
        if following < 0:
            break
        at = following + 1
    stop = source.text.find("\n", at)
    at = min(at + max(1, column) - 1, stop if stop >= 0 else end)
    return Span(at, min(at + 1, end))


def _elements(source: Source, root: etree._Element) -> Element:
    """Plain elements for those of lxml, whose n-th is the n-th start tag of the text. The root ends last."""
    open: list[Element] = []
    last = Element("", "", {}, START)
    ones = root.iter(etree.Element)
    for tag in _MARKUP.finditer(source.text):
        if tag[1]:
            last = _element(next(ones), Span(*tag.span()))
            if open:
                open[-1].children.append(last)
            if not tag[0].endswith("/>"):
                open.append(last)
        elif tag[0].startswith("</"):
            last = open.pop()
            last.whole = Span(last.span.start, tag.end())
    return last


def _element(one: etree._Element, span: Span) -> Element:
    name = etree.QName(one)
    attributes = {etree.QName(key).localname: str(value) for key, value in one.attrib.items()}
    text = "".join([one.text or "", *(child.tail or "" for child in one)]).strip()
    return Element(name.localname.rpartition(":")[2], name.namespace or "", attributes, span, text, whole=span)


def _refused(name: str, message: str, advice: str) -> Invalid:
    return Invalid(name, [Fault("error", "syntax", "", name, message, advice)])
