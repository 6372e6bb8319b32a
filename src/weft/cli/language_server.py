"""The language server: faults, explanations, definitions, completion and layout for texts in all languages.

It reads what the editor shows and nothing else; a text is looked at when its author pauses.
"""

import asyncio
import logging
import re
from pathlib import PurePath
from typing import Final
from urllib.parse import unquote, urlsplit

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from weft.languages.registry import LANGUAGES, Language, language_of
from weft.languages.text.faults import TextFault, TextReport
from weft.languages.text.outline import Symbol
from weft.languages.text.source import Source, Span
from weft.model.faults import Fault, Invalid

PAUSE_SECONDS: Final = 0.2
WORD: Final = re.compile(r"[^\W\d]\w*")
KINDS: Final = {
    "process": types.CompletionItemKind.Module,
    "activity": types.CompletionItemKind.Function,
    "definition": types.CompletionItemKind.Interface,
    "variable": types.CompletionItemKind.Variable,
    "class": types.CompletionItemKind.Class,
    "data": types.CompletionItemKind.Variable,
}

logging.getLogger("pygls").setLevel(logging.ERROR)


class Server(LanguageServer):
    """The looks that are due, by document."""

    def __init__(self) -> None:
        super().__init__("weft", "1")
        self.due: dict[str, asyncio.TimerHandle] = {}


SERVER: Final = Server()


# Documents.


def source_of(uri: str) -> Source:
    document = SERVER.workspace.get_text_document(uri)
    return Source(_file(uri), document.source)


def _file(uri: str) -> str:
    return PurePath(unquote(urlsplit(uri).path)).name


def language_at(uri: str, content: str) -> Language | None:
    """By what the editor calls it, else by the file's name."""
    called = LANGUAGES.get(SERVER.workspace.get_text_document(uri).language_id or "")
    if called is not None and called.name != "json":
        return called
    try:
        return language_of(_file(uri), content.encode())
    except Invalid:
        return None


def offset_of(source: Source, position: types.Position) -> int:
    """An editor counts lines from 0, and in them the units that were agreed on."""
    if position.line > source.text.count("\n"):
        return len(source.text)
    line, units = source.line(position.line + 1), SERVER.workspace.position_codec.client_num_units
    column = min(position.character, len(line))
    while column and units(line[:column]) > position.character:
        column -= 1
    return source.start_of(position.line + 1) + column


def position_of(source: Source, offset: int) -> types.Position:
    line, column = source.position(min(offset, len(source.text)))
    before = source.line(line)[: column - 1]
    return types.Position(line - 1, SERVER.workspace.position_codec.client_num_units(before))


def range_of(source: Source, span: Span) -> types.Range:
    return types.Range(position_of(source, span.start), position_of(source, span.end))


# Faults.


@SERVER.feature(types.TEXT_DOCUMENT_DID_OPEN)
def opened(params: types.DidOpenTextDocumentParams) -> None:
    tell_faults(params.text_document.uri)


@SERVER.feature(types.TEXT_DOCUMENT_DID_CHANGE)
def changed(params: types.DidChangeTextDocumentParams) -> None:
    uri = params.text_document.uri
    if uri in SERVER.due:
        SERVER.due[uri].cancel()
    SERVER.due[uri] = asyncio.get_running_loop().call_later(PAUSE_SECONDS, tell_faults, uri)


@SERVER.feature(types.TEXT_DOCUMENT_DID_CLOSE)
def closed(params: types.DidCloseTextDocumentParams) -> None:
    uri = params.text_document.uri
    if uri in SERVER.due:
        SERVER.due.pop(uri).cancel()
    SERVER.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))


def tell_faults(uri: str) -> None:
    SERVER.due.pop(uri, None)
    source = source_of(uri)
    language = language_at(uri, source.text)
    faults = [] if language is None else faults_in(language, source)
    told = [_diagnostic(source, fault) for fault in faults]
    SERVER.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, told))


def faults_in(language: Language, source: Source) -> list[Fault]:
    """Everything that is wrong with a text and its processes, each once."""
    try:
        reading = language.read(source.text.encode(), source.name)
    except Invalid as invalid:
        return list(invalid.faults)
    found = [fault for process in reading.processes for fault in reading.faults(process)]
    return list({str(fault): fault for fault in found}.values())


def _diagnostic(source: Source, fault: Fault) -> types.Diagnostic:
    span = Span(0, 0)
    if isinstance(fault, TextFault):
        start = source.start_of(fault.line) + fault.column - 1
        span = Span(start, start + max(1, fault.end_column - fault.column))
    is_error = fault.severity == "error"
    return types.Diagnostic(
        range_of(source, span),
        f"{fault.message}; {fault.advice}" if fault.advice else fault.message,
        severity=types.DiagnosticSeverity.Error if is_error else types.DiagnosticSeverity.Warning,
        code=fault.code,
        source="weft",
    )


# Names.


def _word_at(source: Source, offset: int) -> tuple[str, Span]:
    line, column = source.position(offset)
    start = source.start_of(line)
    for found in WORD.finditer(source.line(line)):
        if found.start() <= column - 1 <= found.end():
            return found[0], Span(start + found.start(), start + found.end())
    return "", Span(offset, offset)


def _meant(uri: str, position: types.Position) -> tuple[Source, Symbol | None, str, Span]:
    """What the word at a place stands for, or else what it means in the language."""
    source = source_of(uri)
    language = language_at(uri, source.text)
    offset = offset_of(source, position)
    word, span = _word_at(source, offset)
    if language is None or not word:
        return source, None, "", span
    outline = language.outlined(source)
    symbol = outline.meant(word, offset)
    return source, symbol, "" if symbol else outline.words.get(word.upper(), ""), span


@SERVER.feature(types.TEXT_DOCUMENT_HOVER)
def hover(params: types.HoverParams) -> types.Hover | None:
    source, symbol, explained, span = _meant(params.text_document.uri, params.position)
    if symbol is not None:
        explained = f"```\n{symbol.detail}\n```"
    if not explained:
        return None
    return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, explained), range_of(source, span))


@SERVER.feature(types.TEXT_DOCUMENT_DEFINITION)
def definition(params: types.DefinitionParams) -> types.Location | None:
    source, symbol, _, _ = _meant(params.text_document.uri, params.position)
    if symbol is None:
        return None
    return types.Location(params.text_document.uri, range_of(source, symbol.span))


@SERVER.feature(types.TEXT_DOCUMENT_COMPLETION)
def completion(params: types.CompletionParams) -> list[types.CompletionItem]:
    """The words that may stand there, and where a name may stand, the names that are known."""
    uri = params.text_document.uri
    source = source_of(uri)
    language = language_at(uri, source.text)
    if language is None or not language.grammar:
        return []
    offset = offset_of(source, params.position)
    word, span = _word_at(source, offset)
    before = source.text[: span.start if word else offset]
    grammar = language.parsed_by()
    accepted = grammar.accepted_behind(TextReport(Source(source.name, before)))
    outline = language.outlined(source)
    items = [
        types.CompletionItem(text, kind=types.CompletionItemKind.Keyword, detail=outline.words.get(text.upper()))
        for text in sorted({grammar.signs[one] for one in accepted if one in grammar.signs})
        if WORD.fullmatch(text)
    ]
    if "NAME" in accepted:
        known = {one.name: one for one in outline.known(offset)}
        items += [types.CompletionItem(one.name, kind=KINDS[one.kind], detail=one.detail) for one in known.values()]
    return items


@SERVER.feature(types.TEXT_DOCUMENT_FORMATTING)
def formatting(params: types.DocumentFormattingParams) -> list[types.TextEdit]:
    uri = params.text_document.uri
    source = source_of(uri)
    language = language_at(uri, source.text)
    if language is None or not language.layout:
        return []
    try:
        made = language.format(source.text.encode(), source.name)
    except Invalid:  # its faults are told already
        return []
    return [types.TextEdit(range_of(source, Span(0, len(source.text))), made)]


@SERVER.feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
def symbols(params: types.DocumentSymbolParams) -> list[types.SymbolInformation]:
    uri = params.text_document.uri
    source = source_of(uri)
    language = language_at(uri, source.text)
    if language is None:
        return []
    kinds = {"process": types.SymbolKind.Module, "activity": types.SymbolKind.Function, "class": types.SymbolKind.Class}
    return [
        types.SymbolInformation(
            types.Location(uri, range_of(source, one.span)), one.name, kinds.get(one.kind, types.SymbolKind.Variable)
        )
        for one in language.outlined(source).symbols
    ]
