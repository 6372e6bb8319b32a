"""Commands: which may run, what they are given, what their ends mean, and that nothing of them is left behind."""

import io
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Event
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from tests.handlers.inbox import Inbox, definition_of, until
from weft.handlers.commands import Programs, commands
from weft.handlers.desk import Desk
from weft.handlers.files import FileFault, Folder
from weft.handlers.jobs import Done, Failed, Job
from weft.handlers.settings import AllowedApplication, Commands
from weft.languages.python.tasks import command
from weft.model.definition import Application, Process
from weft.model.definition import Command as CommandHandler
from weft.model.definition import Task as Definition
from weft.model.types import File

PYTHON = AllowedApplication(sys.executable, arguments=("-S", "-E"), environment={"GREETING": "hello"}, stop_seconds=0.3)
APPLICATIONS = {
    "python": PYTHON,
    "elsewhere": AllowedApplication(sys.executable, hosts=("atlas", "titan.example")),
    "missing": AllowedApplication("/no/such/program"),
    "lenient": AllowedApplication(sys.executable, ok=("0", "10-19"), output_bytes=100),
}


@pytest.fixture
def inbox() -> Inbox:
    return Inbox()


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path / "files")


@pytest.fixture
def desk(inbox: Inbox, folder: Folder, tmp_path: Path) -> Iterator[Desk]:
    (tmp_path / "work").mkdir()
    desk = desk_with(Commands(directory=str(tmp_path / "work"), host="node-1", at_once=2), inbox, folder)
    yield desk
    desk.close()
    assert list((tmp_path / "work").iterdir()) == []


def desk_with(settings: Commands, inbox: Inbox, folder: Folder) -> Desk:
    return Desk([commands(Programs(APPLICATIONS, settings), folder, inbox)], inbox)


def python(code: str, *arguments: str, application: str = "python", **options: Any) -> Definition:
    given = (code.replace("{", "{{").replace("}", "}}"), *arguments)
    return definition_of(command("run", application, "-c", *given, **options))


def job(task: Definition, /, **inputs: object) -> Job:
    return Job(task, 1, "all/run", 0, 2, "1/all/run", inputs)


def done(answer: object) -> dict[str, object]:
    assert isinstance(answer, Done), answer
    return answer.values


def failed(answer: object) -> tuple[str, str]:
    assert isinstance(answer, Failed), answer
    return answer.error, answer.message


# What it is given.


def test_parameters_stand_in_arguments_and_no_shell_reads_them(desk: Desk, inbox: Inbox) -> None:
    code = "import json, sys; print(json.dumps(sys.argv[1:]))"
    task = python(code, "--day={day}", "{names}", "{{x}}", "{none}", "{yes}", gives=list[str])
    desk.give([job(task, day="$(date); *", names=["a b", "c"], none=None, yes=True)])
    assert done(inbox.end()) == {"result": ["--day=$(date); *", "a b", "c", "{x}", "", "true"]}


def test_an_argument_that_names_no_parameter_is_an_error_of_the_input(desk: Desk, inbox: Inbox) -> None:
    desk.give([job(python("pass", "{day}"), other=1)])
    assert failed(inbox.end()) == ("handler.input", "'{day}' wants the parameter 'day'; there are: other")


def test_its_environment_is_its_own(desk: Desk, inbox: Inbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET", "of the node")
    code = "import json, os; print(json.dumps(dict(os.environ, cwd=os.getcwd())))"
    desk.give([job(python(code, gives=dict[str, str]))])
    environment = done(inbox.end())["result"]
    assert isinstance(environment, dict)
    assert "SECRET" not in environment
    assert environment["HOME"] == environment["cwd"]
    wanted = {"GREETING": "hello", "WEFT_KEY": "1/all/run", "WEFT_PATH": "all/run", "WEFT_ATTEMPT": "2"}
    assert wanted.items() <= environment.items()


def test_files_come_in_and_go_out_by_value(desk: Desk, inbox: Inbox, folder: Folder, tmp_path: Path) -> None:
    first, second = (folder.keep(io.BytesIO(text), "in.txt", 100) for text in (b"one", b"two"))
    code = "import sys; open('out.txt', 'w').write(' '.join(open(name).read() for name in sys.argv[1:]))"
    task = python(code, "{a}", "{more}", gives={"joined": File}, files={"joined": "out.txt"})
    desk.give([job(task, a=msgspec.to_builtins(first), more=[msgspec.to_builtins(second)])])
    kept = msgspec.convert(done(inbox.end())["joined"], File)
    assert (kept.name, kept.size) == ("out.txt", 7)
    folder.write(kept, tmp_path / "copy")
    assert (tmp_path / "copy").read_text() == "one two"


def test_a_file_that_is_not_there_stops_it_before_it_begins(desk: Desk, inbox: Inbox) -> None:
    lost = {"name": "a", "size": 1, "sha256": "0" * 64, "reference": "sha256:" + "0" * 64}
    desk.give([job(python("pass", "{a}"), a=lost)])
    error, message = failed(inbox.end())
    assert error == "handler.input"
    assert "is not in" in message


@pytest.mark.parametrize("left", ["../out", "/etc/passwd", "link", "nothing"])
def test_only_files_in_its_own_directory_are_taken(desk: Desk, inbox: Inbox, left: str) -> None:
    code = "import os; os.symlink('/etc/passwd', 'link'); open('../out', 'w').close(); os.remove('../out')"
    desk.give([job(python(code, gives={"out": File}, files={"out": left}))])
    assert failed(inbox.end())[0] == "handler.output"


# How it ends.


@pytest.mark.parametrize(
    ("code", "errors", "error"),
    [
        ("raise SystemExit(3)", {}, "task.exit"),
        ("raise SystemExit(3)", {"2-9": "task.bad_file"}, "task.bad_file"),
        ("raise SystemExit('disk FULL: /tmp')", {"~disk full": "task.full"}, "task.full"),
        ("import os; os.kill(os.getpid(), 9)", {"137": "task.killed"}, "task.killed"),
        ("import os; os.kill(os.getpid(), 11)", {}, "task.exit"),
    ],
)
def test_an_exit_code_is_the_error_declared_for_it(
    desk: Desk, inbox: Inbox, code: str, errors: dict[str, str], error: str
) -> None:
    desk.give([job(python(code, errors=errors))])
    assert failed(inbox.end())[0] == error


def test_the_message_is_the_end_of_what_it_said(desk: Desk, inbox: Inbox) -> None:
    desk.give([job(python("import sys; sys.stderr.write('x' * 100_000 + ' no such table'); sys.exit(1)"))])
    message = failed(inbox.end())[1]
    assert message.startswith(f"{sys.executable} ended with 1: xxx")
    assert message.endswith("xxx no such table")


def test_exit_codes_that_are_allowed_are_no_error(desk: Desk, inbox: Inbox) -> None:
    desk.give([job(python("raise SystemExit(12)", application="lenient"))])
    assert done(inbox.end()) == {}


def test_what_it_prints_is_bounded(desk: Desk, inbox: Inbox) -> None:
    desk.give([job(python("print('x' * 1_000_000)", application="lenient", gives=str))])
    error, message = failed(inbox.end())
    assert error == "handler.output"
    assert "more than the 100 bytes" in message


def test_several_objects_are_members_of_what_it_prints(desk: Desk, inbox: Inbox) -> None:
    task = python('print(\'{"low": 1, "high": 2, "other": 3}\')')
    outcome = msgspec.structs.replace(task.outcomes[0], types={"low": "int", "high": "int"})
    desk.give([job(msgspec.structs.replace(task, outcomes=(outcome,)))])
    assert done(inbox.end()) == {"low": 1, "high": 2}
    task = python("print('no json')")
    desk.give([job(msgspec.structs.replace(task, outcomes=(outcome,)))])
    assert failed(inbox.end())[0] == "handler.output"


def test_a_task_of_several_outcomes_says_which(desk: Desk, inbox: Inbox) -> None:
    task = python('print(\'{"outcome": "full", "result": 3}\')', outcomes={"found": str, "full": int})
    desk.give([job(task)])
    answer = inbox.end()
    assert isinstance(answer, Done)
    assert (answer.outcome, answer.values) == ("full", {"result": 3})


# Stopping.


def test_a_stop_reaches_the_program_and_all_that_it_began(desk: Desk, inbox: Inbox, tmp_path: Path) -> None:
    begun = tmp_path / "begun"
    code = f"""
import os, signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = os.fork()
if not child:
    open({str(begun)!r}, "w").write(str(os.getpid()))
while True:
    time.sleep(60)
"""
    given = job(python(code))
    desk.give([given])
    until(lambda: begun.exists() and begun.read_text() != "", Event().wait)
    desk.stop([given.about], "handler.execute.late")
    assert failed(inbox.end())[0] == "handler.execute.late"
    until(lambda: not is_running(int(begun.read_text())), Event().wait)


def is_running(number: int) -> bool:
    try:
        os.kill(number, 0)
        return "State:\tZ" not in Path(f"/proc/{number}/status").read_text()
    except (ProcessLookupError, FileNotFoundError):
        return False


def test_what_it_leaves_running_ends_with_it_and_is_not_waited_for(desk: Desk, inbox: Inbox) -> None:
    code = "import os, time; child = os.fork(); print(child, flush=True) if child else time.sleep(60)"
    desk.give([job(python(code, gives=str))])
    child = int(str(done(inbox.end())["result"]))
    until(lambda: not is_running(child), Event().wait)


def test_a_program_that_closes_its_output_is_waited_for(desk: Desk, inbox: Inbox) -> None:
    desk.give([job(python("import os, time; os.close(1); os.close(2); time.sleep(0.05); os._exit(7)"))])
    assert "ended with 7" in failed(inbox.end())[1]


# Which may run.


def test_only_what_the_node_allows_runs(desk: Desk, inbox: Inbox) -> None:
    task = definition_of(command("run", "rm", "-rf", "/"))
    assert desk.why_not(task) == "this node allows no application 'rm': it needs [applications.rm] in weft.toml"
    desk.give([job(task)])
    assert failed(inbox.end())[0] == "handler.activate"


def test_a_program_of_other_hosts_does_not_run_here(desk: Desk, inbox: Inbox, folder: Folder) -> None:
    task = definition_of(command("run", "elsewhere"))
    assert desk.why_not(task) == "elsewhere runs on atlas, titan.example; this is node-1"
    for host, reason in (("Atlas", ""), ("titan", ""), ("titan.example", ""), ("tit", "elsewhere runs")):
        other = desk_with(Commands(host=host, at_once=1), inbox, folder)
        assert other.why_not(task).startswith(reason)
        assert bool(other.lane(task)) is (reason == "")
        other.close()


def test_a_program_that_is_not_installed_is_an_error_of_the_node(desk: Desk, inbox: Inbox) -> None:
    desk.give([job(definition_of(command("run", "missing")))])
    error, message = failed(inbox.end())
    assert error == "handler.activate"
    assert "/no/such/program" in message


def brought(**fields: Any) -> Process:
    task = definition_of(command("run", "editor", "-c", "print(42)", gives=str))
    return Process(name="p", body=task, applications={"editor": Application(sys.executable, **fields)})


def test_a_definitions_own_program_runs_only_where_that_is_allowed(desk: Desk, inbox: Inbox, folder: Folder) -> None:
    process = brought(os="linux", cpu="Pentium MMX", hosts=("node-1",))
    task = process.body
    assert isinstance(task, Definition)
    assert "--allow-commands" in desk.why_not(task, process)
    allowed = Commands(allow_commands=True, host="node-1", os=("Linux",), cpu=("pentium mmx",), at_once=1)
    open_desk = desk_with(allowed, inbox, folder)
    assert open_desk.why_not(task, process) == ""
    open_desk.give([Job(task, process=process)])
    assert done(inbox.end()) == {"result": "42"}
    for fields, reason in (
        ({"os": "Windows NT"}, "editor is for the system Windows NT; this machine is Linux"),
        ({"cpu": "vax"}, "editor is for the processor vax; this machine is pentium mmx"),
        ({"hosts": ("atlas",)}, "editor runs on atlas; this is node-1"),
    ):
        other = brought(**fields)
        assert open_desk.why_not(task, other) == reason
    open_desk.close()


def test_a_program_that_is_not_here_is_installed_first(inbox: Inbox, folder: Folder, tmp_path: Path) -> None:
    (tmp_path / "install").write_text(f"#!/bin/sh\nln -s '{sys.executable}' '{tmp_path}/editor'\n")
    (tmp_path / "install").chmod(0o700)
    desk = desk_with(Commands(allow_commands=True, at_once=1), inbox, folder)
    task = definition_of(command("run", "editor", "-c", "print(42)", gives=str))
    application = Application(f"{tmp_path}/editor", installer=f"{tmp_path}/install")
    too_large = msgspec.structs.replace(application, size_kilobytes=10**12)
    desk.give([Job(task, process=Process(name="p", body=task, applications={"editor": too_large}))])
    error, message = failed(inbox.end())
    assert error == "handler.activate"
    assert "takes 1,000,000,000,000 kB" in message
    for _ in range(2):
        desk.give([Job(task, process=Process(name="p", body=task, applications={"editor": application}))])
        assert done(inbox.end()) == {"result": "42"}
    desk.close()


# Files.


def test_a_file_that_is_too_large_is_not_kept(folder: Folder, tmp_path: Path) -> None:
    with pytest.raises(FileFault, match="larger than the 3 bytes"):
        folder.keep(io.BytesIO(b"four"), "a", 3)
    assert list((tmp_path / "files").iterdir()) == []


@pytest.mark.parametrize("reference", ["sha256:../../etc/passwd", "/etc/passwd", "sha256:" + "g" * 64])
def test_a_reference_leads_nowhere_else(folder: Folder, tmp_path: Path, reference: str) -> None:
    with pytest.raises(FileFault, match="no reference"):
        folder.write(File("a", 1, "", reference), tmp_path / "a")


# Standard streams, and programs that are files.

BROUGHT = "#!/bin/sh\ncat\necho $MODE >&2\n"


def test_a_program_may_be_a_given_file_and_its_streams_files_in_its_directory(
    inbox: Inbox, folder: Folder, tmp_path: Path
) -> None:
    script = folder.keep(io.BytesIO(BROUGHT.encode()), "run.sh", 1_000)
    words = folder.keep(io.BytesIO(b"words"), "in.txt", 1_000)
    files = {"out": "out.txt", "err": "err.txt"}
    task = definition_of(command("go", "run", files=files, gives={"out": File, "err": File}))
    assert isinstance(task.handler, CommandHandler)
    handler = replace(task.handler, stdin="in.txt", stdout="out.txt", stderr="err.txt")
    task = replace(task, handler=handler)
    brings = Process(name="p", body=task, applications={"run": Application("./run.sh", environment={"MODE": "fast"})})
    given = {"a": msgspec.to_builtins(script), "b": msgspec.to_builtins(words)}
    desk = desk_with(Commands(allow_commands=True), inbox, folder)
    desk.give([Job(task, 1, "go", inputs=given, process=brings)])
    values = done(inbox.end())
    for name, content in (("out", b"words"), ("err", b"fast\n")):
        folder.write(msgspec.convert(values[name], File), tmp_path / "copy")
        assert (tmp_path / "copy").read_bytes() == content
    outside = replace(task, handler=replace(handler, stdin="../secret"))
    desk.give([Job(outside, 1, "go", inputs=given, process=brings)])
    assert failed(inbox.end())[0] == "handler.input"
    desk.close()


def test_a_program_that_the_node_allows_is_never_a_given_file(desk: Desk, inbox: Inbox, folder: Folder) -> None:
    trap = folder.keep(io.BytesIO(b"#!/bin/sh\necho trapped"), Path(sys.executable).name, 1_000)
    desk.give([job(python("print('right')", gives=str), trap=msgspec.to_builtins(trap))])
    assert done(inbox.end()) == {"result": "right"}
