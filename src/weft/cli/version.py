"""`weft version`."""

import json
import platform
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as version_of

import click


@click.command()
@click.option("--json", "as_json", is_flag=True, help='Print {"weft", "python"} as JSON.')
def version(as_json: bool) -> None:
    """Says which Weft this is, and which Python runs it.

    \b
    Example:
      weft version
    """
    try:
        weft = version_of("weftwork")
    except PackageNotFoundError:
        weft = "of a checkout that is not installed"
    python = platform.python_version()
    click.echo(json.dumps({"weft": weft, "python": python}) if as_json else f"weft {weft}, Python {python}")
