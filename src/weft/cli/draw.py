"""`weft draw`."""

import json
from pathlib import Path
from typing import Any

import click

from weft.cli.exits import Wrong
from weft.cli.language import LANGUAGE
from weft.cli.output import put


@click.command()
@click.argument("target", metavar="FILE")
@click.option("--output", "-o", metavar="SVG", default="-", help="Where the diagram goes; - is standard output.")
@click.option("--status", metavar="JSON", default="", help='Paint statuses: a file with {"path": "status", …}.')
@click.option("--trace", metavar="JSON", default="", help='Number the steps of a trace: a file with ["path", …].')
@LANGUAGE
@click.option("--json", "as_json", is_flag=True, help='Print {"process", "svg"} as JSON.')
def draw(target: str, output: str, status: str, trace: str, language: str, as_json: bool) -> None:
    """Draws the process of FILE as an SVG diagram.

    FILE is file.py:process, module:process, or a text in one of the languages. The diagram follows the light or dark
    scheme of whoever looks at it.

    \b
    Example:
      weft draw examples/check_up.py -o check_up.svg
    """
    from weft.cli.targets import process_of
    from weft.drawing.svg import draw as drawn

    process = process_of(target, language)
    statuses, steps = _loaded(status), _loaded(trace)
    if not isinstance(statuses or {}, dict):
        raise Wrong(f'{status} has no object {{"path": "status"}}')
    if not isinstance(steps or [], list):
        raise Wrong(f'{trace} has no list ["path", …]')
    svg = drawn(process, {path: str(one) for path, one in (statuses or {}).items()}, map(str, steps or []))
    if as_json:
        click.echo(json.dumps({"process": process.name, "svg": svg}))
    else:
        put(output, svg)


def _loaded(place: str) -> Any:
    """The JSON of a file; nothing if none is named."""
    try:
        return json.loads(Path(place).read_text("utf-8")) if place else None
    except (OSError, ValueError, RecursionError) as error:
        raise Wrong(f"{place} can't be read as JSON: {error}") from None
