"""`weft lsp`."""

import json

import click

from weft.cli.exits import Wrong


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print what the server can do, as JSON, and end.")
def lsp(as_json: bool) -> None:
    """Serves an editor that speaks the Language Server Protocol, on the standard input and output.

    It tells faults while you write, explains and finds names, completes, and formats. It needs the extra lsp.

    \b
    Example:
      weft lsp
    """
    try:
        from weft.cli import language_server
    except ImportError as error:
        raise Wrong(f"weft lsp needs {error.name or 'pygls'}: pip install 'weftwork[lsp]'") from None

    if as_json:
        click.echo(json.dumps({"features": sorted(language_server.SERVER.protocol.fm.features)}))
        return
    language_server.SERVER.start_io()
