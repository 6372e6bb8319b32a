"""`weft node`: the nodes that serve one PostgreSQL together."""

import json
from contextlib import closing

import click

from weft.cli.stores import JSON, STORE, clock, codec, url_of


@click.group()
def node() -> None:
    """Shows the nodes of a store in PostgreSQL, has one leave, or puts another in its place.

    \b
    Example:
      weft node list --store postgresql://weft@db/shop
    """


@node.command(name="list")
@STORE
@JSON
def list_nodes(store: str, as_json: bool) -> None:
    """Lists the nodes: whether each serves, leaves or is gone, its slots of 256, and the batches it has written.

    \b
    Example:
      weft node list --json
    """
    import msgspec

    from weft.assembly.nodes import nodes, visit

    with closing(visit(url_of(store), codec())) as visitor:
        found = nodes(visitor)
    if as_json:
        click.echo(json.dumps(msgspec.to_builtins(found)))
        return
    for one in found:
        click.echo(f"{one.name:<20} {one.state:<7} {one.slots:>4} slots {one.batches:>9,} batches  {clock(one.until)}")


@node.command()
@click.argument("name")
@click.option("--wait", "seconds", type=float, default=60.0, show_default=True, help="Seconds to wait.")
@STORE
@JSON
def drain(name: str, seconds: float, store: str, as_json: bool) -> None:
    """Has a node give its instances to the others and end; what runs there ends first. Waits for that.

    \b
    Example:
      weft node drain left
    """
    import msgspec

    from weft.assembly.nodes import drain as drained
    from weft.assembly.nodes import visit

    with closing(visit(url_of(store), codec())) as visitor:
        found = drained(visitor, name, seconds)
    told = f"{name} has left" + (f"; {found.slots} slots wait for the next node" if found.slots else "")
    click.echo(json.dumps(msgspec.to_builtins(found)) if as_json else told)


@node.command(name="take-over")
@click.argument("name")
@STORE
@JSON
def take_over(name: str, store: str, as_json: bool) -> None:
    """Has others go on with what a node has, at once; if it still lives, it can write nothing more, and stops.

    \b
    Example:
      weft node take-over left
    """
    from weft.assembly.nodes import named, visit
    from weft.assembly.nodes import take_over as taken_over

    url = url_of(store)
    with closing(visit(url, codec())) as visitor:
        named(visitor, name)
    given = taken_over(url, codec(), name)
    if as_json:
        click.echo(json.dumps({"given": given}))
        return
    for taker, slots in sorted(given.items()):
        click.echo(f"{taker} has {slots} slots of it")
    if not given:
        click.echo("no other node serves: the next one that comes takes what it had")
