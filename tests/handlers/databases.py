"""The databases in which tests of handlers work: SQLite, the same by SQLAlchemy, and a real PostgreSQL."""

import os
import sqlite3
from contextlib import closing
from itertools import count
from pathlib import Path

import psycopg
import pytest

from weft.handlers.settings import Resource
from weft.handlers.sql.resources import Resources
from weft.handlers.sql.statements import statement_of

KINDS = ["sqlite", "sqlalchemy", "postgres"]
NUMBERS = count(1)
TABLE = "create table account (name text primary key, cents integer not null check (cents >= 0))"
SELECT = statement_of("select name, cents from account order by name")
ROWS = "insert into account values ('ann', 100), ('bob', 50)"


def made(kind: str, request: pytest.FixtureRequest, folder: Path, lock_seconds: float = 0.05) -> Resource:
    """A database with two accounts."""
    if kind == "postgres":
        schema = f"shop_{os.environ.get('PYTEST_XDIST_WORKER', 'main')}_{next(NUMBERS)}"
        url = request.getfixturevalue("postgres_server_of_run").url()
        with psycopg.connect(url, autocommit=True) as server:
            server.execute(f"create schema {schema}; set search_path to {schema}; {TABLE}; {ROWS}".encode())
        return Resource(f"{url}?options=-csearch_path%3D{schema}", lock_seconds=lock_seconds, rows=100)
    with closing(sqlite3.connect(folder / "shop.db")) as connection:
        connection.execute(TABLE)
        connection.execute(ROWS)
        connection.commit()
    prefix = {"sqlite": "sqlite:///", "sqlalchemy": "sqlite+pysqlite:///"}[kind]
    return Resource(f"{prefix}{folder}/shop.db", lock_seconds=lock_seconds, rows=100)


def cents(resources: Resources) -> dict[str, int]:
    """What is on the accounts, as another connection sees it."""
    with resources.connection("shop", only_reads=True) as connection:
        from_all = connection.execute(SELECT, {})
    return {str(name): int(str(value)) for name, value in from_all.rows}
