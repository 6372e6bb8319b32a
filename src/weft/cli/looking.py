"""Commands that only look: list, show, history, watch, result."""

import json
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

import click

from weft.cli.exits import ABORTED, DONE, Wrong
from weft.cli.output import put
from weft.cli.stores import INSTANCE, JSON, STORE, clock, id_of, plain, reads_of

if TYPE_CHECKING:
    from datetime import datetime

    from weft.assembly.reading import Decision
    from weft.store.interface import Reads

COLOURS: Final = {
    "running": "cyan",
    "waiting": "blue",
    "stuck": "red",
    "suspended": "yellow",
    "committed": "green",
    "aborted": "red",
}
LOOK_SECONDS: Final = 0.1


def coloured(state: str) -> str:
    return click.style(state, fg=COLOURS.get(state))


@click.command(name="list")
@click.option("--process", default="", help="Only instances of this process.")
@click.option("--version", "version", default="", help="Only of this version of it.")
@click.option("--state", "states", multiple=True, type=click.Choice(list(COLOURS)), help="Only in this state.")
@click.option("--key", default="", help="Only the one with this business key.")
@click.option("--where", "variables", metavar="NAME=VALUE", multiple=True, help="Only where a variable is so.")
@click.option("--since", metavar="TIME", type=click.DateTime(), default=None, help="Only what was started since.")
@click.option("--before", metavar="NUMBER", type=int, default=None, help="The next page: those before this instance.")
@click.option("--count", "at_most", type=click.IntRange(1, 1000), default=20, show_default=True, help="How many.")
@STORE
@JSON
def list_instances(
    process: str,
    version: str,
    states: tuple[str, ...],
    key: str,
    variables: tuple[str, ...],
    since: "datetime | None",
    before: int | None,
    at_most: int,
    store: str,
    as_json: bool,
) -> None:
    """Lists instances, the newest first.

    \b
    Example:
      weft list --process buy --state waiting
    """
    from datetime import UTC

    from weft.store.interface import Filter

    which = Filter(
        process=process,
        version=version,
        states=states,
        key=key,
        started_from=since.replace(tzinfo=UTC).timestamp() if since else None,
        variables=tuple(_variable(one) for one in variables),
    )
    rows = reads_of(store).instances(which, before, at_most)
    if as_json:
        click.echo(json.dumps([plain(row) for row in rows]))
        return
    for row in rows:
        what = f"{row.process} {row.version}" + (f" {row.key}" if row.key else "")
        end = f"{row.outcome}{', ' + row.error if row.error else ''}" if row.ended else ""
        state = coloured(f"{row.state:<9}")
        click.echo(f"{row.id}  {clock(row.started)}  {state}  {what:<28}  {end}".rstrip())
    if len(rows) == at_most:
        click.echo(f"… more: --before {rows[-1].id}", err=True)


def _variable(pair: str) -> tuple[str, str]:
    name, sign, value = pair.partition("=")
    if not (name and sign):
        raise Wrong(f"--where {pair}: write NAME=VALUE")
    try:
        found = json.loads(value)
    except ValueError:
        found = value
    return name, json.dumps(found, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


@click.command()
@INSTANCE
@click.option("--all", "everything", is_flag=True, help="Also what waits for others, and what is over.")
@click.option("--svg", "output", metavar="SVG", default="", help="Also draw it, with where each activity stands.")
@STORE
@JSON
def show(instance: str, everything: bool, output: str, store: str, as_json: bool) -> None:
    """Shows INSTANCE as a tree of its activities: where each stands, what it waits for, and why.

    \b
    Example:
      weft show buy/order-17
    """
    from weft.assembly.reading import standing_in
    from weft.drawing.svg import draw

    reads = reads_of(store)
    found = standing_in(reads, id_of(reads, instance))
    if output:
        put(output, draw(found.process, {one.path: one.standing for one in found.places}))
    if as_json:
        click.echo(json.dumps(found.plain()))
        return
    row = found.row
    click.echo(f"{row.id}  {row.process} {row.version}  {row.key}  {coloured(row.state)}".replace("    ", "  "))
    for place in found.places:
        if everything or place.matters:
            why = f"  {'; '.join(place.why)}" if place.why else ""
            click.echo(
                f"{'  ' * (place.depth + 1)}{place.name:<{max(1, 30 - 2 * place.depth)}} {place.standing:<12}{why}"
            )
    for name, value in found.variables.items():
        click.echo(f"  {name} = {json.dumps(value, ensure_ascii=False)}")
    for waits in found.waits:
        click.echo(f"  waits for {waits}")


@click.command()
@INSTANCE
@click.option("--after", type=int, default=0, help="Only facts with a higher number.")
@click.option("--count", "at_most", type=click.IntRange(1, 100_000), default=1000, show_default=True, help="At most.")
@STORE
@JSON
def history(instance: str, after: int, at_most: int, store: str, as_json: bool) -> None:
    """Tells what happened in INSTANCE: every fact, by whom and when.

    \b
    Example:
      weft history buy/order-17
    """
    from weft.assembly.reading import history_of

    reads = reads_of(store)
    decisions = history_of(reads, id_of(reads, instance), after, at_most)
    began = decisions[0].time if decisions else 0.0
    for line in _lines(decisions, began, as_json):
        click.echo(line)


def _lines(decisions: "list[Decision]", began: float, as_json: bool) -> Iterator[str]:
    import msgspec

    from weft.cli.telling import line_of

    for decision in decisions:
        for number, fact in enumerate(decision.facts, decision.number):
            if as_json:
                told = {"number": number, "time": decision.time, "actor": decision.actor, "command": decision.command}
                yield json.dumps({**told, "fact": msgspec.to_builtins(fact)})
            else:
                actor = f"  by {decision.actor}" if decision.actor else ""
                yield f"{number:>5}  {line_of(fact, decision.time - began)}{actor}"


@click.command()
@INSTANCE
@STORE
@JSON
def watch(instance: str, store: str, as_json: bool) -> None:
    """Prints the facts of INSTANCE as they become true, until it has ended.

    \b
    Example:
      weft watch buy/order-17
    """
    from weft.assembly.reading import history_of

    reads = reads_of(store)
    id, after, began = id_of(reads, instance), 0, None
    while True:
        has_ended = _ended(reads, id)
        while decisions := history_of(reads, id, after):
            began = decisions[0].time if began is None else began
            for line in _lines(decisions, began, as_json):
                click.echo(line)
            after = decisions[-1].number + len(decisions[-1].facts) - 1
        if has_ended:
            return
        time.sleep(LOOK_SECONDS)


def _ended(reads: "Reads", id: int) -> bool:
    found = reads.load([id]).get(id)
    return found is None or found.instance.ended is not None


@click.command()
@INSTANCE
@click.option("--wait", "seconds", type=float, default=None, help="Seconds to wait; else until it ends.")
@STORE
@JSON
@click.pass_context
def result(ctx: click.Context, instance: str, seconds: float | None, store: str, as_json: bool) -> None:
    """Waits for the end of INSTANCE and says how it ended.

    Ends with 0 when it committed, 1 when it aborted, 3 when it has not ended in time.

    \b
    Example:
      weft result buy/order-17 --wait 10
    """
    from weft.assembly.reading import result_in
    from weft.cli.exits import WAITING
    from weft.cli.run import as_words

    reads = reads_of(store)
    id, end = id_of(reads, instance), None if seconds is None else time.monotonic() + seconds
    while not _ended(reads, id) and (end is None or time.monotonic() < end):
        time.sleep(LOOK_SECONDS)
    found = result_in(reads, id)
    if as_json:
        click.echo(
            json.dumps({"outcome": found.outcome, "values": found.values, "status": found.status, "error": found.error})
        )
    else:
        click.echo(as_words(found))
    ctx.exit(WAITING if found.status != "ended" else DONE if found.committed else ABORTED)
