"""HTTP tasks against a real server: what is sent, what answers mean, redirects, bounds, and stopping."""

import json
import socket
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any

import msgspec
import pytest

from tests.handlers.inbox import SECONDS, Inbox, definition_of, until
from weft.handlers.desk import Desk
from weft.handlers.http import Endpoints, calls
from weft.handlers.jobs import Done, Failed, Job, Lost
from weft.handlers.settings import Calls, Endpoint
from weft.languages.python.tasks import http
from weft.model.definition import Task as Definition


class Server(BaseHTTPRequestHandler):
    """Answers what its path says."""

    asked = Event()
    go = Event()

    def do_GET(self) -> None:
        size = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(size).decode()
        way = self.path.partition("?")[0].removeprefix("/shop/")
        if way == "wait":
            Server.asked.set()
            Server.go.wait(SECONDS)
            self.close_connection = True
            return
        if way.startswith("status/"):
            self.answer(int(way.rpartition("/")[2]), "no such order")
        elif way.startswith("to/"):
            code, place = way.removeprefix("to/").split("/", 1)
            self.answer(int(code), "", Location=place.replace("~", "/"))
        elif way == "large":
            self.answer(200, "x" * 5_000)
        elif way == "text":
            self.answer(200, "caf\xe9\n")
        else:
            seen = {"method": self.command, "path": self.path, "headers": dict(self.headers), "body": body}
            self.answer(200, json.dumps(seen))

    def do_POST(self) -> None:
        self.do_GET()

    def answer(self, status: int, text: str, **headers: str) -> None:
        content = text.encode("latin-1")
        self.send_response(status)
        for name, value in {"Content-Type": "text/plain; charset=latin-1", **headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None: ...


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Server) as serving:
        serving.daemon_threads = True
        Thread(target=serving.serve_forever, args=(0.01,), daemon=True).start()
        yield f"http://127.0.0.1:{serving.server_address[1]}"
        serving.shutdown()


@pytest.fixture
def inbox() -> Inbox:
    Server.asked.clear()
    Server.go.clear()
    return Inbox()


@pytest.fixture
def desk(inbox: Inbox, server: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    monkeypatch.setenv("SHOP_TOKEN", "Bearer abc")
    allowed = {
        "shop": Endpoint(
            f"{server}/shop", headers={"X-Shop": "7"}, secrets={"Authorization": "SHOP_TOKEN"}, redirects=1
        ),
        "small": Endpoint(f"{server}/shop/", body_bytes=1_000, methods=("GET",), key_header=""),
        "closed": Endpoint(f"http://127.0.0.1:{free_port()}"),
        "locked": Endpoint(server, secrets={"Authorization": "NO_SUCH_TOKEN"}),
        "hasty": Endpoint(f"{server}/shop", seconds=0.05),
    }
    desk = Desk([calls(Endpoints(allowed), Calls(at_once=2), inbox)], inbox)
    yield desk
    Server.go.set()
    desk.close()


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def call(path: str = "", method: str = "POST", endpoint: str = "shop", **options: Any) -> Definition:
    fields = {"idempotent": options.pop("idempotent", False)}
    return definition_of(http("call", endpoint, path, method=method, **options), **fields)


def job(task: Definition, /, **inputs: object) -> Job:
    return Job(task, 1, "all/é", 0, 2, "1/all/é", inputs)


def seen(answer: object) -> dict[str, Any]:
    assert isinstance(answer, Done), answer
    result = answer.values["result"]
    assert isinstance(result, dict)
    return result


def failed(answer: object) -> tuple[str, str]:
    assert isinstance(answer, Failed), answer
    return answer.error, answer.message


# What is sent.


def test_parameters_stand_in_the_path_and_the_body(desk: Desk, inbox: Inbox) -> None:
    task = call("orders/{id}/items?kind={kind}", gives=dict[str, Any])
    desk.give([job(task, id="a/b c", kind="x&y", count=3, more=[1])])
    request = seen(inbox.end())
    assert (request["method"], request["path"]) == ("POST", "/shop/orders/a%2Fb%20c/items?kind=x%26y")
    assert json.loads(request["body"]) == {"count": 3, "more": [1]}
    headers = request["headers"]
    assert headers["Idempotency-Key"] == "1/all/%C3%A9"
    assert (headers["Authorization"], headers["X-Shop"]) == ("Bearer abc", "7")
    assert headers["Content-Type"] == "application/json"


def test_what_asks_only_has_a_query_and_no_body(desk: Desk, inbox: Inbox) -> None:
    desk.give([job(call("find", "GET", "small", gives=dict[str, Any]), q="a b", tags=["x", "y"], none=None, yes=True)])
    request = seen(inbox.end())
    assert (request["path"], request["body"]) == ("/shop/find?q=a+b&tags=x&tags=y&yes=true", "")
    assert "Idempotency-Key" not in request["headers"]


@pytest.mark.parametrize("value", ["..", "."])
def test_a_value_leads_to_no_other_path(desk: Desk, inbox: Inbox, value: str) -> None:
    desk.give([job(call("orders/{id}"), id=value)])
    assert failed(inbox.end())[0] == "handler.input"


# What answers mean.


def test_text_is_read_as_the_server_wrote_it(desk: Desk, inbox: Inbox) -> None:
    desk.give([job(call("text", gives=str))])
    answer = inbox.end()
    assert isinstance(answer, Done)
    assert answer.values == {"result": "café"}


@pytest.mark.parametrize(
    ("status", "errors", "error"),
    [
        (404, {}, "task.status"),
        (503, {"503": "task.gateway"}, "task.gateway"),
        (429, {"4xx": "task.refused", "400-499 ~ no such order": "task.unknown"}, "task.unknown"),
    ],
)
def test_a_status_is_the_error_declared_for_it(
    desk: Desk, inbox: Inbox, status: int, errors: dict[str, str], error: str
) -> None:
    desk.give([job(call(f"status/{status}", errors=errors))])
    assert failed(inbox.end()) == (error, f"shop answered {status}: no such order")


def test_a_result_that_is_not_what_was_declared_is_an_error_of_the_output(desk: Desk, inbox: Inbox) -> None:
    desk.give([job(call("text", gives=int))])
    assert failed(inbox.end())[0] == "handler.output"


def test_an_answer_is_bounded(desk: Desk, inbox: Inbox) -> None:
    desk.give([job(call("large", "GET", "small", gives=str))])
    error, message = failed(inbox.end())
    assert error == "handler.output"
    assert "more than the 1,000 bytes" in message


# Redirects.


def test_a_redirect_on_the_same_server_is_followed(desk: Desk, inbox: Inbox) -> None:
    desk.give([job(call("to/307/~shop~new", gives=dict[str, Any]), n=1)])
    request = seen(inbox.end())
    assert (request["method"], request["path"], request["body"]) == ("POST", "/shop/new", '{"n":1}')
    desk.give([job(call("to/303/~shop~new", gives=dict[str, Any]), n=1)])
    request = seen(inbox.end())
    assert (request["method"], request["body"]) == ("GET", "")


@pytest.mark.parametrize(
    ("way", "message"),
    [
        ("to/307/http:~~127.0.0.2~", "leads to another server"),
        ("to/307/~~127.0.0.2~x", "leads to another server"),
        ("to/302/~shop~new", "repeated only for 307 and 308"),
        ("to/307/~shop~to~307~x", "leads on to x, and 1 were allowed"),
    ],
)
def test_other_redirects_are_not(desk: Desk, inbox: Inbox, way: str, message: str) -> None:
    desk.give([job(call(way))])
    error, said = failed(inbox.end())
    assert error == "task.status"
    assert message in said


# What is not answered.


def test_a_server_that_is_not_there_was_asked_nothing(desk: Desk, inbox: Inbox) -> None:
    desk.give([job(call(endpoint="closed"))])
    assert failed(inbox.end())[0] == "handler.activate"
    desk.give([job(call(endpoint="closed", errors={"ConnectionError": "task.gateway"}))])
    assert failed(inbox.end())[0] == "task.gateway"


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"method": "GET"}, "handler.execute"),
        ({"idempotent": True}, "handler.execute"),
        ({"errors": {"TimeoutError": "task.slow"}}, "task.slow"),
    ],
)
def test_no_answer_to_what_may_be_repeated_is_an_error(
    desk: Desk, inbox: Inbox, options: dict[str, Any], error: str
) -> None:
    desk.give([job(call("wait", endpoint="hasty", **options))])
    assert failed(inbox.end())[0] == error


def test_no_answer_to_what_may_not_be_repeated_leaves_it_in_doubt(desk: Desk, inbox: Inbox) -> None:
    desk.give([job(call("wait", endpoint="hasty"))])
    lost = inbox.end()
    assert isinstance(lost, Lost)
    assert "not known" in lost.message


def test_a_stop_cuts_off_what_may_be_repeated(desk: Desk, inbox: Inbox) -> None:
    given = job(call("wait", idempotent=True))
    desk.give([given])
    assert Server.asked.wait(SECONDS)
    desk.stop([given.about], "handler.execute.late")
    assert failed(inbox.end())[0] == "handler.execute.late"


def test_what_may_not_be_repeated_is_let_to_its_end(desk: Desk, inbox: Inbox) -> None:
    given = job(call("wait"))
    desk.give([given])
    assert Server.asked.wait(SECONDS)
    desk.stop([given.about])
    assert inbox.is_empty()
    Server.go.set()
    assert isinstance(inbox.end(), Lost)  # the server closed the connection without an answer


def test_what_is_stopped_before_its_turn_is_not_asked(desk: Desk, inbox: Inbox) -> None:
    waiting = [job(call("wait", idempotent=True)) for _ in range(2)]
    waiting = [msgspec.structs.replace(one, instance=number) for number, one in enumerate(waiting)]
    late = msgspec.structs.replace(job(call("late")), instance=9)
    desk.give([*waiting, late])
    until(lambda: desk.rooms()[desk.lane(late.task)] == 0, Event().wait)
    desk.stop([late.about, *(one.about for one in waiting)])
    assert {failed(one)[0] for one in inbox.ends(3)} == {"engine.cancelled"}


# Which may be called.


@pytest.mark.parametrize(
    ("task", "reason"),
    [
        (call(endpoint="bank"), "this node allows no endpoint 'bank': it needs [endpoints.bank] in weft.toml"),
        (call(endpoint="small"), "the endpoint small allows GET, and not POST"),
        (call(endpoint="locked"), "the endpoint locked wants NO_SUCH_TOKEN in this node's environment"),
        (call(), ""),
    ],
)
def test_only_what_the_node_allows_is_called(desk: Desk, task: Definition, reason: str) -> None:
    assert desk.why_not(task) == reason
