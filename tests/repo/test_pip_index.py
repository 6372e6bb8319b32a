"""pip's wheel is found through pip's own configuration, on real pages of a real index on this machine."""

import base64
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from pip_index import Index, settings

WHEEL = "pip-1.0-py3-none-any.whl"
PAGE = f'<!DOCTYPE html><a href="../../files/{WHEEL}#sha256=00" data-requires-python="&gt;=3.9">{WHEEL}</a>'
SECRET = "Basic " + base64.b64encode(b"me:it's secret").decode()


@pytest.fixture
def index(tmp_path: Path) -> Path:
    """A folder laid out as PEP 503 says, with the files elsewhere."""
    (tmp_path / "simple" / "pip").mkdir(parents=True)
    (tmp_path / "files").mkdir()
    (tmp_path / "simple" / "pip" / "index.html").write_text(PAGE, "utf-8")
    (tmp_path / "files" / WHEEL).write_bytes(b"the wheel")
    return tmp_path


@pytest.fixture
def server(index: Path) -> Iterator[str]:
    """The index over HTTP, for those who know the password."""

    class Handler(SimpleHTTPRequestHandler):
        def __init__(self, *arguments: object) -> None:
            super().__init__(*arguments, directory=str(index))  # type: ignore[arg-type]

        def do_GET(self) -> None:
            if self.headers.get("Authorization") == SECRET:
                super().do_GET()
            else:
                self.send_error(401)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as serving:
        thread = threading.Thread(target=serving.serve_forever)
        thread.start()
        yield f"127.0.0.1:{serving.server_port}"
        serving.shutdown()
        thread.join()


def test_a_folder_is_an_index(index: Path) -> None:
    assert Index({"index-url": f"{index.as_uri()}/simple/"}).find("pip", WHEEL) == b"the wheel"
    assert Index({"index-url": f"{index.as_uri()}/simple"}).find("pip", "pip-2.0-py3-none-any.whl") is None


def test_an_index_over_http_gets_the_credentials_of_its_address(server: str) -> None:
    assert Index({"index-url": f"http://me:it's%20secret@{server}/simple/"}).find("pip", WHEEL) == b"the wheel"
    assert Index({"index-url": f"http://{server}/simple/"}).find("pip", WHEEL) is None


def test_extra_indexes_are_asked_in_turn(index: Path, tmp_path: Path) -> None:
    places = f"{tmp_path.as_uri()}/nothing {index.as_uri()}/simple"
    assert Index({"extra-index-url": places}).find("pip", WHEEL) == b"the wheel"


@pytest.mark.parametrize("address", ["{}", "file://{}"])
def test_a_folder_of_wheels_is_found_by_path_and_by_address(index: Path, address: str) -> None:
    assert Index({"find-links": address.format(index / "files")}).find("pip", WHEEL) == b"the wheel"


def test_no_index_means_folders_only(index: Path) -> None:
    closed = {"index-url": f"{index.as_uri()}/simple", "no-index": "true"}
    assert Index(closed).find("pip", WHEEL) is None
    assert Index({**closed, "find-links": str(index / "files")}).find("pip", WHEEL) == b"the wheel"


def test_nothing_configured_finds_nothing() -> None:
    assert Index({}).find("pip", WHEEL) is None


def test_environment_wins_over_files_and_later_files_over_earlier(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    user = tmp_path / "config" / "pip" / "pip.conf"
    user.parent.mkdir(parents=True)
    user.write_text("[global]\nindex-url = a\nfind_links = b\ntimeout = 7\n[install]\nproxy = p\n[list]\ncert = no\n")
    chosen = tmp_path / "chosen.conf"
    chosen.write_text("[global]\nfind-links = c\n")
    for name in ("PIP_INDEX_URL", "PIP_FIND_LINKS", "PIP_TIMEOUT", "PIP_PROXY", "PIP_CERT", "PIP_DEFAULT_TIMEOUT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("PIP_CONFIG_FILE", str(chosen))
    monkeypatch.setenv("PIP_INDEX_URL", "d")
    found = settings()
    assert [found.get(key) for key in ("index-url", "find-links", "timeout", "proxy")] == ["d", "c", "7", "p"]
    assert found.get("cert") != "no"
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    assert "find-links" not in settings()
