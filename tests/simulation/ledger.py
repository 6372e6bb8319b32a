"""What must hold whatever goes wrong: what was told stays, nothing is given twice, and at rest nothing is forgotten."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping

from weft.engine.core import Core
from weft.engine.definitions import Definitions
from weft.engine.following import KINDS, queue, task_at
from weft.engine.live import Live
from weft.engine.loading import load
from weft.engine.records import facts_in
from weft.engine.requests import AnyRequest, Begin, Begun, Deployed, Ending, Reply
from weft.engine.standing import standing_of
from weft.engine.timing import name_of
from weft.engine.verifying import meaning
from weft.handlers.jobs import About, Job
from weft.kernel import commands, effect_types, facts
from weft.kernel.commands import Command
from weft.kernel.effect_types import AnyEffect, Dispatch
from weft.kernel.facts import AnyFact
from weft.kernel.outstanding import outstanding, running
from weft.model import definition
from weft.store.checking import check
from weft.store.memory import MemoryVisitor
from weft.store.memory_database import MemoryDatabase
from weft.store.rows import FactRow, InstanceRow, SignalRow, TimerRow, WorkRow

AT_ONCE = (effect_types.Commit, effect_types.SettleBranch, effect_types.Continue, effect_types.Lookup)


class Violation(AssertionError):
    """Something that must never be."""


class Ledger:
    def __init__(self, database: MemoryDatabase) -> None:
        self.database = database
        self.reads = MemoryVisitor(database)
        self.paths: dict[int, list[str]] = defaultdict(list)
        self._rows: dict[int, list[FactRow]] = defaultdict(list)
        self._started: set[About] = set()
        self._committed: Counter[About] = Counter()
        self._given: set[About] = set()
        self._requests: dict[object, AnyRequest] = {}
        self._answered: set[object] = set()
        self._holders: dict[tuple[str, str], int] = {}

    # While it goes on.

    def asked(self, token: object, request: AnyRequest) -> None:
        self._requests[token] = request

    def request(self, token: object) -> AnyRequest:
        return self._requests[token]

    def heard(self, token: object, reply: Reply) -> None:
        if token in self._answered:
            raise Violation(f"{token} was answered twice")
        self._answered.add(token)
        request = self._requests[token]
        self.look()
        if isinstance(reply, Begun):
            self._check_begun(request, reply)
        elif isinstance(reply, Ending):
            row = self._instances().get(reply.instance)
            if row is None or row.ended is None or row.outcome != reply.outcome:
                raise Violation(f"{reply} was told, and the store has {row}")
        elif isinstance(reply, Deployed) and self.reads.definition(reply.process, reply.version) is None:
            raise Violation(f"{reply} was told, and the store does not have it")

    def _check_begun(self, request: AnyRequest, reply: Begun) -> None:
        if reply.instance not in self._rows:
            raise Violation(f"{reply.instance} was begun for a caller, and the store does not have it")
        if isinstance(request, Begin) and request.key:
            holder = self._holders.setdefault((request.name, request.key), reply.instance)
            if holder != reply.instance:
                raise Violation(
                    f"the key {request.key} of {request.name} has two instances: {holder}, {reply.instance}"
                )

    def given(self, job: Job) -> None:
        """Work is given only when it is durably begun, and an attempt only once."""
        self.look()
        if job.about not in self._started:
            raise Violation(f"{job.about} was given and is not begun in the store")
        if job.about in self._given:
            raise Violation(f"{job.about} was given twice")
        self._given.add(job.about)

    def ended(self, job: Job) -> None:
        """Its answer is on its way."""

    def crashed(self) -> None:
        """Who waited for an answer may hear none; what was told must be there."""
        self._requests = {token: one for token, one in self._requests.items() if token in self._answered}
        self.look()

    def look(self) -> None:
        """Logs only grow, without gaps, and no attempt begins twice or ends well twice."""
        for instance, rows in self.database.facts.items():
            seen = self._rows[instance]
            if len(rows) < len(seen):
                raise Violation(f"facts of {instance} are gone")
            if len(rows) == len(seen):
                continue
            after = seen[-1].sequence + seen[-1].count if seen else 1
            for sequence in sorted(rows)[len(seen) :]:
                row = rows[sequence]
                if row.sequence != after:
                    raise Violation(f"{instance} has no fact {after}: its log goes on with {row.sequence}")
                after += row.count
                seen.append(row)
                for fact in facts_in(row, self.reads.blobs([])):
                    self._learn(instance, fact)

    def _learn(self, instance: int, fact: AnyFact) -> None:
        if len(self.paths[instance]) < 40:
            self.paths[instance].append(fact.path)
        about = instance, fact.path, fact.round, fact.attempt
        if type(fact) is facts.Started:
            if about in self._started:
                raise Violation(f"{about} began twice")
            self._started.add(about)
        elif type(fact) is facts.Committed:
            self._committed[about] += 1
            if self._committed[about] > 1:
                raise Violation(f"{about} committed twice")

    # At rest.

    def _instances(self) -> dict[int, InstanceRow]:
        return self.database.tables["instance"]  # type: ignore[return-value]

    def open_instances(self) -> list[int]:
        return [id for id, row in self._instances().items() if row.ended is None]

    def endless(self) -> list[int]:
        """A random process may go round for ever; who looks on ends it."""
        rows = self._instances()
        return [id for id, seen in self._rows.items() if sum(row.count for row in seen) > 1_000 and not rows[id].ended]

    def lives(self, instances: list[int]) -> dict[int, Live]:
        """As the store alone has them."""
        return load(self.reads, Definitions(0.0), instances, 0.0)

    def check_standing(self, core: Core, jobs: Mapping[About, Job]) -> None:
        """Nothing more is on its way: whatever an instance waits for must be known to somebody."""
        self.look()
        for id, live in self.lives(self.open_instances()).items():
            for effect in outstanding(live.plan, live.state):
                self._check_effect(core, jobs, live, effect)
            for about in running(live.plan, live.state):
                if (id, *about) not in jobs:
                    raise Violation(f"{about} of {id} began, and nobody does it")
        self._check_leftovers()

    def _check_effect(self, core: Core, jobs: Mapping[About, Job], live: Live, effect: AnyEffect) -> None:
        about = live.id, effect.path, effect.round, effect.attempt
        if isinstance(effect, AT_ONCE):
            raise Violation(f"{effect} of {live.id} was not followed")
        if isinstance(effect, effect_types.Timer):
            self._check_timer(live, name_of(effect), effect.due_seconds + live.state.paused)
        task = task_at(live, effect.path) if isinstance(effect, Dispatch) else None
        if task is None:
            return
        if KINDS[type(task.handler)] is queue and about not in jobs and not core.queues.has(about):
            raise Violation(f"{about} is ready, and nobody knows")
        if isinstance(task.handler, definition.Signal) and task.handler.keep and live.state.paused_at < 0:
            kept = [row for row in live.mailbox or () if row.name == task.handler.signal]
            if kept:
                raise Violation(f"{about} waits for a signal that is kept: {kept}")

    def _check_timer(self, live: Live, name: str, due: float) -> None:
        row = self.database.tables["timer"].get((live.id, name))
        if live.state.paused_at < 0 and not (isinstance(row, TimerRow) and abs(row.due - due) < 1e-6):
            raise Violation(f"timer {name} of {live.id} is due at {due}, and the store has {row}")

    def _check_leftovers(self) -> None:
        """Nothing is kept of what has ended, and an active instance is one in which something is to be done."""
        rows = self._instances()
        for table, kind in (("timer", TimerRow), ("signal", SignalRow), ("work", WorkRow)):
            for row in self.database.tables[table].values():
                assert isinstance(row, kind)
                if row.instance and rows[row.instance].ended is not None:
                    raise Violation(f"{row} is left of an instance that has ended")

    def check_store(self) -> None:
        """The logs replay, snapshots are what they come to."""
        found = list(check(self.reads, meaning(self.reads)))
        if found:
            raise Violation("; ".join(map(str, found)))

    def answers_for(self, core: Core, instance: int) -> Iterator[Command]:
        """What a helpful person says about all that an instance asks."""
        from tests.simulation.world import given

        for live in self.lives([instance]).values():
            for effect in outstanding(live.plan, live.state):
                about = effect.path, effect.round, effect.attempt
                task = task_at(live, effect.path)
                values = given(task.outcomes[0]) if task is not None else {}
                if isinstance(effect, Dispatch) and task is not None and KINDS[type(task.handler)] is not queue:
                    yield commands.Begin(*about)
                    yield commands.Complete(*about, values=values)
                elif isinstance(effect, effect_types.Ask) and effect.why == "engine.open":
                    yield commands.Finish(*about)
                elif isinstance(effect, effect_types.Ask) and effect.why == "engine.stuck":
                    yield commands.Cancel(effect.path)
                elif isinstance(effect, effect_types.Ask | effect_types.Stop):
                    yield commands.Complete(*about, values=values)
                    yield commands.Fail(*about)

    def stands_still(self, core: Core) -> None:
        waiting = {id: standing_of(live).waits for id, live in self.lives(self.open_instances()).items()}
        raise Violation(f"these never end: {waiting}")
