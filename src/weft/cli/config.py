"""`weft config`: what is set, and where that came from."""

import json

import click

from weft.cli.stores import JSON, STORE, set_by


@click.group()
def config() -> None:
    """Shows what is set.

    \b
    Example:
      weft config show
    """


@config.command(name="show")
@STORE
@JSON
def show_config(store: str, as_json: bool) -> None:
    """Shows every setting with its value, and where that came from: weft.toml, the environment, an option, a default.

    \b
    Example:
      weft config show
    """
    from weft.assembly.configuration import shown

    found = shown(set_by(store))
    if as_json:
        click.echo(json.dumps({name: {"value": value, "from": source} for name, value, source in found}))
        return
    for name, value, source in found:
        click.echo(f"{name:<28} {json.dumps(value):<32} {source}")
