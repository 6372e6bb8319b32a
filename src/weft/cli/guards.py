"""`weft guards`."""

import json

import click

from weft.cli.language import LANGUAGE


@click.command()
@click.argument("target", metavar="FILE")
@LANGUAGE
@click.option("--ascii", "only_ascii", is_flag=True, help="Use ASCII signs: [] for always, & and | for and and or.")
@click.option("--json", "as_json", is_flag=True, help="Print the rows as a JSON list.")
def guards(target: str, language: str, only_ascii: bool, as_json: bool) -> None:
    """Prints when each activity of FILE starts, aborts and commits.

    FILE is file.py:process, module:process, or a text in one of the languages. Nodes are numbered from the root; a
    compensation comes after its activity.

    \b
    Example:
      weft guards examples/check_up.py
    """
    import msgspec

    from weft.cli.targets import process_of
    from weft.model.guard_table import guard_table, render

    rows = guard_table(process_of(target, language))
    click.echo(json.dumps(msgspec.to_builtins(rows)) if as_json else render(rows, only_ascii=only_ascii))
