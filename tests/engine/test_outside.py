"""Work outside the functions of a node, from a process in Python to its result in the store."""

import multiprocessing
import sqlite3
import sys
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from tests.handlers import chores
from weft import Context, Engine, File, command, process, sql, task, var
from weft.assembly.outside import allowed_of, named_by
from weft.engine.problems import Problem
from weft.handlers.settings import Allowed


def processes() -> Executor:
    return ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn"))


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    with closing(sqlite3.connect(tmp_path / "shop.db")) as shop:
        shop.execute("create table sale (cents integer)")
        shop.executemany("insert into sale values (?)", [(3,), (4,)])
        shop.commit()
    allow = {
        "applications": {"python": {"file": sys.executable, "arguments": ["-c"]}},
        "resources": {"shop": {"url": f"sqlite:///{tmp_path}/shop.db"}},
        "files": {"keep": str(tmp_path / "files")},
        "executors": {"heavy": {"make": "tests.engine.test_outside:processes", "queues": ["heavy"]}},
    }
    with Engine(f"sqlite:///{tmp_path}/weft.db", tasks=[chores], allow=allow) as engine:
        yield engine


WRITE = "import sys; open('report.txt', 'w').write('cents: ' + sys.argv[1])"
READ = "import sys; print(open(sys.argv[1]).read())"


def test_rows_go_into_a_program_and_files_from_one_program_to_the_next(engine: Engine) -> None:
    total = sql("total", "shop", "select sum(cents) from sale", gives=int).into("total")
    write = command("write", "python", WRITE, "{total}", files={"report": "report.txt"}, gives={"report": File})
    read = command("read", "python", READ, "{report}", gives=str).into("text")
    report = process("report")(
        total >> write.using(total=var("total")).into(file="report") >> read.using(report=var("file"))
    )
    result = engine.run(report)
    assert result.outcome == "done", result.error
    assert result.values["text"] == "cents: 7"


def test_exit_codes_are_errors_for_which_rules_stand(engine: Engine) -> None:
    fail = command("fail", "python", "raise SystemExit(4)", errors={"4": "task.no_paper"})
    assert engine.run(process("fails")(fail)).error == "task.no_paper"
    assert engine.run(process("goes_on")(fail.on_error("task.no_paper", "ignore"))).outcome == "done"


def test_a_queue_of_an_executor_is_worked_on_there(engine: Engine) -> None:
    heavy = process("heavy", number=int)(chores.add.on_queue("heavy").into("more"))
    assert engine.run(heavy, number=1).values["more"] == 2


def test_work_that_takes_too_long_is_stopped_and_its_error_is_the_limit_s(engine: Engine) -> None:
    slow = chores.wait_for_stop.limited(run=timedelta(milliseconds=20))
    assert engine.run(process("slow")(slow)).message.startswith("handler.execute.late")


def test_a_retry_goes_on_from_the_checkpoint(engine: Engine) -> None:
    seen: list[object] = []

    @task(checkpoint=True)
    def load(ctx: Context) -> None:
        seen.append(ctx.checkpoint)
        ctx.save(len(seen))
        if len(seen) < 3:
            raise ConnectionError("again")

    assert engine.run(process("fill")(load.retry(5, error="task.ConnectionError"))).outcome == "done"
    assert seen == [None, 1, 2]


@task(transaction="transactional", resource="shop")
def sell(cents: int, ctx: Context) -> int:
    ctx.connection.execute("insert into sale values (?)", (cents,))
    if cents < 0:
        raise ValueError("no such price")
    return cents


def test_a_transactional_task_is_done_with_its_marker_or_not_at_all(engine: Engine, tmp_path: Path) -> None:
    shop = process("shop", cents=int)(sell.into("sold"))
    assert engine.run(shop, cents=5).values["sold"] == 5
    assert engine.run(shop, cents=-5).error == "task.ValueError"
    with closing(sqlite3.connect(tmp_path / "shop.db")) as connection:
        assert connection.execute("select cents from sale").fetchall() == [(3,), (4,), (5,)]
        assert connection.execute("select activity, state, result from weft_done").fetchall() == [
            ("sell", "done", '{"result":5}')
        ]


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ("postgresql://a:secret@h/d?schema=s", "postgresql://b@h/d?sslmode=require&schema=s", True),
        ("postgresql://a@h/d?schema=s", "postgresql://a@h/d?schema=t", False),
        ("sqlite:///x.db", "sqlite:///./x.db", True),
        ("sqlite:///x.db", "sqlite:///y.db", False),
    ],
)
def test_a_store_has_one_name_however_it_is_reached(one: str, other: str, is_same: bool) -> None:
    names = {named_by(url, Allowed()).sql.store for url in (one, other)}
    assert (len(names) == 1) is is_same
    assert named_by(one, allowed_of({"sql": {"store": "shop"}})).sql.store == "shop"


def test_what_is_not_allowed_is_not_taken(engine: Engine) -> None:
    with pytest.raises(Problem, match="unknown field `hostz`"):
        Engine("memory:", allow={"applications": {"zip": {"file": "zip", "hostz": []}}})
    with pytest.raises(Problem, match="the executor x can't be made"):
        Engine("memory:", allow={"executors": {"x": {"make": "no_such:thing", "queues": []}}})
