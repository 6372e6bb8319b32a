"""The command line: what each command prints, and how every wrong use is answered."""

import json
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from weft.cli import exits
from weft.cli.main import main
from weft.model.json_form import from_json, pretty, schema

ROOT = Path(__file__).resolve().parents[2]

SHOP = """
from dataclasses import dataclass
from weft import *

@dataclass
class Order:
    sku: str
    cents: int

class NoMoney(Exception): ...

@task
def reserve(sku: str) -> str:
    print("reserving")
    return f"seat {sku}"

@task(errors={NoMoney: "task.no_money"})
def charge(cents: int) -> str:
    if cents > 1000:
        raise NoMoney("the card is empty")
    return "R-1"

@task
def ship(order: Order, note: str = "", count: int | None = None) -> str:
    return f"{order.sku} {note} {count}"

approve = person("approve", role="manager", gives=bool)
buy = process("buy", sku=str, cents=int)(reserve.into("seat") >> charge.into("receipt"))
ask = process("ask", sku=str)(approve.into("approved"))
send = process("send", order=Order, note=given(str, "plain"), count=given(int | None, None))(ship.into("parcel"))
whole = process("whole", sku=str)(call(ask).into("answer"))
slow = process("slow")(timer("wait").using(seconds=0.01))
never = approve.on("error:task.x")
stuck = process("stuck")(
    flow(approve).outcome("done", approve.on("skipped")).outcome("aborted", never, kind="abort")
)
number = 3
"""


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    name = f"shop_{abs(hash(tmp_path)) % 10**9}"
    (tmp_path / f"{name}.py").write_text(SHOP, "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path / f"{name}.py"


def weft(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


def said(result: Result) -> str:
    """What stands on standard error, in one line."""
    return re.sub(r"\s+", " ", result.stderr)


# run.


def test_run_says_what_the_process_came_to(shop: Path) -> None:
    done = weft("run", f"{shop}:buy", "--input", "sku=17", "--input", "cents=900")
    assert done.exit_code == exits.DONE, done.output
    assert done.stdout == 'reserving\nbuy: done\n  seat: "seat 17"\n  receipt: "R-1"\n'


def test_run_ends_with_one_when_the_process_aborted(shop: Path) -> None:
    done = weft("run", f"{shop}:buy", "--input", "sku=17", "--input", "cents=9000")
    assert done.exit_code == exits.ABORTED
    assert "buy: aborted, task.no_money: the card is empty" in done.stdout


def test_run_ends_with_three_when_it_waits_and_says_for_what(shop: Path) -> None:
    done = weft("run", f"{shop}:ask", "--input", "sku=17")
    assert done.exit_code == exits.WAITING
    assert done.stdout == "ask: waiting\n  for: approve (a task for the role manager)\n"


def test_run_ends_with_three_when_it_is_stuck_and_says_what_is_in_the_way(shop: Path) -> None:
    done = weft("run", f"{shop}:stuck", "--answer", "approve=true")
    assert done.exit_code == exits.WAITING
    assert "in the way: stuck can't go on" in done.stdout
    assert json.loads(weft("run", f"{shop}:stuck", "--answer", "approve=true", "--json").stdout)["status"] == "stuck"


def test_run_as_json_prints_exactly_three_fields_and_nothing_else_on_standard_output(shop: Path) -> None:
    done = weft("run", f"{shop}:buy", "--input", "sku=17", "--input", "cents=900", "--json", "--verbose")
    found = {"outcome": "done", "values": {"seat": "seat 17", "receipt": "R-1"}, "status": "ended"}
    assert json.loads(done.stdout) == found
    assert "reserving" in done.stderr
    assert "committed" in done.stderr
    waiting = json.loads(weft("run", f"{shop}:ask", "--input", "sku=17", "--json").stdout)
    assert waiting == {"outcome": "", "values": {}, "status": "waiting"}


def test_run_verbose_prints_every_fact_in_order(shop: Path) -> None:
    lines = weft("run", f"{shop}:buy", "--input", "sku=17", "--input", "cents=9000", "-v").stdout.splitlines()
    assert re.match(r'00:00:00\.\d+  ready         buy +sku="17"  cents=9000$', lines[0])
    assert any(re.search(r"  aborted       charge +task\.no_money \(the card is empty\)", line) for line in lines)


def test_run_takes_a_text_where_a_text_is_asked_and_json_where_it_fits(shop: Path) -> None:
    order = '{"sku": "lamp", "cents": 5}'
    done = weft("run", f"{shop}:send", "--input", f"order={order}", "--input", "note=17", "--input", "count=17")
    assert '"lamp 17 17"' in done.stdout
    assert '"lamp plain None"' in weft("run", f"{shop}:send", "--input", f"order={order}").stdout


def test_run_reads_inputs_from_json_and_from_files(shop: Path) -> None:
    given = {"sku": "17", "cents": 900}
    assert weft("run", f"{shop}:buy", "--input-json", json.dumps(given)).exit_code == exits.DONE
    Path("given.json").write_text(json.dumps(given))
    assert weft("run", f"{shop}:buy", "--input-json", "@given.json").exit_code == exits.DONE
    Path("sku.txt").write_text("lamp")
    done = weft("run", f"{shop}:buy", "--input", "sku=@sku.txt", "--input", "cents=1")
    assert "seat lamp" in done.stdout


def test_run_takes_what_people_answer(shop: Path) -> None:
    done = weft("run", f"{shop}:ask", "--input", "sku=17", "--answer", "approve=true")
    assert "approved: true" in done.stdout


def test_run_knows_the_processes_beside_the_one_it_runs(shop: Path) -> None:
    done = weft("run", f"{shop}:whole", "--input", "sku=17", "--answer", "approve=false")
    assert "answer: false" in done.stdout


def test_run_may_wait_in_real_time(shop: Path) -> None:
    assert weft("run", f"{shop}:slow", "--real-time").exit_code == exits.DONE


def test_run_finds_a_process_in_a_module_a_file_and_a_definition(shop: Path) -> None:
    assert weft("run", f"{shop.stem}:ask", "--input", "sku=17").exit_code == exits.WAITING
    assert weft("run", shop.name + ":ask", "--input", "sku=17").exit_code == exits.WAITING
    from importlib import import_module

    Path("ask.json").write_text(pretty(import_module(shop.stem).ask), "utf-8")
    assert weft("run", "ask.json", "--input", "sku=17").exit_code == exits.WAITING


def test_run_of_a_definition_takes_tasks_from_the_modules_it_is_given(tmp_path: Path) -> None:
    (tmp_path / "jobs.py").write_text("from weft import task\n@task\ndef work() -> int:\n    return 3\n")
    body = (
        '{"type":"flow","name":"p","block":"serial","children":[{"type":"task","name":"w","handler":%s}],"outcomes":%s}'
    )
    ends = (
        '[{"name":"done","guard":{"type":"on","activity":"w","event":"committed"}},'
        '{"name":"aborted","kind":"abort","guard":{"type":"on","activity":"w","event":"aborted"}}]'
    )
    handler = '{"type":"named","task":"work"}'
    (tmp_path / "p.json").write_text('{"weft":1,"name":"p","body":' + body % (handler, ends) + "}")
    from_json((tmp_path / "p.json").read_bytes())
    alone = weft("run", tmp_path / "p.json")
    assert alone.exit_code == exits.WRONG
    assert "error unbound at w: there is no registered task 'work'" in said(alone)
    assert weft("run", tmp_path / "p.json", "--tasks", tmp_path / "jobs.py").exit_code == exits.DONE


# Wrong uses of run.


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["{shop}:by"], "did you mean 'buy'?"),
        (["{shop}:nothing_like_it"], "its processes: buy, ask"),
        (["{shop}"], "say which process of"),
        (["{shop}:charge"], "is an activity, not a process: make it one, process('charge')(charge)"),
        (["{shop}:number"], "is no process but int"),
        (["no_such_module:p"], "there is no module 'no_such_module'"),
        (["no/such/file.py"], "there is no file 'no/such/file.py'"),
        (["nothing.json"], "there is no file 'nothing.json'"),
        (["3 x:p"], "'3 x' is n"),
        (["{shop}:buy", "--input", "skus=1"], "no input 'skus': did you mean 'sku'?"),
        (["{shop}:buy", "--input", "zzzzzz=1"], "no input 'zzzzzz': it has sku, cents"),
        (["{shop}:buy", "--input", "sku=1"], "also asks for cents: int; add --input cents=…"),
        (["{shop}:buy", "--input", "sku=1", "--input", "cents=many"], "input 'cents' is no int"),
        (["{shop}:buy", "--input", "sku"], "--input sku: write name=value"),
        (["{shop}:buy", "--input", "=1"], "write name=value"),
        (["{shop}:buy", "--input", "sku=@none.txt"], "@none.txt can't be read"),
        (["{shop}:buy", "--input-json", "{"], "--input-json is no JSON"),
        (["{shop}:buy", "--input-json", "[1]"], "wants an object"),
        (["{shop}:ask", "--input", "sku=1", "--answer", "approve"], "--answer approve: write name=value"),
        (["{shop}:ask", "--inptu", "sku=1"], "--input"),
        ([], "Missing argument 'TARGET'"),
    ],
)
def test_a_wrong_use_is_answered_in_one_message_with_code_two(shop: Path, words: list[str], message: str) -> None:
    result = weft("run", *[word.replace("{shop}", shop.name) for word in words])
    assert result.exit_code == exits.WRONG, result.output
    assert message in said(result)
    assert "Traceback" not in result.output


def test_an_error_in_the_users_module_shows_their_line(shop: Path) -> None:
    Path("bad.py").write_text("from weft import task\n\nx = undefined\n")
    result = weft("run", "bad.py")
    assert "bad.py can't be imported: NameError: name 'undefined' is not defined" in said(result)
    assert re.search(r"bad\.py, line 3: x = undefined", said(result))
    Path("worse.py").write_text("def f(:\n")
    assert re.search(r"invalid syntax .*worse\.py, line 1: def f\(:", said(weft("check", "worse.py")))
    Path("lost.py").write_text("import nowhere_at_all\n")
    assert "No module named 'nowhere_at_all'" in said(weft("check", "lost:p"))
    assert "did you mean lost.py?" not in said(weft("check", "lost:p"))


def test_an_import_that_fails_in_a_module_shows_the_line_too(shop: Path) -> None:
    Path("half.py").write_text("raise OSError('no disk')\n")
    assert re.search(r"half can't be imported: OSError: no disk .*half\.py, line 1", said(weft("run", "half:p")))


def test_a_near_file_is_proposed(shop: Path) -> None:
    Path("order.json").write_text("{}")
    Path("orders.py").write_text("")
    assert "did you mean order.json?" in said(weft("run", "ordr.json"))
    assert "did you mean orders.py?" in said(weft("run", "order.py"))


def test_a_mistake_in_weft_is_told_as_one_and_can_be_traced(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("odd.py").write_text("from weft import *\nodd = process('odd')(person('p'))\nobject.__setattr__\n")
    monkeypatch.setattr("weft.cli.targets.target_of", lambda target, language: 1 / 0)
    result = weft("run", "odd.py")
    assert result.exit_code == exits.BROKEN
    assert "this is a mistake in Weft, not yours: ZeroDivisionError" in said(result)
    monkeypatch.setenv("WEFT_TRACE", "1")
    assert isinstance(weft("run", "odd.py").exception, ZeroDivisionError)


def test_an_interrupt_ends_with_a_code_of_its_own(shop: Path) -> None:
    Path("stop.py").write_text(
        "from weft import *\n@task\ndef work() -> None:\n    raise KeyboardInterrupt\np = process('p')(work)\n"
    )
    result = weft("run", "stop.py")
    assert (result.exit_code, result.stderr) == (exits.INTERRUPTED, "Interrupted.\n")


def test_what_the_kernel_refuses_has_a_code_of_its_own() -> None:
    from weft.kernel.refusals import NotFound

    assert exits.code_of(NotFound("x")) == exits.REFUSED
    assert set(exits.MEANING) >= {0, 1, 2, 3, 4}


# The other commands.


def test_check_says_everything_that_is_wrong(shop: Path) -> None:
    good = weft("check", f"{shop}:buy")
    assert (good.exit_code, good.stdout) == (exits.DONE, "buy: nothing is wrong\n")
    Path("bad.json").write_text(
        '{"weft":1,"name":"p","body":{"type":"flow","name":"p","children":['
        '{"type":"task","name":"a","handler":{"type":"person"},"cancel":{"type":"on","activity":"b","event":"committed"}}]}}'
    )
    bad = weft("check", "bad.json")
    assert bad.exit_code == exits.WRONG
    assert "unknown-activity" in bad.stdout
    assert re.search(r"p: 1 error, \d warning", bad.stdout)
    faults = json.loads(weft("check", "bad.json", "--json").stdout)
    assert faults["process"] == "p"
    assert {fault["severity"] for fault in faults["faults"]} == {"error", "warning"}


def test_check_of_a_text_that_is_no_json_says_where(shop: Path) -> None:
    Path("cut.json").write_text('{"weft":1,\n "name": }')
    result = weft("check", "cut.json")
    assert result.exit_code == exits.WRONG
    assert "line 2" in result.stdout
    assert weft("run", "cut.json").exit_code == exits.WRONG


def test_guards_prints_the_table_of_the_paper(shop: Path) -> None:
    path = ROOT / "examples" / "check_up.py"
    table = weft("guards", path).stdout
    assert re.search(r"^3 +delete +□0_ab ∧ □2_cm", table, re.MULTILINE)
    assert weft("guards", path, "--ascii").stdout.isascii()
    rows = json.loads(weft("guards", path, "--json").stdout)
    assert [row["label"] for row in rows] == [*range(14)]


def test_schema_prints_the_schema_of_the_json_form() -> None:
    expected = json.loads(json.dumps(schema()))
    assert json.loads(weft("schema").stdout) == expected
    assert json.loads(weft("schema", "--json").stdout) == expected


def test_version_says_which_weft_and_which_python() -> None:
    assert re.match(r"weft .+, Python 3\.\d+\.\d+\n$", weft("version").stdout)
    assert set(json.loads(weft("version", "--json").stdout)) == {"weft", "python"}


def test_every_command_has_help_with_an_example_and_json() -> None:
    for name, command in main.commands.items():
        inside = [f"{name} {one}" for one in command.commands] if isinstance(command, click.Group) else []
        for words in [name, *inside]:
            result = weft(*words.split(), "--help")
            assert result.exit_code == 0
            assert f"weft {words}" in result.stdout.partition("Example:")[2], words
            assert "--json" in result.stdout or (inside and words == name), words
        assert command.help


def test_python_dash_m_weft_is_the_same_command() -> None:
    done = subprocess.run([sys.executable, "-m", "weft", "--help"], capture_output=True, text=True, encoding="utf-8")
    assert done.returncode == 0
    assert done.stdout.startswith("Usage: weft ")


def test_the_command_starts_without_what_it_does_not_need() -> None:
    unneeded = ("rich", "asyncio", "weft.kernel.decide")
    asked = f"import sys, weft.cli.main; print([name for name in {unneeded} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, encoding="utf-8")
    assert done.stdout.strip() == "[]"


def test_facts_are_told_in_words() -> None:
    from weft.cli.telling import line_of, shown
    from weft.kernel import facts

    def words(fact: facts.AnyFact) -> str:
        return re.sub(r"\s+", " ", re.sub(r"\x1b\[\d+m", "", line_of(fact, 3_661.5)))

    assert words(facts.Started("all:a", 2, 3)) == "01:01:01.500 started (all) a@2#3"
    assert words(facts.Failed("a", error="task.x", then="retry", delay_seconds=2.0)).endswith(
        "task.x, then retry in 2 s"
    )
    assert words(facts.Stuck("a", guards=("g", "h"))).endswith("g; h")
    assert words(facts.Answered("a", key="start start: n > 1", answer=True)).endswith("n > 1: yes")
    assert words(facts.Moved("n", transition="t")).endswith('transition="t"')
    assert shown("x" * 100).endswith("…")
