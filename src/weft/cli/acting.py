"""Commands that act on an instance: signal, cancel, suspend, resume, retry, change."""

import json

import click

from weft.cli.binding import BIND, TASKS
from weft.cli.language import LANGUAGE
from weft.cli.stores import ACTOR, INSTANCE, JSON, STORE, WAIT, asked, whom


def told(as_json: bool, words: str, **values: object) -> None:
    click.echo(json.dumps(values) if as_json else words)


@click.command()
@INSTANCE
@click.argument("name")
@click.argument("value", required=False)
@STORE
@ACTOR
@WAIT
@JSON
def signal(instance: str, name: str, value: str | None, store: str, actor: str, seconds: float, as_json: bool) -> None:
    """Sends the signal NAME to INSTANCE, with VALUE, which is JSON where it can be read so.

    INSTANCE is its number or PROCESS/KEY. A signal that comes before its instance, or before it is waited for, is kept.

    \b
    Example:
      weft signal buy/order-17 paid 900
    """
    from weft.assembly import operations

    given = None if value is None else _read(value)
    found = asked(store, operations.signal(whom(instance), name, given, {}, actor), seconds)
    words = f"{name} sent to {found}" if found else f"{name} kept for {instance}, which nobody is yet"
    told(as_json, words, instance=str(found) if found else None)


def _read(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        return text


@click.command()
@INSTANCE
@click.argument("path", required=False, default="")
@click.option("--drain", is_flag=True, help="Let what runs end, and take nothing back.")
@STORE
@ACTOR
@WAIT
@JSON
def cancel(instance: str, path: str, drain: bool, store: str, actor: str, seconds: float, as_json: bool) -> None:
    """Stops INSTANCE, or its activity PATH, and takes back what was done.

    \b
    Example:
      weft cancel buy/order-17
    """
    from weft.assembly import operations

    asked(store, operations.cancel(whom(instance), path, drain, actor), seconds)
    told(as_json, f"{instance} {path} is being {'drained' if drain else 'cancelled'}".replace("  ", " "), done=True)


@click.command()
@INSTANCE
@STORE
@ACTOR
@WAIT
@JSON
def suspend(instance: str, store: str, actor: str, seconds: float, as_json: bool) -> None:
    """Lets nothing new begin in INSTANCE, and stops its clocks.

    \b
    Example:
      weft suspend buy/order-17
    """
    from weft.assembly import operations
    from weft.kernel import commands

    asked(store, operations.tell(whom(instance), commands.Suspend(), actor), seconds)
    told(as_json, f"{instance} is suspended", done=True)


@click.command()
@INSTANCE
@STORE
@ACTOR
@WAIT
@JSON
def resume(instance: str, store: str, actor: str, seconds: float, as_json: bool) -> None:
    """Has INSTANCE go on after it was suspended.

    \b
    Example:
      weft resume buy/order-17
    """
    from weft.assembly import operations
    from weft.kernel import commands

    asked(store, operations.tell(whom(instance), commands.Resume(), actor), seconds)
    told(as_json, f"{instance} goes on", done=True)


@click.command()
@INSTANCE
@click.argument("path")
@STORE
@ACTOR
@WAIT
@JSON
def retry(instance: str, path: str, store: str, actor: str, seconds: float, as_json: bool) -> None:
    """Tries the activity PATH of INSTANCE again now, which waits for that or whose end nobody knows.

    \b
    Example:
      weft retry buy/order-17 charge
    """
    from weft.assembly import operations
    from weft.kernel import commands

    asked(store, operations.tell(whom(instance), commands.Retry(path), actor), seconds)
    told(as_json, f"{path} of {instance} is tried again", done=True)


@click.command()
@INSTANCE
@click.argument("target")
@LANGUAGE
@TASKS
@BIND
@STORE
@ACTOR
@WAIT
@JSON
def change(
    instance: str,
    target: str,
    language: str,
    modules: tuple[str, ...],
    choices: tuple[str, ...],
    store: str,
    actor: str,
    seconds: float,
    as_json: bool,
) -> None:
    """Has INSTANCE go on with another definition of its process: TARGET is a deployed version, or a definition.

    What does not fit what has happened is refused, with every reason.

    \b
    Example:
      weft change buy/order-17 orders.mfdl
    """
    from weft.assembly import operations
    from weft.assembly.operations import Ask
    from weft.cli.binding import bound, implementations_of
    from weft.cli.targets import target_of

    ask: Ask[None]
    if "." in target or ":" in target:
        ready = bound(target_of(target, language).well_formed(), implementations_of(modules), choices)
        ask = operations.change(whom(instance), ready.target.process, actor)
    else:
        ask = operations.change(whom(instance), target, actor)
    asked(store, ask, seconds)
    told(as_json, f"{instance} goes on with {target}", done=True)
