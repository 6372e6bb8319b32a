"""`weft spheres`."""

import json

import click

from weft.cli.language import LANGUAGE


@click.command()
@click.argument("target", metavar="FILE")
@LANGUAGE
@click.option("--json", "as_json", is_flag=True, help="Print the spheres as a JSON list.")
def spheres(target: str, language: str, as_json: bool) -> None:
    """Prints the spheres of isolation of the process FILE, with what joins them.

    Tasks are in one sphere when one takes what another gives and can begin only after it has committed. Work of others
    on the same data should not come between them.

    \b
    Example:
      weft spheres transfer.mfdl
    """
    import msgspec

    from weft.analysis.spheres import sites_of
    from weft.analysis.spheres import spheres as spheres_of
    from weft.cli.targets import process_of

    process = process_of(target, language)
    found, sites = spheres_of(process), sites_of(process)
    if as_json:
        click.echo(json.dumps(msgspec.to_builtins(found)))
        return
    for number, sphere in enumerate(found, 1):
        tasks = ", ".join(f"{task} at {sites[task]}" if task in sites else task for task in sphere.tasks)
        click.echo(f"{number}  {tasks}")
        for link in sphere.links:
            click.echo(f"     {link.giver} → {link.taker}")
