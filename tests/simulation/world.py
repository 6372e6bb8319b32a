"""A simulated node at a simulated store: one seed, one history. What may go wrong does, when the seed says so."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from tests.random.draw import Draw
from tests.random.processes import process as random_process
from tests.simulation.ledger import Ledger
from tests.simulation.sample import SAMPLES
from weft.engine.core import Core
from weft.engine.ids import Ids
from weft.engine.requests import (
    AnyRequest,
    Await,
    Begin,
    Change,
    Deploy,
    Fire,
    Reply,
    Revive,
    Send,
    Tell,
)
from weft.engine.server import Server
from weft.engine.settings import Settings
from weft.engine.turn import Input
from weft.handlers.jobs import CANCELLED, About, Done, Failed, Job, Lost, Marked, Saved
from weft.kernel import commands
from weft.model.definition import Outcome, Process, Task
from weft.store.memory_database import MemoryDatabase
from weft.store.problems import Unavailable
from weft.testing.faults import Fate, FaultyStore

FAILURES = ("task", "task.a", "task.a.b", "task.c", "handler.down", "engine.odd")


@dataclass
class Odds:
    """How often what goes wrong, in percent."""

    failing_commit: int = 6
    away: int = 5
    crash: int = 3


class Worker:
    """Hands of a node: jobs wait until the seed has them end."""

    def __init__(self, world: "World") -> None:
        self.world = world
        self.jobs: dict[About, Job] = {}
        self.stopped: set[About] = set()

    def lane(self, task: Task, process: Process | None = None) -> str:
        return task.queues[0] if task.queues else "work"

    def why_not(self, task: Task, process: Process | None = None) -> str:
        return ""

    def rooms(self) -> dict[str, int]:
        return {"work": max(0, self.world.room - len(self.jobs))}

    def give(self, jobs: Iterable[Job]) -> None:
        for job in jobs:
            self.world.ledger.given(job)
            self.jobs[job.about] = job

    def stop(self, abouts: Iterable[About], error: str = "") -> None:
        self.stopped.update(about for about in abouts if about in self.jobs)

    def close(self) -> None: ...


class Node:
    """An engine process: everything here is gone when it crashes."""

    def __init__(self, world: "World") -> None:
        self.world = world
        self.store = FaultyStore(world.database, "main", fate=world.fate, is_away=world.is_away)
        self.worker = Worker(world)
        ids = Ids(salt=world.draw.number(0, 1 << 20))
        settings = Settings(instances_max=world.draw.one([1, 2, 100]), snapshot_bytes_min=world.draw.one([200, 2000]))
        self.core = Core(self.store, self.worker, ids, settings, number=self.store.batch)
        self.server = Server(self.core, self.store, world.hear)
        self.inbox: list[Input] = [Revive(id) for id in sorted(world.database.active)]
        self.is_down = False

    def step(self) -> None:
        """One turn, or one try to have the store back."""
        try:
            if self.is_down:
                self.server.recover()
                self.is_down = False
            due = self.store.due(self.world.now, 100)
            inputs = [*self.inbox, *(Fire(row) for row in due)]
            self.inbox = []
            if inputs or self.core.has_more():
                self.server.step(inputs, self.world.now)
        except Unavailable:
            self.is_down = True
        if self.core.faults:
            raise self.core.faults[0]
        self.world.ledger.look()


class World:
    def __init__(self, draw: Draw) -> None:
        self.draw = draw
        self.now = 1_000_000.0
        self.room = draw.one([1, 3, 50])
        self.database = MemoryDatabase(lambda: self.now)
        self.odds = Odds()
        self.ledger = Ledger(self.database)
        self.processes = [*SAMPLES]
        self.instances: list[int] = []
        self.tokens = 0
        for _ in range(draw.number(0, 2)):
            made = random_process(draw, 8)
            self.processes += [*made.called.values(), made.process]
        self.node = self.new_node()
        for process in self.processes:
            self.ask(Deploy(process=process))
        self.settle()

    def new_node(self) -> Node:
        return Node(self)

    # What the node is told of the world.

    def fate(self) -> Fate:
        if not self.draw.chance(self.odds.failing_commit):
            return "good"
        return self.draw.one(["full", "lost", "landed", "late"])

    def is_away(self) -> bool:
        return self.draw.chance(self.odds.away)

    def hear(self, token: object, reply: Reply) -> None:
        self.ledger.heard(token, reply)
        instance = getattr(reply, "instance", 0)
        if instance and instance not in self.instances:
            self.instances.append(instance)

    # What happens.

    def ask(self, request: AnyRequest) -> None:
        self.tokens += 1
        token = f"request {self.tokens}"
        self.ledger.asked(token, request)
        self.node.inbox.append(request.by(token))

    def settle(self) -> None:
        """Lets the node do all that it can without anything happening."""
        for number in range(1_000):
            node = self.node
            if not (node.inbox or node.is_down or node.core.has_more() or self._due()):
                return
            node.step()
            if number % 50 == 49:
                for instance in self.ledger.endless():
                    self.ask(Tell(whom=instance, command=commands.Cancel()))

    def _due(self) -> bool:
        due = self.database.earliest(self.now)
        found = list(due)
        self.database.keep(found)
        return bool(found)

    def happen(self) -> None:
        """One thing, as the seed says."""
        what = self.draw.weighted(
            {
                self.work: 40,
                self.node_steps: 25,
                self.begin: 10,
                self.intervene: 12,
                self.time_passes: 10,
                self.crash: self.odds.crash,
            }
        )
        what()

    def node_steps(self) -> None:
        self.node.step()

    def begin(self) -> None:
        process = self.draw.one(self.processes)
        key = self.draw.one(["", "", "a", "b", "c"])
        inputs = {name: 1 for one in process.body.input_sets[:1] for name in one.types if name not in one.bindings}
        self.ask(Begin(name=process.name, inputs=inputs, key=key, seed=self.draw.number(0, 9)))

    def crash(self) -> None:
        """The process dies; what was on its way to the store may land first."""
        if self.draw.chance(50):
            self.node.store.land()
        self.ledger.crashed()
        self.node = self.new_node()

    def time_passes(self) -> None:
        self.now += self.draw.one([0.001, 1.0, 60.0, 100_000.0])
        self.node.step()

    def work(self) -> None:
        """A job goes on or ends."""
        worker = self.node.worker
        if not worker.jobs:
            self.node.step()
            return
        job = self.draw.one(list(worker.jobs.values()))
        marks = [one for one in job.task.outcomes if one.kind == "mark"]
        if marks and self.draw.chance(20):
            mark = self.draw.one(marks)
            self.node.inbox.append(Marked(job, mark.name, given(mark)))
        elif job.task.checkpoint and self.draw.chance(30):
            self.node.inbox.append(Saved(job, {"at": self.draw.number(1, 9)}))
        else:
            self.end(job)

    def end(self, job: Job, is_good: bool = False) -> None:
        del self.node.worker.jobs[job.about]
        ends = [one for one in job.task.outcomes if one.kind in ("commit", "abort")]
        stopped = job.about in self.node.worker.stopped
        self.ledger.ended(job)
        if stopped and self.draw.chance(70):
            self.node.inbox.append(Failed(job, CANCELLED))
        elif is_good or self.draw.chance(75):
            outcome = ends[0] if is_good else self.draw.one(ends)
            self.node.inbox.append(Done(job, outcome.name, given(outcome)))
        elif self.draw.chance(80):
            self.node.inbox.append(Failed(job, self.draw.one(FAILURES), "it failed"))
        else:
            self.node.inbox.append(Lost(job, "nobody knows"))

    def intervene(self) -> None:
        """Somebody asks something of an instance, or of a key."""
        if not self.instances:
            return
        whom = self.draw.one([self.draw.one(self.instances), ("waits", self.draw.one(["a", "b", "c", "d"]))])
        path = self.path_in(whom) if isinstance(whom, int) else ""
        request: AnyRequest = self.draw.weighted(
            {
                Send(whom=whom, signal=self.draw.one(["go", "s", "t"]), values={}): 30,
                Await(whom=whom): 10,
                Tell(whom=whom, command=commands.Complete(path, values={"v": 1})): 15,
                Tell(whom=whom, command=commands.Retry(path)): 8,
                Tell(whom=whom, command=commands.Skip(path)): 5,
                Tell(whom=whom, command=commands.Begin("sign", worker="ann")): 5,
                Tell(whom=whom, command=commands.Suspend()): 6,
                Tell(whom=whom, command=commands.Resume()): 8,
                Tell(whom=whom, command=commands.Cancel(path, drain=self.draw.chance(30))): 5,
                Tell(whom=whom, command=commands.Cancel()): 3,
                Change(whom=whom, process=self.draw.one(self.processes)): 2,
            }
        )
        self.ask(request)

    def path_in(self, instance: int) -> str:
        paths = self.ledger.paths.get(instance) or [""]
        return self.draw.one(paths)

    # The end.

    def calm(self) -> None:
        """Nothing goes wrong any more: everything must come to its end."""
        self.odds = Odds(0, 0, 0)
        for attempt in range(400):
            self.settle()
            self.ledger.check_standing(self.node.core, self.node.worker.jobs)
            rest = self.ledger.open_instances()
            if not rest:
                return
            for job in list(self.node.worker.jobs.values()):
                self.end(job, is_good=True)
            self.now += 200_000.0
            self.settle()
            for instance in rest:
                self.ask(Tell(whom=instance, command=commands.Resume()))
                for command in self.ledger.answers_for(self.node.core, instance):
                    self.ask(Tell(whom=instance, command=command))
                if attempt == 20:
                    self.ask(Tell(whom=instance, command=commands.Cancel()))
        self.ledger.stands_still(self.node.core)


def given(outcome: Outcome) -> dict[str, object]:
    """Values that fit what the outcome declares."""
    simple: dict[str, object] = defaultdict(lambda: None, {"int": 3, "list[int]": [1, 2], "str": "x", "any": 1})
    return {name: simple[of] for name, of in outcome.types.items()}
