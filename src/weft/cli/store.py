"""`weft store`: what is done to a store as a whole."""

import json
import sys
import time
from pathlib import Path

import click

from weft.cli.exits import WRONG
from weft.cli.stores import STORE, client_of, codec, url_of

DAY_SECONDS = 86_400.0
STEP_SECONDS = 60.0


@click.group()
def store() -> None:
    """Checks, copies, prunes and upgrades a store.

    \b
    Example:
      weft store check --store sqlite:///weft.db
    """


@store.command()
@STORE
@click.option("--json", "as_json", is_flag=True, help='Print {"instances", "findings"} as JSON.')
@click.pass_context
def check(ctx: click.Context, store: str, as_json: bool) -> None:
    """Says everything that is wrong in a store, beside its engine.

    Every log must be whole, every definition what it was, every snapshot what its facts say, and the database sound.
    Ends with 2 if something is wrong.

    \b
    Example:
      weft store check --store sqlite:///weft.db
    """
    import msgspec

    from weft.engine.verifying import meaning
    from weft.store.checking import check as findings_in
    from weft.store.opening import open_visitor

    visitor = open_visitor(url_of(store), codec())
    try:
        number = visitor.count()
        with click.progressbar(length=number, label="Checking", file=sys.stderr, hidden=not sys.stderr.isatty()) as bar:
            findings = list(findings_in(visitor, meaning(visitor), bar.update))
    finally:
        visitor.close()
    if as_json:
        click.echo(json.dumps({"instances": number, "findings": msgspec.to_builtins(findings)}))
    else:
        for finding in findings:
            click.echo(str(finding))
        told = _counted(len(findings), "finding") if findings else "all is well"
        click.echo(f"{_counted(number, 'instance')}: {told}")
    ctx.exit(WRONG if findings else 0)


@store.command()
@click.argument("file", type=click.Path(path_type=Path))
@STORE
@click.option("--json", "as_json", is_flag=True, help='Print {"file", "bytes"} as JSON.')
def backup(file: Path, store: str, as_json: bool) -> None:
    """Copies a SQLite store to FILE, as it is at one moment, while an engine goes on writing.

    To restore it, put the copy in the store's place while no engine runs.

    \b
    Example:
      weft store backup monday.db --store sqlite:///weft.db
    """
    from weft.store.opening import back_up_store

    back_up_store(url_of(store), file)
    size = file.stat().st_size
    click.echo(json.dumps({"file": str(file), "bytes": size}) if as_json else f"{file}: {size:,} bytes")


@store.command()
@click.option("--days", type=click.FloatRange(min=0), required=True, help="Those that ended longer ago than this.")
@click.option("--state", "states", multiple=True, metavar="STATE", help="committed or aborted; else both; repeatable.")
@click.option("--dry-run", is_flag=True, help="Only say how many would go.")
@STORE
@click.option("--json", "as_json", is_flag=True, help='Print {"removed"} as JSON; in a dry run, {"would_go"}.')
def prune(days: float, states: tuple[str, ...], dry_run: bool, store: str, as_json: bool) -> None:
    """Removes instances that ended long ago, a hundred at a time, while an engine may go on serving the store.

    Their business keys stay until their time is over. A file does not get smaller: what follows uses the space, and a
    backup has none of it.

    \b
    Example:
      weft store prune --days 90 --state committed --store sqlite:///weft.db
    """
    from weft.assembly.operations import remove
    from weft.store.interface import Ended, Filter
    from weft.store.pruning import steps

    before = time.time() - days * DAY_SECONDS
    with client_of(store) as client:
        number = client.reads.count(Filter(states=states, is_active=False, ended_before=before))
        if dry_run:
            click.echo(json.dumps({"would_go": number}) if as_json else f"{_counted(number, 'instance')} would go")
            return
        removed = 0
        with click.progressbar(length=number, label="Pruning", file=sys.stderr, hidden=not sys.stderr.isatty()) as bar:
            for gone in steps(client.reads, Ended(before, states)):
                client.ask(remove(gone), STEP_SECONDS)
                removed += len(gone)
                bar.update(len(gone))
    click.echo(json.dumps({"removed": removed}) if as_json else f"{_counted(removed, 'instance')} removed")


@store.command()
@STORE
@click.option("--json", "as_json", is_flag=True, help='Print {"steps"} as JSON.')
def upgrade(store: str, as_json: bool) -> None:
    """Raises an older store to this version. Stop its engines first; one that still runs can't write any more.

    A store of a newer version is refused.

    \b
    Example:
      weft store upgrade --store sqlite:///weft.db
    """
    from weft.store.opening import upgrade_store

    steps = upgrade_store(url_of(store))
    if as_json:
        click.echo(json.dumps({"steps": [{"number": step.number, "name": step.name} for step in steps]}))
    for step in steps if not as_json else ():
        click.echo(f"{step.number}: {step.name}")
    if not steps and not as_json:
        click.echo("it is of this version already")


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}" + "s" * (number != 1)
