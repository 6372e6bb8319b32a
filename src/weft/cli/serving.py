"""`weft serve`: the engine of a store, until it is told to end."""

import json

import click

from weft.cli.binding import TASKS
from weft.cli.stores import JSON, STORE, set_by


@click.command()
@STORE
@TASKS
@click.option("--node", default="", help="The name of this node, where several serve one database.")
@click.option("--processes", type=click.IntRange(1, 256), default=1, help="So many engines, NODE-1 and on; PostgreSQL.")
@click.option("--threads", type=click.IntRange(0, 1000), default=0, help="Run functions on threads, not in processes.")
@click.option("--allow-commands", is_flag=True, help="Run the programs that definitions bring with them.")
@JSON
@click.pass_context
def serve(
    ctx: click.Context,
    store: str,
    modules: tuple[str, ...],
    node: str,
    processes: int,
    threads: int,
    allow_commands: bool,
    as_json: bool,
) -> None:
    """Serves a store: takes up what is under way, does its work, and answers the other commands.

    Functions run in processes of their own; [workers] in weft.toml says how many. It ends by SIGINT or SIGTERM, and
    lets what runs end.

    \b
    Example:
      weft serve --store sqlite:///shop.db --tasks shop.tasks
    """
    from weft.assembly.serve import serve_until_told
    from weft.assembly.several import serve_in_processes

    def say(line: str) -> None:
        click.echo(json.dumps({"said": line}) if as_json else line, err=True)

    found = set_by(store)
    if processes > 1:
        url, name = found.configuration.store.url, node or found.configuration.node.name
        options = [word for module in modules for word in ("--tasks", module)]
        options += ["--threads", str(threads), *["--allow-commands"] * allow_commands, *["--json"] * as_json]
        ctx.exit(serve_in_processes(processes, url, name, options, say))
    serve_until_told(
        found,
        modules=tuple(dict.fromkeys((*found.configuration.tasks.modules, *modules))),
        node=node,
        threads=threads,
        allow_commands=allow_commands,
        say=say,
    )
