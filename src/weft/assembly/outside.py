"""The pools for work outside a node's own functions, as its settings allow it; what is not allowed has no pool."""

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import cast
from urllib.parse import parse_qs, urlsplit

import msgspec
from msgspec.structs import replace

from weft.assembly.code import by_import
from weft.engine.problems import Problem
from weft.handlers.commands import Programs, commands
from weft.handlers.desk import Route, functions
from weft.handlers.executors import Executors
from weft.handlers.files import Folder
from weft.handlers.functions import FindCode
from weft.handlers.http import Endpoints, calls
from weft.handlers.jobs import Answers
from weft.handlers.reading import Reader, reads
from weft.handlers.settings import Allowed, ExecutorSettings
from weft.handlers.sql.resources import Resources
from weft.handlers.sql.tasks import statements
from weft.handlers.transactions import Transactions, transactions
from weft.store.opening import SQLITE, path_of


def allowed_of(allow: Mapping[str, object] | Allowed) -> Allowed:
    """What a mapping allows, written as in `weft.toml`.

    >>> allowed_of({"applications": {"zip": {"file": "/usr/bin/zip"}}}).applications["zip"].file
    '/usr/bin/zip'
    """
    if isinstance(allow, Allowed):
        return allow
    try:
        return msgspec.convert(allow, Allowed)
    except msgspec.ValidationError as fault:
        raise Problem(f"what is allowed is not as it should be: {fault}") from None


def named_by(url: str, allowed: Allowed) -> Allowed:
    """With a name for the store in the markers of transactions: that of its place, without user and password."""
    if allowed.sql.store:
        return allowed
    if url.startswith(SQLITE):
        place = str(path_of(url).resolve())
    else:
        parts = urlsplit(url)
        place = f"{parts.netloc.rpartition('@')[2]}{parts.path} {parse_qs(parts.query).get('schema')}"
    name = sha256(place.encode()).hexdigest()[:16]
    return replace(allowed, sql=replace(allowed.sql, store=name))


def outside(find: FindCode, answer: Answers, allowed: Allowed) -> Iterator[Route]:
    """A route for each kind of work that is allowed; threads are made for no other."""
    files = Folder(Path(allowed.files.keep))
    if allowed.applications or allowed.commands.allow_commands:
        yield commands(Programs(allowed.applications, allowed.commands), files, answer)
    if allowed.endpoints:
        yield calls(Endpoints(allowed.endpoints), allowed.http, answer)
    if allowed.resources:
        resources = Resources(allowed.resources)
        yield statements(resources, allowed.sql, answer)
        yield transactions(Transactions(find, allowed.sql.store, resources, allowed.sql, answer), find, resources)
    if allowed.files.directories:
        yield reads(Reader(allowed.files, files), answer)
    for name, settings in allowed.executors.items():
        pool = Executors(_maker(name, settings), by_import, answer, most=settings.most)
        yield functions(pool, find, queues=settings.queues)


def _maker(name: str, settings: ExecutorSettings) -> Callable[[], Executor]:
    module, _, function = settings.make.partition(":")
    try:
        return cast("Callable[[], Executor]", getattr(import_module(module), function))
    except (ImportError, AttributeError, ValueError) as fault:
        raise Problem(f"the executor {name} can't be made by {settings.make!r}: {fault}") from None
