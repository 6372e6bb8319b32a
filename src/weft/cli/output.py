"""Where a command puts the text that it made: a file, or standard output."""

from pathlib import Path

import click

from weft.cli.exits import Wrong


def put(output: str, text: str) -> None:
    """Writes the text; `-` is standard output. Raises `Wrong`."""
    if output == "-":
        click.echo(text, nl=False)
        return
    try:
        Path(output).write_text(text, "utf-8")
    except OSError as error:
        raise Wrong(f"{output} can't be written: {error.strerror}") from None
