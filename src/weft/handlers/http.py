"""HTTP tasks: a call of an endpoint that the node allows, with the task's key, and its answer as result or error."""

import os
from collections.abc import Mapping
from typing import Final
from urllib.parse import quote, urlencode, urlsplit

import msgspec

from weft.handlers.desk import Route
from weft.handlers.errors import STATUS, below, failed
from weft.handlers.exchange import Answer, Exchange, NotAnswered, NotSent, TooLarge
from weft.handlers.fill import FillFault, fill, in_words, names_in
from weft.handlers.jobs import ACTIVATE, CANCELLED, EXECUTE, INPUT, OUTPUT, Answers, Done, Failed, Job, Lost
from weft.handlers.results import ResultFault, result_of
from weft.handlers.settings import Calls, Endpoint
from weft.handlers.workers import Workers
from weft.model.definition import Http, Process, Task
from weft.model.raw_errors import Raw, declared_for, is_among

WITHOUT_BODY: Final = ("GET", "HEAD", "DELETE", "OPTIONS")
REPEATABLE: Final = ("GET", "HEAD", "OPTIONS")
"""These ask and change nothing, so not knowing whether one was done is no harm."""


class Endpoints:
    """Which servers may be called from here."""

    def __init__(self, allowed: Mapping[str, Endpoint]) -> None:
        self._allowed = allowed

    def endpoint(self, task: Task) -> Endpoint | str:
        """The endpoint of a call, or why it can't be called from here."""
        handler = task.handler
        assert isinstance(handler, Http)
        found = self._allowed.get(handler.endpoint)
        if found is None:
            name = handler.endpoint
            return f"this node allows no endpoint {name!r}: it needs [endpoints.{name}] in weft.toml"
        if found.methods and handler.method not in found.methods:
            return f"the endpoint {handler.endpoint} allows {', '.join(found.methods)}, and not {handler.method}"
        missing = [variable for variable in found.secrets.values() if variable not in os.environ]
        if missing:
            return f"the endpoint {handler.endpoint} wants {', '.join(missing)} in this node's environment"
        return found

    def refuses(self, task: Task, process: Process | None) -> str:
        found = self.endpoint(task)
        return found if isinstance(found, str) else ""


class CallWork:
    """One call on its way."""

    def __init__(self, job: Job, endpoint: Endpoint) -> None:
        assert isinstance(job.task.handler, Http)
        self.job = job
        self._handler = job.task.handler
        self._endpoint = endpoint
        self._error = ""
        self._exchange: Exchange | None = None

    @property
    def _may_repeat(self) -> bool:
        return self._handler.method in REPEATABLE or self.job.task.idempotent

    def stop(self, error: str = "") -> None:
        """A call that may not be repeated is let to its end, because nobody would know what it did."""
        self._error = error or CANCELLED
        if self._exchange is not None and self._may_repeat:
            self._exchange.cut()

    def run(self) -> Done | Failed | Lost:
        try:
            self._exchange = exchange = request_of(self.job, self._handler, self._endpoint)
        except FillFault as fault:
            return Failed(self.job, INPUT, str(fault))
        if self._is_stopped():
            return Failed(self.job, self._error, f"{self.job.path} was told to stop before it began")
        try:
            answer = exchange.run()
        except NotSent as fault:
            return self._fault(fault, ACTIVATE)
        except NotAnswered as fault:
            return self._unknown(fault)
        except TooLarge as fault:
            return Failed(self.job, OUTPUT, str(fault))
        return self._ended(answer)

    def _is_stopped(self) -> bool:
        return bool(self._error)

    def _fault(self, fault: Exception, otherwise: str) -> Failed:
        if self._is_stopped():
            return Failed(self.job, self._error, f"{self.job.path} was told to stop")
        return failed(self.job, below(fault), otherwise)

    def _unknown(self, fault: Exception) -> Failed | Lost:
        if self._may_repeat or declared_for(self.job.task.errors, below(fault)) is not None:
            return self._fault(fault, EXECUTE)
        return Lost(self.job, f"{fault}; whether it was done is not known")

    def _ended(self, answer: Answer) -> Done | Failed:
        if not is_among(answer.status, self._endpoint.ok):
            message = f"{self._handler.endpoint} answered {answer.status}: {answer.text.strip()}"
            return failed(self.job, Raw(code=answer.status, message=message), STATUS)
        try:
            return Done(self.job, *result_of(self.job.task, answer.text))
        except ResultFault as fault:
            return Failed(self.job, OUTPUT, str(fault))


def request_of(job: Job, handler: Http, endpoint: Endpoint) -> Exchange:
    """Parameters that the path does not name are the query, or the members of a JSON body."""
    path = fill(handler.path, job.inputs, lambda text: quote(text, safe=""))
    if any(part in (".", "..") for part in urlsplit(path).path.split("/")):
        raise FillFault(f"{handler.path!r} leads to {path!r}, and no part of a path may be a dot or two")
    url = endpoint.url.rstrip("/") + ("/" + path.lstrip("/") if path and path[0] != "?" else path)
    used = names_in(handler.path)
    rest = {name: value for name, value in job.inputs.items() if name not in used}
    headers = {"User-Agent": "weft", "Accept": "application/json, text/plain, */*", "Accept-Encoding": "identity"}
    headers |= endpoint.headers | {name: os.environ[variable] for name, variable in endpoint.secrets.items()}
    if endpoint.key_header:
        headers[endpoint.key_header] = quote(job.key, safe="/:@[]#!$&'()*+,;=")
    if handler.method in WITHOUT_BODY:
        query = urlencode([pair for name, value in rest.items() for pair in _pairs(name, value)])
        if query:
            url += ("&" if "?" in url else "?") + query
        return Exchange(endpoint, handler.method, url, headers, b"")
    headers.setdefault("Content-Type", "application/json")
    return Exchange(endpoint, handler.method, url, headers, msgspec.json.encode(rest))


def _pairs(name: str, value: object) -> list[tuple[str, str]]:
    if value is None:
        return []
    return [(name, in_words(one)) for one in (value if isinstance(value, list) else [value])]


def calls(endpoints: Endpoints, settings: Calls, answer: Answers, queues: tuple[str, ...] = ()) -> Route:
    """The route to a pool of HTTP calls."""

    def made(job: Job) -> CallWork | Failed:
        endpoint = endpoints.endpoint(job.task)
        return Failed(job, ACTIVATE, endpoint) if isinstance(endpoint, str) else CallWork(job, endpoint)

    pool = Workers(made, answer, threads=settings.at_once, most=10_000, name="http")
    return Route(pool, (Http,), endpoints.refuses, queues)
