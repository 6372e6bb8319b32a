"""Two cores at one store, step by step: what is another node's, and signals that cross the start of their instance."""

from collections.abc import Mapping

import pytest
from msgspec.structs import replace

from tests.engine.serving import slow, steps, waits
from weft import process, signal
from weft.assembly.nobody import nobody
from weft.engine.core import Core
from weft.engine.feed import Feed
from weft.engine.ids import Ids
from weft.engine.requests import (
    AnyRequest,
    Await,
    Begin,
    Begun,
    Declined,
    Deploy,
    Deployed,
    Ending,
    Heard,
    Reply,
    Send,
    Tell,
)
from weft.engine.server import Server
from weft.engine.settings import Settings
from weft.handlers.settings import Allowed
from weft.kernel import commands
from weft.store.memory import MemoryStore, MemoryVisitor
from weft.store.memory_database import MemoryDatabase


class Node:
    def __init__(self, database: MemoryDatabase, name: str) -> None:
        self.store = MemoryStore(database, name)
        hands = nobody(lambda handler: None, lambda answer: None, Allowed())
        self.core = Core(self.store, hands, Ids(), Settings())
        self.feed = Feed(self.core, self.store, Settings(), 0.0)
        self.heard: dict[object, Reply] = {}
        self.forwarded: list[AnyRequest] = []
        self.server = Server(self.core, self.store, self.heard.__setitem__, self.forwarded.append)

    def step(self, *requests: AnyRequest) -> None:
        inputs = list(requests)
        self.feed.add(inputs, 1000.0)
        while inputs or self.core.has_more():
            self.server.step(inputs, 1000.0)
            inputs = []

    def ask(self, request: AnyRequest) -> Reply:
        self.step(request.by("me"))
        return self.heard.pop("me")


@pytest.fixture
def pair() -> tuple[Node, Node]:
    """Two nodes that have half of the slots each."""
    database = MemoryDatabase(lambda: 1000.0)
    one, two = Node(database, "one"), Node(database, "two")
    one.step(Deploy(process=waits))
    two.step()
    assert len(one.store.slots) == len(two.store.slots) == 128
    return one, two


def begun(node: Node, fields: Mapping[str, str] = {}) -> int:
    reply = node.ask(Begin(name="waits", **fields))
    assert isinstance(reply, Begun)
    return reply.instance


def test_what_is_asked_of_an_instance_of_another_node_is_declined_and_says_of_which(pair: tuple[Node, Node]) -> None:
    one, two = pair
    instance = begun(two, {"key": "k"})
    for whom in (instance, ("waits", "k")):
        for request in (
            Send(whom=whom, signal="go"),
            Tell(whom=whom, command=commands.Cancel()),
            Await(whom=whom),
            Begin(name="waits", key="k", is_awaited=True),
        ):
            reply = one.ask(request)
            assert isinstance(reply, Declined)
            assert (reply.kind, reply.instance) == ("Elsewhere", instance)
    assert one.ask(Begin(name="waits", key="k")) == Begun(instance, is_new=False)
    assert not one.core.lives


def test_two_nodes_that_deploy_the_same_at_once_have_one_version(pair: tuple[Node, Node]) -> None:
    one, two = pair
    turn = one.core.take([Deploy(process=steps, token="me")], 1000.0)
    first = two.ask(Deploy(process=steps))
    assert isinstance(first, Deployed)
    assert first.is_new
    one.server._after(one.core.outcome(turn, one.store.commit(turn.batch)), turn)
    one.step()
    assert one.heard.pop("me") == replace(first, is_new=False)
    other = process("steps", number=int)(slow)
    turn = one.core.take([Deploy(process=other, token="me")], 1000.0)
    assert isinstance(two.ask(Deploy(process=process("steps")(signal("go")))), Deployed)
    one.server._after(one.core.outcome(turn, one.store.commit(turn.batch)), turn)
    one.step()
    third = one.heard.pop("me")
    assert isinstance(third, Deployed)
    assert third.version == "3"


def test_a_signal_that_is_kept_while_its_instance_begins_elsewhere_is_collected(pair: tuple[Node, Node]) -> None:
    one, two = pair
    turn = one.core.take([Send(whom=("waits", "k"), signal="go", token="me")], 1000.0)  # nobody has the key
    instance = begun(two, {"key": "k"})
    one.server._after(one.core.outcome(turn, one.store.commit(turn.batch)), turn)
    assert one.heard.pop("me") == Heard()
    (collect,) = one.forwarded
    two.step(collect)
    ending = two.ask(Await(whom=instance))
    assert isinstance(ending, Ending)
    assert ending.outcome == "done"
    assert MemoryVisitor(one.store._database).signals(keys=[("waits", "k")]) == []
