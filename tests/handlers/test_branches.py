"""Prepared branches on a real PostgreSQL: their names, and that they outlive their connection."""

from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.handlers.databases import cents, made
from weft.handlers.sql.branches import NAME_BYTES_MAX, Branch, branch_named, branches, prepare, settle
from weft.handlers.sql.connection import TransactionEnded
from weft.handlers.sql.markers import hashed
from weft.handlers.sql.postgres import PostgresConnection
from weft.handlers.sql.resources import Resources
from weft.handlers.sql.statements import statement_of

TAKE = statement_of("update account set cents = cents - 30 where name = 'ann'")
ONE = Branch("here/ü", 7, "all/pay", 0, 1, 4)


@pytest.fixture
def resources(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Resources]:
    resources = Resources({"shop": made("postgres", request, tmp_path, lock_seconds=5)})
    yield resources
    resources.close()


@pytest.fixture
def connection(resources: Resources) -> Iterator[PostgresConnection]:
    opened = resources.open("shop")
    assert isinstance(opened, PostgresConnection)
    yield opened
    for store in ("here/ü", "here"):
        for branch in branches(opened, store):
            settle(opened, branch, commit=False)
    opened.close()


def prepared(resources: Resources, branch: Branch) -> None:
    """By a connection that is gone afterwards."""
    other = resources.open("shop")
    assert isinstance(other, PostgresConnection)
    other.begin()
    other.execute(TAKE, {})
    prepare(other, branch)
    other.close()


@pytest.mark.parametrize(("commit", "left"), [(True, 70), (False, 100)])
def test_a_branch_outlives_its_connection_and_is_settled_once(
    connection: PostgresConnection, resources: Resources, commit: bool, left: int
) -> None:
    prepared(resources, ONE)
    assert cents(resources)["ann"] == 100
    assert branches(connection, "here/ü") == [ONE]
    assert settle(connection, ONE, commit=commit)
    assert cents(resources)["ann"] == left
    assert not settle(connection, ONE, commit=commit)
    assert branches(connection, "here/ü") == []


def test_branches_of_other_stores_and_of_others_are_not_listed(
    connection: PostgresConnection, resources: Resources
) -> None:
    prepared(resources, ONE)
    assert branches(connection, "here") == []
    with psycopg.connect(made_url(resources), autocommit=True) as other:
        other.execute(b"begin; create table t_of_another (a int)")
        other.execute("prepare transaction 'weft/here/no-number/x/0/1/4'")
        try:
            assert branches(connection, "here") == []
        finally:
            other.execute("rollback prepared 'weft/here/no-number/x/0/1/4'")


def made_url(resources: Resources) -> str:
    resource = resources.resource("shop")
    assert not isinstance(resource, str)
    return resource.url


def test_the_connection_goes_on_after_it_prepared(connection: PostgresConnection, resources: Resources) -> None:
    connection.begin()
    connection.execute(TAKE, {})
    prepare(connection, ONE)
    assert settle(connection, ONE, commit=True)
    connection.begin()
    connection.execute(TAKE, {})
    with pytest.raises(TransactionEnded):
        connection.given.commit()
    connection.commit()
    assert cents(resources)["ann"] == 40


@given(st.text("abc-_.09", max_size=64), st.integers(0, 2**63), st.text(min_size=1, max_size=60), st.integers(0, 9))
def test_a_name_says_whose_branch_it_is(store: str, instance: int, activity: str, number: int) -> None:
    branch = Branch(store, instance, activity, number, number, number)
    assert len(branch.name) <= NAME_BYTES_MAX
    read = branch_named(branch.name)
    assert read is not None
    assert (read.store, read.instance, read.epoch) == (store, instance, number)
    assert read.activity in (activity, hashed(activity))
    assert read.name == branch.name


@pytest.mark.parametrize("name", ["", "weft", "other/x/1/a/0/1/2", "weft/x/one/a/0/1/2", "weft/x/1/a/0/1"])
def test_other_names_are_nobodys(name: str) -> None:
    assert branch_named(name) is None
