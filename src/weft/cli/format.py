"""`weft format`."""

import json
import sys
from pathlib import Path

import click

from weft.cli.exits import WRONG, Wrong
from weft.cli.language import LANGUAGE


@click.command("format")
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@LANGUAGE
@click.option("--check", "only_check", is_flag=True, help="Write nothing; end with 2 if a file would change.")
@click.option("--stdout", "to_output", is_flag=True, help="Print the text instead of writing the file.")
@click.option("--json", "as_json", is_flag=True, help='Print a JSON list of {"file", "changed"}.')
@click.pass_context
def format_texts(
    ctx: click.Context, files: tuple[str, ...], language: str, only_check: bool, to_output: bool, as_json: bool
) -> None:
    """Lays out each FILE in one of the languages that people write; - is the standard input.

    Comments stay, and nothing but blanks and line breaks changes. Formatting twice changes nothing more.

    \b
    Example:
      weft format check_up.mfdl
    """
    told: list[dict[str, object]] = []
    for file in files:
        content, made = _formatted(file, language)
        changed = made.encode() != content
        told.append({"file": file, "changed": changed})
        if to_output or file == "-":
            click.echo(made, nl=False)
        elif not as_json and changed:
            click.echo(f"{file}: {'would change' if only_check else 'formatted'}")
        if changed and not (only_check or to_output or file == "-"):
            Path(file).write_bytes(made.encode())
    if as_json:
        click.echo(json.dumps(told))
    ctx.exit(WRONG if only_check and any(one["changed"] for one in told) else 0)


def _formatted(file: str, language: str) -> tuple[bytes, str]:
    from weft.languages.registry import language_of, named

    try:
        content = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except OSError as error:
        raise Wrong(f"{file} can't be read: {error.strerror}") from None
    found = named(language) if language else language_of(file, content)
    return content, found.format(content, file)
