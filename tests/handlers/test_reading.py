"""Files outside: read by value, and only where the node allows it."""

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from tests.handlers.inbox import Inbox
from weft.handlers.desk import Desk
from weft.handlers.files import Folder
from weft.handlers.jobs import Done, Failed, Job
from weft.handlers.reading import Reader, reads
from weft.handlers.settings import OpenFiles
from weft.model.definition import Outcome, Read
from weft.model.definition import Task as Definition
from weft.model.types import File


@pytest.fixture
def inbox() -> Inbox:
    return Inbox()


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path / "kept")


@pytest.fixture
def desk(inbox: Inbox, folder: Folder, tmp_path: Path) -> Iterator[Desk]:
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
    (tmp_path / "secret.txt").write_text("secret")
    (tmp_path / "first" / "link.txt").symlink_to(tmp_path / "secret.txt")
    (tmp_path / "second" / "plan.txt").write_text("a plan")
    settings = OpenFiles((str(tmp_path / "first"), str(tmp_path / "second")), file_bytes=1_000)
    desk = Desk([reads(Reader(settings, folder), inbox)], inbox)
    yield desk
    desk.close()


def read(name: str, **errors: str) -> Job:
    return Job(
        Definition(name="get", handler=Read(name), outcomes=(Outcome("done", types={"plan": "File"}),), errors=errors)
    )


def test_a_file_is_read_by_value(desk: Desk, inbox: Inbox, folder: Folder, tmp_path: Path) -> None:
    for name in ("plan.txt", str(tmp_path / "second" / "plan.txt")):
        desk.give([read(name)])
        done = inbox.end()
        assert isinstance(done, Done)
        file = msgspec.convert(done.values["plan"], File)
        assert (file.name, file.size) == ("plan.txt", 6)
    (tmp_path / "second" / "plan.txt").write_text("another plan")
    folder.write(file, tmp_path / "copy")
    assert (tmp_path / "copy").read_text() == "a plan"


@pytest.mark.parametrize("name", ["../secret.txt", "link.txt", "/etc/passwd", "none.txt", ".", ""])
def test_other_files_are_not_read(desk: Desk, inbox: Inbox, name: str) -> None:
    desk.give([read(name)])
    failed = inbox.end()
    assert isinstance(failed, Failed)
    assert failed.error == "handler.execute"
    assert "may be read; this node allows" in failed.message


def test_a_file_that_is_too_large_is_the_error_declared_for_it(desk: Desk, inbox: Inbox, tmp_path: Path) -> None:
    (tmp_path / "first" / "large").write_bytes(b"x" * 1_001)
    desk.give([read("large", FileFault="task.large")])
    failed = inbox.end()
    assert isinstance(failed, Failed)
    assert failed.error == "task.large"


def test_a_node_that_allows_no_directory_reads_nothing(inbox: Inbox, folder: Folder) -> None:
    desk = Desk([reads(Reader(OpenFiles(), folder), inbox)], inbox)
    assert desk.why_not(read("plan.txt").task) == "get reads a file, and [files] of weft.toml allows none"
    desk.close()
