"""`weft deploy` and `weft start`."""

import json
from typing import TYPE_CHECKING

import click

from weft.cli.binding import BIND, TASKS
from weft.cli.exits import Wrong
from weft.cli.language import LANGUAGE
from weft.cli.stores import ACTOR, JSON, STORE, WAIT, asked

if TYPE_CHECKING:
    from weft.cli.targets import Target
    from weft.model.definition import Process
    from weft.store.interface import Reads


@click.command()
@click.argument("target")
@LANGUAGE
@TASKS
@BIND
@click.option("--force", default="", metavar="WHY", help="Deploy it in spite of its errors; WHY is kept with it.")
@STORE
@ACTOR
@WAIT
@JSON
def deploy(
    target: str,
    language: str,
    modules: tuple[str, ...],
    choices: tuple[str, ...],
    force: str,
    store: str,
    actor: str,
    seconds: float,
    as_json: bool,
) -> None:
    """Keeps the definition TARGET, and what it calls beside it, so that instances can be started by its name.

    The same content is kept once; other content gets the next version. What has an error by weft check is refused.

    \b
    Example:
      weft deploy orders.mfdl --tasks shop.tasks --store sqlite:///shop.db
    """
    from weft.assembly import operations
    from weft.cli.binding import bound, implementations_of
    from weft.cli.targets import target_of
    from weft.engine.ability import called_from
    from weft.languages.binding import notes
    from weft.model.faults import Invalid

    implementations = implementations_of(modules)
    ready = bound(target_of(target, language).well_formed(), implementations, choices)
    if ready.faults and implementations:
        raise Invalid(f"the binding of {ready.target.process.name!r}", ready.faults)
    processes = called_from(ready.target.process, [ready.target.process, *ready.target.beside])
    for process in processes:  # who does a task that is still only named is seen when an instance starts
        for note in ready.target.placed(process, notes(process)):
            click.echo(str(note), err=True)
    forced = _errors(ready.target, processes, force)
    spite = f"{actor or 'somebody'}, in spite of its errors: {force}"
    asks = [operations.deploy(one, spite if one.name in forced else actor) for one in processes]
    found = [asked(store, ask, seconds, makes=True) for ask in asks]
    if as_json:
        told = [{"process": one.process, "version": one.version, "hash": one.hash, "new": one.is_new} for one in found]
        click.echo(json.dumps(told))
        return
    for one in found:
        click.echo(f"{one.process} {one.version}" + ("" if one.is_new else ", as it was"))


def _errors(target: "Target", processes: "list[Process]", force: str) -> set[str]:
    """The processes with errors. Raises `Invalid` with these at their places, unless they are forced."""
    from weft.analysis.checking import check
    from weft.model.faults import Invalid

    called = {one.name: one for one in processes}
    faults = {one.name: target.placed(one, list(check(one, called).errors)) for one in processes}
    for name, errors in faults.items():
        if errors and not force:
            raise Invalid(f"the process {name!r}", errors)
    return {name for name, errors in faults.items() if errors}


@click.command()
@click.argument("target")
@click.option(
    "--input", "inputs", metavar="NAME=VALUE", multiple=True, help="An input; JSON where it fits; @FILE reads it."
)
@click.option("--input-json", metavar="JSON", default="", help="All inputs as one JSON object, or @FILE.")
@click.option("--key", default="", help="The business key: a second start with it gives the same instance.")
@click.option("--version", "version", default="", help="Which version; else the newest.")
@click.option("--priority", type=int, default=0, help="More urgent is larger.")
@click.option("--responsible", default="", help="Who is responsible for the instance.")
@LANGUAGE
@TASKS
@BIND
@STORE
@ACTOR
@WAIT
@JSON
def start(
    target: str,
    inputs: tuple[str, ...],
    input_json: str,
    key: str,
    version: str,
    priority: int,
    responsible: str,
    language: str,
    modules: tuple[str, ...],
    choices: tuple[str, ...],
    store: str,
    actor: str,
    seconds: float,
    as_json: bool,
) -> None:
    """Starts an instance of TARGET, the name of a deployed process or a definition, and prints its number.

    The engine that serves the store does its work; where none serves it, the instance is kept until one does.

    \b
    Example:
      weft start buy --input sku=lamp --key order-17
    """
    from weft.assembly import operations
    from weft.cli.binding import bound, implementations_of
    from weft.cli.inputs import inputs_of
    from weft.cli.stores import client_of
    from weft.cli.targets import target_of
    from weft.engine.ability import called_from
    from weft.languages.python.context import Start
    from weft.model.faults import Invalid

    option = Start(key or None, priority, responsible, version)
    with client_of(store, makes=True) as client:
        if is_name(target):
            process = _deployed(client.reads, target, version)
            asks = [operations.start(target, (option,), inputs_of(process, inputs, input_json), actor)]
        else:
            ready = bound(target_of(target, language).well_formed(), implementations_of(modules), choices)
            if ready.faults:
                raise Invalid(f"the binding of {ready.target.process.name!r}", ready.faults)
            process = ready.target.process
            for beside in called_from(process, [process, *ready.target.beside])[1:]:
                client.ask(operations.deploy(beside, actor), seconds)
            asks = [operations.start(process, (option,), inputs_of(process, inputs, input_json), actor)]
        begun = client.ask(asks[0], seconds)
    if as_json:
        click.echo(json.dumps({"instance": str(begun.instance), "new": begun.is_new}))
    else:
        click.echo(str(begun.instance) if begun.is_new else f"{begun.instance}, which has the key {key!r} already")


def is_name(target: str) -> bool:
    """Is it a name and no place of a definition?"""
    return target.replace("-", "_").isidentifier()


def _deployed(reads: "Reads", name: str, version: str) -> "Process":
    from weft.model.json_form import from_json
    from weft.model.types import near

    row = reads.definition(name, version) if version else next(iter(reads.definitions(name, 1)), None)
    if row is None:
        meant = near(name, sorted({one.process for one in reads.definitions()}))
        hint = f"; did you mean {meant!r}?" if meant else "; weft deploy FILE makes it known"
        raise Wrong(f"no process {name!r}{f' in version {version}' if version else ''} is deployed there{hint}")
    return from_json(row.payload)
