"""`weft lsp` speaks the protocol to an editor: a real process, real messages."""

import json
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from click.testing import CliRunner

from weft.cli import exits
from weft.cli.main import main

TEXT = """USER_ACTIVITY ask (IN string question, OUT bool answer) PARTICIPANT clerk;
DEFINE_PROCESS p (IN string question, OUT bool answer)
{
    ACTIVITY ask first;
    /* 😀 */ first(question, anser);
}
"""
URI = "file:///work/a%20text.mfdl"


class Editor:
    """One end of the protocol."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "weft", "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self.number = 0
        self.told: dict[str, list[Any]] = {}

    def send(self, **message: object) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.process.stdin.flush()

    def read(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        length = 0
        while line := self.process.stdout.readline().strip():
            name, _, value = line.partition(b":")
            length = int(value) if name.lower() == b"content-length" else length
        message: dict[str, Any] = json.loads(self.process.stdout.read(length))
        return message

    def ask(self, method: str, **params: object) -> Any:
        self.number += 1
        self.send(id=self.number, method=method, params=params)
        while (message := self.read()).get("id") != self.number:
            self.told.setdefault(message["method"], []).append(message["params"])
        assert "error" not in message, message
        return message["result"]

    def faults(self) -> list[dict[str, Any]]:
        """The next that are told."""
        method = "textDocument/publishDiagnostics"
        while not self.told.get(method):
            message = self.read()
            self.told.setdefault(message["method"], []).append(message["params"])
        found: list[dict[str, Any]] = self.told[method].pop(0)["diagnostics"]
        return found

    def at(self, method: str, line: int, character: int) -> Any:
        where = {"line": line, "character": character}
        return self.ask(f"textDocument/{method}", textDocument={"uri": URI}, position=where)


@pytest.fixture(scope="module")
def editor() -> Iterator[Editor]:
    editor = Editor()
    try:
        can = editor.ask("initialize", processId=None, rootUri=None, capabilities={})["capabilities"]
        assert can["hoverProvider"]
        assert can["documentFormattingProvider"]
        editor.send(method="initialized", params={})
        document = {"uri": URI, "languageId": "mfdl", "version": 1, "text": TEXT}
        editor.send(method="textDocument/didOpen", params={"textDocument": document})
        [fault] = editor.faults()
        assert fault["message"].endswith("did you mean 'answer'?")
        assert (fault["code"], fault["severity"], fault["source"]) == ("unknown-variable", 1, "weft")
        assert fault["range"] == {"start": {"line": 4, "character": 29}, "end": {"line": 4, "character": 34}}
        yield editor
        editor.ask("shutdown")
        editor.send(method="exit")
        assert editor.process.wait(10) == 0
    finally:
        editor.process.kill()
        for pipe in (editor.process.stdin, editor.process.stdout):
            assert pipe is not None
            pipe.close()


def test_names_and_words_are_explained(editor: Editor) -> None:
    name = editor.at("hover", 4, 14)["contents"]["value"]
    assert "first: USER_ACTIVITY ask(IN string question, OUT bool answer)" in name
    assert "Declares activities" in editor.at("hover", 3, 6)["contents"]["value"]
    assert editor.at("hover", 2, 0) is None


def test_a_name_leads_to_where_it_is_declared(editor: Editor) -> None:
    found = editor.at("definition", 4, 14)
    assert found["uri"] == URI
    assert found["range"]["start"] == {"line": 3, "character": 17}
    assert editor.at("definition", 3, 14)["range"]["start"] == {"line": 0, "character": 14}
    assert editor.at("definition", 2, 0) is None


def test_words_and_names_that_may_stand_there_are_proposed(editor: Editor) -> None:
    proposed = {one["label"] for one in editor.at("completion", 4, 12)}
    assert {"IF", "WHILE", "AND_PARALLEL", "first", "answer"} <= proposed
    assert "COMPENSATED_BY" not in proposed
    behind = {one["label"] for one in editor.at("completion", 0, 55)}
    assert {"PARTICIPANT", "RETRY"} <= behind
    assert "IF" not in behind


def test_symbols_are_listed(editor: Editor) -> None:
    found = editor.ask("textDocument/documentSymbol", textDocument={"uri": URI})
    assert [one["name"] for one in found] == ["ask", "p", "question", "answer", "first"]


def test_faults_go_away_when_the_text_is_right_and_the_text_is_laid_out(editor: Editor) -> None:
    changes = [{"text": TEXT.replace("anser", "answer").replace("    /*", "/*")}]
    editor.send(
        method="textDocument/didChange",
        params={"textDocument": {"uri": URI, "version": 2}, "contentChanges": changes},
    )
    assert editor.faults() == []
    options = {"tabSize": 4, "insertSpaces": True}
    [edit] = editor.ask("textDocument/formatting", textDocument={"uri": URI}, options=options)
    assert "\n    /* 😀 */\n    first(question, answer);\n" in edit["newText"]
    other = {"uri": "file:///x.txt", "languageId": "text", "version": 1, "text": "?"}
    editor.send(method="textDocument/didOpen", params={"textDocument": other})
    assert editor.faults() == []


def test_what_it_can_do_is_printed() -> None:
    told = CliRunner().invoke(main, ["lsp", "--json"])
    assert "textDocument/completion" in json.loads(told.stdout)["features"]


def test_without_the_extra_one_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pygls.lsp.server", None)
    monkeypatch.delitem(sys.modules, "weft.cli.language_server", raising=False)
    monkeypatch.delattr("weft.cli.language_server", raising=False)
    told = CliRunner().invoke(main, ["lsp", "--json"])
    assert told.exit_code == exits.WRONG
    assert "weft lsp needs pygls.lsp.server: pip install 'weftwork[lsp]'" in told.stderr
