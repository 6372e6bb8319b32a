"""Which executions must be taken back, and in which order: read from the facts alone."""

from tests.random.records import Books, Record, Violation, drained_by
from weft.kernel import facts
from weft.kernel.facts import AnyFact
from weft.model.definition import Each

UNBOUNDED = 1 << 30
ENDS_BY = ("aborting", "taking back")  # a compound; a task in whose place an alternate worked


class Home:
    """The executions that committed inside one compound and may be taken back, in order of commitment."""

    def __init__(self, of: Record) -> None:
        self.of = of
        self.entries: list[Entry] = []
        self.entry: Entry | None = None
        self.compensated = False
        each = of.activity
        self.parallel = (each.at_most or UNBOUNDED) if isinstance(each, Each) else 1


class Entry:
    def __init__(self, path: str, round: int, attempt: int, home: Home, is_own: bool, inner: Home | None) -> None:
        self.path = path
        self.round = round
        self.attempt = attempt
        self.home = home
        self.is_own = is_own
        self.inner = inner
        self.is_prepared = False
        self.is_running = False
        if inner is not None:
            inner.entry = self


class TakingBack:
    def __init__(self, books: Books) -> None:
        self.books = books
        self.homes: dict[Record, Home] = {}
        self.own: dict[tuple[str, int], Entry] = {}
        self.prepared: dict[tuple[str, int], Entry] = {}
        self.unsettled: dict[tuple[str, int, int], bool] = {}
        self.settled: set[tuple[str, int, int]] = set()
        self.fields: dict[str, int] = {}

    def before(self, fact: AnyFact) -> None:
        """To be called before the books learn the fact, since a retry clears them."""
        if isinstance(fact, facts.Failed | facts.Aborted):
            record = self.books.by_path.get(fact.path)
            if record is not None and record.phase == "aborting":
                self.compound_aborted(record)

    def after(self, fact: AnyFact, record: Record | None) -> None:
        if isinstance(fact, facts.Committed) and record is not None:
            self.committed(record, fact)
        elif isinstance(fact, facts.Drained) and record is not None:
            for one in drained_by(record):
                if one in self.homes:
                    self.drop(self.homes[one])
        elif isinstance(fact, facts.Compensating):
            self.compensating(fact)
        elif isinstance(fact, facts.Compensated):
            self.compensated(fact)
        elif isinstance(fact, facts.RolledBack):
            self.rolled_back(fact)
        elif isinstance(fact, facts.Settled):
            self.settle(fact)

    def committed(self, record: Record, fact: facts.Committed) -> None:
        activity = record.activity
        inner = self.homes.pop(record, None)
        if record is self.books.root:
            for entry in self.prepared.values():
                self.unsettled[entry.path, entry.round, entry.attempt] = True
            self.prepared.clear()
            self.own.clear()
            return
        over = record.around or (record.owner if record.path.endswith("/alternate") else None)
        if inner is not None and activity.compensation is not None:
            self.drop(inner)
        if over is None or (over.is_drained and not activity.critical):
            if inner is not None:
                self.drop(inner)
                if inner.entries and over is not None:
                    self.home(over).entries.append(
                        Entry(fact.path, fact.round, fact.attempt, self.home(over), False, inner)
                    )
            return
        if activity.compensation is None and not activity.critical and (inner is None or not inner.entries):
            return
        home = self.home(over)
        entry = Entry(fact.path, fact.round, fact.attempt, home, activity.compensation is not None, inner)
        home.entries.append(entry)
        if entry.is_own:
            self.own[fact.path, fact.round] = entry
        if activity.critical:
            entry.is_prepared = True
            self.prepared[fact.path, fact.round] = entry

    def home(self, of: Record) -> Home:
        if of not in self.homes:
            self.homes[of] = Home(of)
        return self.homes[of]

    def drop(self, home: Home) -> None:
        """Nothing in it is taken back any more, but for what is prepared."""
        for entry in list(home.entries):
            if entry.inner is not None:
                self.drop(entry.inner)
            if entry.is_own:
                self.own.pop((entry.path, entry.round), None)
                entry.is_own = False
            if not entry.is_prepared and (entry.inner is None or not entry.inner.entries):
                home.entries.remove(entry)

    def top(self, entry: Entry) -> Home:
        home = entry.home
        while home.entry is not None:
            home = home.entry.home
        return home

    def compensating(self, fact: facts.Compensating) -> None:
        entry = self.own.get((fact.path, fact.round))
        if entry is None:
            raise Violation(f"nothing of {fact.path} in round {fact.round} is to be compensated: {fact}")
        if entry.is_running:
            raise Violation(f"{fact.path} is compensated already: {fact}")
        home = self.top(entry)
        if home.of.phase not in ENDS_BY:
            raise Violation(f"{fact.path} is compensated although {home.of} is not aborting")
        here: Entry | None = entry
        while here is not None:
            later = here.home.entries[here.home.entries.index(here) + 1 :]
            if len(later) >= here.home.parallel:
                raise Violation(f"{fact.path} is compensated before {[one.path for one in later]}")
            if here is not entry and here.is_own:
                raise Violation(f"{fact.path} is compensated although {here.path} has a compensation of its own")
            here = here.home.entry
        if any(self.top(one) is home for one in self.prepared.values()):
            raise Violation(f"{fact.path} is compensated before what is prepared in {home.of.path} was rolled back")
        entry.is_running = True

    def compensated(self, fact: facts.Compensated) -> None:
        entry = self.own.pop((fact.path, fact.round), None)
        if entry is None or not entry.is_running:
            raise Violation(f"{fact.path} is not being compensated: {fact}")
        self.remove(entry)

    def remove(self, entry: Entry) -> None:
        entry.home.entries.remove(entry)
        above = entry.home.entry
        if not entry.home.entries and above is not None and not above.is_own and not above.is_prepared:
            self.remove(above)

    def rolled_back(self, fact: facts.RolledBack) -> None:
        entry = self.prepared.pop((fact.path, fact.round), None)
        if entry is None:
            raise Violation(f"{fact.path} is not prepared: {fact}")
        if self.top(entry).of.phase not in ENDS_BY:
            raise Violation(f"{fact.path} is rolled back although {self.top(entry).of} is not aborting")
        self.unsettled[fact.path, fact.round, fact.attempt] = False
        self.remove(entry)

    def settle(self, fact: facts.Settled) -> None:
        key = (fact.path, fact.round, fact.attempt)
        if key in self.settled or key not in self.unsettled:
            raise Violation(f"{fact.path} can't be settled: {fact}")
        self.settled.add(key)
        del self.unsettled[key]

    def compound_aborted(self, record: Record) -> None:
        home = self.homes.pop(record, None)
        if home is not None and home.entries:
            raise Violation(f"{record} has ended and did not take back {[one.path for one in home.entries]}")

    def at_the_end(self) -> None:
        if self.own or self.prepared:
            raise Violation(f"the instance has ended and left {[*self.own, *self.prepared]}")
