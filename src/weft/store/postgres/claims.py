"""Work that workers of other processes take from a PostgreSQL database: claims with leases, in SQL."""

import json
from collections.abc import Iterable, Sequence
from typing import Any, Final

import psycopg

from weft.store.batch import Record, Value
from weft.store.codec import Codec
from weft.store.interface import Demand
from weft.store.migrations import Migration
from weft.store.postgres.connecting import address_of
from weft.store.postgres.faults import problem
from weft.store.postgres.slots import own
from weft.store.postgres.visitor import PostgresVisitor
from weft.store.rows import CommandRow, WorkRow
from weft.store.sql_writes import columns
from weft.store.tables import WORK

COLUMNS: Final = ", ".join(f"work.{name}" for name in columns(WORK))
SAME: Final = " and ".join(f"work.{name} = given.{name}" for name in (*WORK.key, "claim"))
NOW: Final = "extract(epoch from clock_timestamp())"

# Takes offered work that nobody else is just taking: of each queue the most urgent, then in turns between the queues.
CLAIM: Final = f"""with
    found as (select one.*, queue.place,
            row_number() over (partition by queue.place order by one.priority desc, one.since, one.instance) as turn
        from unnest(%(queues)s::text[]) with ordinality as queue (name, place)
        cross join lateral (select instance, path, round, attempt, priority, since from work
            where state = 'offered' and queue = queue.name
                and (%(tasks)s::text[] = '{{}}' or task = any(%(tasks)s::text[]))
                and (needs = '' or needs::jsonb <@ %(has)s::jsonb)
            order by priority desc, since, instance limit %(at_most)s for update skip locked) as one),
    given as (select * from found order by turn, place limit %(at_most)s)
update work set state = 'claimed', worker = %(worker)s, until = {NOW} + %(lease)s, claim = work.claim + 1
    from given where {SAME.replace(" and work.claim = given.claim", "")}
    returning {COLUMNS}"""

GIVEN: Final = """(select * from unnest(%(instance)s::int8[], %(path)s::text[], %(round)s::int8[], %(attempt)s::int8[],
    %(claim)s::int8[], %(payload)s::bytea[], %(codec)s::int8[])
    with ordinality as one (instance, path, round, attempt, claim, payload, codec, place)) as given"""

EXTEND: Final = f"""update work set until = {NOW} + %(lease)s, payload = given.payload, codec = given.codec
    from {GIVEN} where {SAME} and work.state = 'claimed' returning {COLUMNS}"""

RELEASE: Final = f"""update work set state = 'offered', worker = '', until = null
    from {GIVEN} where {SAME} and work.state = 'claimed' returning 1"""

# Ends the claims that still count, and sends their commands, one sender after the other as every command is sent.
HAND_IN: Final = f"""with
    alone as materialized (select pg_advisory_xact_lock(hashtext('weft command'), hashtext(%(channel)s))),
    over as (update work set state = 'handed in', until = null
        from {GIVEN}, alone where {SAME} and work.state = 'claimed' returning given.place),
    sent as (insert into command (instance, name, time, actor, payload, codec)
        select one.instance, one.name, one.time, one.actor, one.payload, one.codec
        from unnest(%(to)s::int8[], %(name)s::text[], %(time)s::float8[], %(actor)s::text[], %(result)s::bytea[],
            %(how)s::int8[]) with ordinality as one (instance, name, time, actor, payload, codec, place)
        join over on over.place = one.place order by one.place returning id, instance),
    told as (select pg_notify(%(channel)s, 'slot ' || (instance & 255)) from sent)
select (select array_agg(place order by place) from over), (select array_agg(id order by id) from sent),
    (select count(*) from told)"""

# Claims of some slots whose time is over. The state keeps a late result out from now on.
LAPSED: Final = f"""update work set state = 'lapsed'
    where (instance, path, round, attempt) in (select instance, path, round, attempt from work
        where state in ('claimed', 'lapsed') and until < {NOW} and {{mine}}
        order by until limit ? for update skip locked)
    returning {COLUMNS}"""


def lapsed(slots: frozenset[int], at_most: int) -> tuple[str, list[Value]]:
    mine, values = own("instance", slots)
    return LAPSED.format(mine=mine), [*values, at_most]


def work_rows(found: Iterable[Record], codec: Codec) -> list[WorkRow]:
    """In the order of their keys."""
    rows = [WorkRow(*one[:-2], codec.decode(one[-2], one[-1])) for one in found]  # type: ignore[arg-type,call-arg]
    return sorted(rows, key=lambda row: (row.instance, row.path, row.round, row.attempt))


class PostgresWorkQueue(PostgresVisitor):
    """Work and its claims, beside all that a visitor may ask."""

    def claim(self, worker: str, demand: Demand, at_most: int, lease_seconds: float) -> list[WorkRow]:
        wanted = {"queues": list(demand.queues), "tasks": list(demand.tasks), "has": json.dumps(demand.has)}
        found = self._put(CLAIM, {**wanted, "worker": worker, "at_most": at_most, "lease": lease_seconds})
        places = {queue: place for place, queue in enumerate(demand.queues)}
        rows = work_rows(found, self._codec)
        return sorted(rows, key=lambda row: (-row.priority, row.since, places[row.queue]))

    def extend(self, claimed: Iterable[WorkRow], lease_seconds: float) -> list[WorkRow]:
        extended = self._put(EXTEND, {**self._given(list(claimed)), "lease": lease_seconds})
        return work_rows(extended, self._codec)

    def release(self, claimed: Iterable[WorkRow]) -> int:
        return len(self._put(RELEASE, self._given(list(claimed))))

    def hand_in(self, results: Sequence[tuple[WorkRow, CommandRow]]) -> list[int | None]:
        commands = [command for _, command in results]
        coded = [self._codec.encode(command.payload) for command in commands]
        given = {
            **self._given([row for row, _ in results]),
            "channel": self.address.channel,
            "to": [command.instance for command in commands],
            "name": [command.name for command in commands],
            "time": [command.time for command in commands],
            "actor": [command.actor for command in commands],
            "result": [payload for payload, _ in coded],
            "how": [how for _, how in coded],
        }
        places, ids, _ = self._put(HAND_IN, given)[0]
        sent = dict(zip(places or (), ids or (), strict=True))
        return [sent.get(place) for place in range(1, len(results) + 1)]

    def _given(self, rows: list[WorkRow]) -> dict[str, object]:
        """The rows by column."""
        coded = [self._codec.encode(row.payload) for row in rows]
        names = (*WORK.key, "claim")
        found: dict[str, object] = {name: [getattr(row, name) for row in rows] for name in names}
        return {**found, "payload": [payload for payload, _ in coded], "codec": [how for _, how in coded]}

    def _put(self, statement: str, values: dict[str, object]) -> list[tuple[Any, ...]]:
        with self._lock:
            self._connect_if_lost()
            try:
                with self._connection.cursor(binary=True) as cursor:
                    return cursor.execute(statement.encode(), values).fetchall()
            except psycopg.Error as error:
                raise problem(error) from error


def open_work_queue(url: str, codec: Codec, migrations: Sequence[Migration]) -> PostgresWorkQueue:
    return PostgresWorkQueue(address_of(url), codec, migrations)
