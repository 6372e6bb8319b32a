"""Several simulated nodes at one simulated store: they are paused, crash, come and leave, and take each other over."""

from types import SimpleNamespace
from typing import cast

from tests.random.draw import Draw
from tests.simulation.ledger import Violation
from tests.simulation.world import Node, Odds, Worker, World
from weft.assembly.forwarding import Post, asked_on
from weft.engine.core import Core
from weft.engine.feed import Feed
from weft.engine.ids import Ids
from weft.engine.requests import Reply, Tell
from weft.engine.server import Server
from weft.engine.settings import Settings
from weft.engine.turn import Input
from weft.handlers.jobs import About
from weft.kernel import commands
from weft.store.memory import MemoryVisitor
from weft.store.problems import TakenOver, Unavailable
from weft.testing.faults import FaultyStore

NAMES = ("one", "two", "three")
LEASE_SECONDS = 10.0


class SharedNode(Node):
    """A node that has some of the slots, and its inputs from the engine's own feed."""

    def __init__(self, world: "Cluster", name: str) -> None:
        self.world = world
        self.name = name
        self.store = FaultyStore(world.database, name, fate=world.fate, is_away=world.is_away)
        self.worker = Worker(world)
        ids = Ids(salt=world.draw.number(0, 1 << 20))
        settings = Settings(
            instances_max=world.draw.one([1, 2, 100]),
            snapshot_bytes_min=world.draw.one([200, 2000]),
            inputs_max=world.draw.one([2, 1000]),
            lease_seconds=LEASE_SECONDS,
        )
        self.core = Core(self.store, self.worker, ids, settings, number=self.store.batch)
        self.server = Server(self.core, self.store, world.hear)
        self.inbox: list[Input] = []
        self.is_down = False
        self.feed = Feed(self.core, self.store, settings, world.now)

    def step(self) -> None:
        try:
            if self.is_down:
                self.server.recover()
                self.feed.look_again()
                self.is_down = False
            inputs, self.inbox = self.inbox, []
            try:
                self.feed.add(inputs, self.world.now)
            except Unavailable:
                self.inbox = inputs
                raise
            if inputs or self.core.has_more():
                turn = self.server.step(inputs, self.world.now)
                for row in turn.batch.timers.values():
                    if row is not None:
                        self.feed.set_timers(row.due)
        except Unavailable:
            self.is_down = True
        if self.core.faults:
            raise self.core.faults[0]
        self.world.ledger.look()

    @property
    def is_idle(self) -> bool:
        """Would it find nothing to do now?"""
        waits = self.feed.seconds_to_wait(self.world.now) > 0.0
        if self.inbox or self.is_down or self.core.has_more() or not waits:
            return False
        if self.feed.leaves and not self.core.jobs:
            return False
        has_news = any(row.id not in self.feed._asked for row in self.store.commands())
        return not (has_news or self.world.database.slots_of(self.name) != self.store.slots)

    def knows(self, about: About) -> bool:
        """Does this work wait here, or for the node that gets the slot?"""
        return self.core.queues.has(about) or self.core.ids.is_leaving(about[0])

    @property
    def has_left(self) -> bool:
        """Has it done what it was asked to leave for?"""
        self.core.is_closing = self.feed.leaves
        return self.feed.leaves and self.feed.part() and not self.core.jobs


class Cluster(World):
    def __init__(self, draw: Draw) -> None:
        self.at = NAMES[0]
        """Where things happen at present."""
        self.nodes: dict[str, SharedNode] = {}
        self.posts: list[tuple[object, Post]] = []
        super().__init__(draw)
        for name in NAMES[1:]:
            self.nodes[name] = SharedNode(self, name)

    def new_node(self) -> SharedNode:
        return SharedNode(self, self.at)

    @property
    def node(self) -> SharedNode:
        return self.nodes[self.at]

    @node.setter
    def node(self, new: Node) -> None:
        assert isinstance(new, SharedNode)
        self.nodes[self.at] = new

    # Requests find their instance.

    def hear(self, token: object, reply: Reply) -> None:
        following = asked_on(self.ledger.request(token), reply)
        if following is None:
            super().hear(token, reply)
        else:
            self.posts.append((token, Post(MemoryVisitor(self.database), following)))

    def look_for_answers(self) -> None:
        posts, self.posts = self.posts, []
        for token, post in posts:
            reply = post.look()
            if reply is None:
                self.posts.append((token, post))
            else:
                super().hear(token, reply)

    # What happens.

    def happen(self) -> None:
        self.look_for_answers()
        self.at = self.draw.one(NAMES)
        if self.draw.chance(self.odds.crash):
            MemoryVisitor(self.database).ask_to_leave(self.at)
        try:
            super().happen()
        except TakenOver:
            self.node = self.new_node()
        if self.node.has_left:
            self.node.store.close()
            self.node = self.new_node()

    def crash(self) -> None:
        if self.draw.chance(50):
            self.node.store.land()
        self.ledger.look()
        self.node = self.new_node()

    def time_passes(self) -> None:
        self.now += self.draw.one([0.001, 0.5, 1.0, 2.0, 4.0, 4.0, 60.0, 100_000.0])
        self.node.step()

    def settle(self) -> None:
        for number in range(3_000):
            self.look_for_answers()
            busy = [name for name, node in self.nodes.items() if not node.is_idle]
            if not busy:
                return
            self.at = self.draw.one(busy)
            try:
                self.node.step()
            except TakenOver:
                self.node = self.new_node()
            if self.node.has_left:
                self.node.store.close()
                self.node = self.new_node()
            if number % 50 == 49:
                for instance in self.ledger.endless():
                    self.ask(Tell(whom=instance, command=commands.Cancel()))
        raise Violation("the nodes find no rest")

    def calm(self) -> None:
        self.odds = Odds(0, 0, 0)
        for attempt in range(60):
            self.settle()
            self.check()
            rest = self.ledger.open_instances()
            if not rest:
                return
            for self.at in NAMES:
                for job in list(self.node.worker.jobs.values()):
                    self.end(job, is_good=True)
            self.settle()
            self.now += 200_000.0
            for node in self.nodes.values():
                node.store.renew()
            self.settle()
            for instance in rest:
                self.ask(Tell(whom=instance, command=commands.Resume()))
                for command in self.ledger.answers_for(self.node.core, instance):
                    self.ask(Tell(whom=instance, command=command))
                if attempt == 20:
                    self.ask(Tell(whom=instance, command=commands.Cancel()))
        self.ledger.stands_still(self.node.core)

    def check(self) -> None:
        """Whatever an instance waits for must be known to one of the nodes."""
        nodes = self.nodes.values()
        jobs = {about: job for node in nodes for about, job in node.worker.jobs.items()}
        queues = SimpleNamespace(has=lambda about: any(node.knows(about) for node in nodes))
        self.ledger.check_standing(cast(Core, SimpleNamespace(queues=queues)), jobs)
