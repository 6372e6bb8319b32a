"""`weft schema`."""

import json

import click


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print it in one line, for programs.")
def schema(as_json: bool) -> None:
    """Prints the JSON Schema of the JSON form of a definition.

    \b
    Example:
      weft schema > weft.schema.json
    """
    from weft.model.json_form import schema as schema_of_form

    click.echo(json.dumps(schema_of_form(), indent=None if as_json else 2, ensure_ascii=False))
