"""SQL tasks: bound parameters, results by their types, one transaction, errors, and what may not be said."""

import sqlite3
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Event
from typing import Any

import msgspec
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.handlers.databases import KINDS, cents, made
from tests.handlers.inbox import Inbox, definition_of, until
from weft.handlers.desk import Desk
from weft.handlers.jobs import Done, Failed, Job
from weft.handlers.settings import Databases, Resource
from weft.handlers.sql.resources import Resources
from weft.handlers.sql.statements import StatementFault, statement_of
from weft.handlers.sql.tasks import statements
from weft.languages.python.tasks import sql
from weft.model.definition import Outcome
from weft.model.definition import Task as Definition


@pytest.fixture
def inbox() -> Inbox:
    return Inbox()


@pytest.fixture(params=KINDS)
def resources(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Resources]:
    shop = made(request.param, request, tmp_path)
    lost = Resource("sqlite:////no/such/directory/x.db")
    resources = Resources({"shop": shop, "lost": lost, "secret": Resource(url_from="NO_URL"), "empty": Resource()})
    yield resources
    resources.close()


@pytest.fixture
def desk(inbox: Inbox, resources: Resources) -> Iterator[Desk]:
    desk = Desk([statements(resources, Databases(at_once=2), inbox)], inbox)
    yield desk
    desk.close()


def ask(statement: str, resource: str = "shop", **options: Any) -> Definition:
    return definition_of(sql("ask", resource, statement, **options))


def job(task: Definition, /, **inputs: object) -> Job:
    return Job(task, 1, "all/ask", 0, 1, "1/all/ask", inputs)


def with_outcomes(task: Definition, *outcomes: Outcome) -> Definition:
    return msgspec.structs.replace(task, outcomes=outcomes)


def done(answer: object) -> dict[str, object]:
    assert isinstance(answer, Done), answer
    return answer.values


def failed(answer: object) -> tuple[str, str]:
    assert isinstance(answer, Failed), answer
    return answer.error, answer.message


# Results.


@pytest.mark.parametrize(
    ("statement", "gives", "result"),
    [
        ("select * from account order by name", list[dict[str, Any]],
         [{"name": "ann", "cents": 100}, {"name": "bob", "cents": 50}]),
        ("select cents from account order by 1", list[int], [50, 100]),
        ("select * from account where name = :who", dict[str, Any], {"name": "ann", "cents": 100}),
        ("select cents from account where name = :who", int, 100),
        ("select cents from account where name = ':who'", int | None, None),
        ("update account set cents = cents + 1 -- :none", int, 2),
        ("delete from account where name = :who ;", None, None),
    ],
)  # fmt: skip
def test_a_query_gives_its_rows(desk: Desk, inbox: Inbox, statement: str, gives: Any, result: object) -> None:
    desk.give([job(ask(statement, gives=gives), who="ann", unused=1)])
    assert done(inbox.end()) == ({} if gives is None else {"result": result})


def test_several_objects_are_columns(desk: Desk, inbox: Inbox) -> None:
    two = Outcome("done", types={"low": "int", "high": "int"})
    query = with_outcomes(ask("select min(cents) as low, max(cents) as high from account"), two)
    desk.give([job(query)])
    assert done(inbox.end()) == {"low": 50, "high": 100}
    desk.give([job(with_outcomes(ask("select min(cents) as low from account"), two))])
    assert failed(inbox.end())[0] == "handler.output"


def test_a_column_says_which_of_several_outcomes(desk: Desk, inbox: Inbox) -> None:
    rich, poor = Outcome("rich", types={"cents": "int"}), Outcome("poor")
    text = "select case when cents > 60 then 'rich' else 'poor' end as outcome, cents from account where name = :who"
    for who, outcome, values in (("ann", "rich", {"cents": 100}), ("bob", "poor", {})):
        desk.give([job(with_outcomes(ask(text), rich, poor), who=who)])
        answer = inbox.end()
        assert isinstance(answer, Done)
        assert (answer.outcome, answer.values) == (outcome, values)
    desk.give([job(with_outcomes(ask(text), rich, poor), who="eve")])
    assert failed(inbox.end())[0] == "handler.output"


def test_lists_and_objects_are_bound_as_json(desk: Desk, inbox: Inbox) -> None:
    desk.give([job(ask("select cast(:tags as text)", gives=str), tags=["a", {"b": None}])])
    assert done(inbox.end()) == {"result": '["a",{"b":null}]'}


# Transactions and errors.


def test_what_does_not_fit_is_rolled_back(desk: Desk, inbox: Inbox, resources: Resources) -> None:
    two = Outcome("done", types={"low": "int", "high": "int"})
    desk.give([job(with_outcomes(ask("update account set cents = 0"), two))])
    assert failed(inbox.end())[0] == "handler.output"
    assert cents(resources) == {"ann": 100, "bob": 50}


@pytest.mark.parametrize(
    ("statement", "errors", "error"),
    [
        ("insert into account values (:who, 1)", {}, "task.sql"),
        ("insert into account values (:who, 1)", {"IntegrityError": "task.taken"}, "task.taken"),
        ("update account set cents = -1", {"~check": "task.poor"}, "task.poor"),
        ("select * from nothing", {}, "task.sql"),
    ],
)
def test_what_the_database_refuses_is_the_error_declared_for_it(
    desk: Desk, inbox: Inbox, statement: str, errors: dict[str, str], error: str
) -> None:
    desk.give([job(ask(statement, errors=errors), who="ann")])
    assert failed(inbox.end())[0] == error


def test_a_parameter_that_is_not_there_is_an_error_of_the_input(desk: Desk, inbox: Inbox) -> None:
    desk.give([job(ask("select :day"), other=1)])
    assert failed(inbox.end()) == ("handler.input", "the statement wants the parameter 'day'; there are: other")


def test_rows_are_bounded(desk: Desk, inbox: Inbox) -> None:
    many = "with recursive n(i) as (select 1 union all select i + 1 from n where i < :most) select i from n"
    desk.give([job(ask(many, gives=list[int]), most=100)])
    assert done(inbox.end()) == {"result": list(range(1, 101))}
    desk.give([job(ask(many, gives=list[int]), most=101)])
    error, message = failed(inbox.end())
    assert error == "handler.output"
    assert "more than the 100 rows" in message


def test_a_stop_ends_what_the_database_is_doing(desk: Desk, inbox: Inbox) -> None:
    endless = "with recursive n(i) as (select 1 union all select i + 1 from n) select max(i) from n"
    given = job(ask(endless))
    desk.give([given])
    until(lambda: desk.rooms()[desk.lane(given.task)] < 2, Event().wait)
    for _ in range(200):  # it may not have come to the database yet
        desk.stop([given.about], "handler.execute.late")
        if not inbox.is_empty():
            break
        Event().wait(0.01)
    assert failed(inbox.end())[0] == "handler.execute.late"


def test_a_database_that_can_t_be_reached_was_asked_nothing(desk: Desk, inbox: Inbox) -> None:
    desk.give([job(ask("select 1", "lost"))])
    assert failed(inbox.end())[0] == "handler.activate"


@pytest.mark.parametrize(
    ("resource", "reason"),
    [
        ("bank", "this node allows no resource 'bank': it needs [resources.bank] in weft.toml"),
        ("secret", "the resource secret wants NO_URL in this node's environment"),
        ("empty", "the resource empty has no url: it needs one in [resources.empty] of weft.toml"),
        ("shop", ""),
    ],
)
def test_only_what_the_node_allows_is_asked(desk: Desk, resource: str, reason: str) -> None:
    assert desk.why_not(ask("select 1", resource)) == reason


def test_an_extra_that_is_not_installed_is_one_sentence(inbox: Inbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "weft.handlers.sql.alchemy", None)
    desk = Desk([statements(Resources({"shop": Resource("oracle://x")}), Databases(at_once=1), inbox)], inbox)
    desk.give([job(ask("select 1"))])
    error, message = failed(inbox.end())
    assert error == "handler.activate"
    assert "weftwork[sql]" in message
    desk.close()


def test_a_connection_that_died_while_it_was_idle_is_replaced(desk: Desk, inbox: Inbox, resources: Resources) -> None:
    desk.give([job(ask("select 1", gives=int))])
    assert done(inbox.end()) == {"result": 1}
    for kept in resources._idle["shop"]:
        kept.close()
    desk.give([job(ask("select 2", gives=int))])
    assert done(inbox.end()) == {"result": 2}


# What may be said.


@pytest.mark.parametrize(
    "text",
    [
        "commit",
        " /* x */ ROLLBACK",
        "begin; delete from account",
        "select 1; drop table account",
        "attach 'x' as y",
        "-- x\npragma foreign_keys = off",
        "prepare transaction 'x'",
        "savepoint x",
    ],
)
def test_statements_that_are_not_a_task_s(desk: Desk, inbox: Inbox, text: str) -> None:
    desk.give([job(ask(text))])
    assert failed(inbox.end())[0] == "handler.input"


@pytest.mark.parametrize(
    ("text", "texts", "names"),
    [
        ("select :a::int, ':b', \":c\", b'x:d'", ("select ", "::int, ':b', \":c\", b'x:d'"), ("a",)),
        ("select 'it''s :x', :y /* :z */ -- :w", ("select 'it''s :x', ", " /* :z */ -- :w"), ("y",)),
        ("select $tag$ :a $b$ $tag$, :é", ("select $tag$ :a $b$ $tag$, ", ""), ("é",)),
        ("select a[1:2], :n ; -- end", ("select a[1:2], ", " "), ("n",)),
    ],
)
def test_which_colons_are_parameters(text: str, texts: tuple[str, ...], names: tuple[str, ...]) -> None:
    statement = statement_of(text)
    assert (statement.texts, statement.names) == (texts, names)


def test_what_only_reads() -> None:
    assert statement_of("select 1").only_reads
    assert statement_of("with x as (select 1) select * from x").only_reads
    for text in (
        "with x as (delete from t returning *) select * from x",
        "select * into t from u",
        "update t set a = 1",
    ):
        assert not statement_of(text).only_reads


@given(st.text(alphabet="':\"$;-/*ab \n", max_size=30))
def test_any_text_is_a_statement_or_refused_and_nothing_of_it_is_lost(text: str) -> None:
    try:
        statement = statement_of(text)
    except StatementFault:
        return
    marks = [*(f":{name}" for name in statement.names), ""]
    whole = "".join(part + mark for part, mark in zip(statement.texts, marks, strict=True))
    assert text.startswith(whole)


@given(st.text(alphabet="':ab, ", max_size=20))
def test_sqlite_sees_the_same_parameters(text: str) -> None:
    assume("::" not in text)  # to SQLite that is part of a name
    try:
        statement = statement_of("select " + text)
    except StatementFault:
        return
    with sqlite3.connect(":memory:") as connection:
        try:
            connection.execute("select " + text, dict.fromkeys(statement.names, 1))
        except sqlite3.ProgrammingError as fault:
            raise AssertionError(f"{text!r}: {fault}") from fault
        except sqlite3.Error:
            pass
