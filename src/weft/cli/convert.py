"""`weft convert`."""

import json

import click

from weft.cli.exits import REFUSED
from weft.cli.language import LANGUAGE
from weft.cli.output import put


@click.command()
@click.argument("source", metavar="FROM")
@click.argument("output", metavar="TO")
@click.option("--lossy", is_flag=True, help="Write it although something is lost.")
@click.option("--to", "wanted", metavar="NAME", default="", help="The language to write, if TO's suffix does not tell.")
@LANGUAGE
@click.option("--json", "as_json", is_flag=True, help='Print {"process", "language", "losses", "notes", "written"}.')
@click.pass_context
def convert(
    ctx: click.Context, source: str, output: str, lossy: bool, wanted: str, language: str, as_json: bool
) -> None:
    """Writes the process of FROM in the language of TO, where its meaning survives.

    FROM is file.py:process, module:process, or a text in one of the languages; TO is a file, or - for standard output
    with --to. What the other language can't say is listed, and nothing is written then unless --lossy is given.

    \b
    Example:
      weft convert net.gwdl net.pnml --lossy

    Ends with 4 when nothing was written because something would be lost.
    """
    from weft.cli.targets import target_of
    from weft.languages.registry import writer_for

    writer = writer_for(output, wanted)
    found = target_of(source, language).well_formed()
    text, losses = writer.write(found.process)
    losses = [*losses, *(f"the process {one.name} beside it: convert it by itself" for one in found.beside)]
    if found.reading is not None:
        losses += found.reading.unkept.get(found.process.name, ())
    notes = [fault.message for fault in found.reading.notes] if found.reading is not None else []
    is_written = bool(text) and (lossy or not losses)
    if is_written:
        put(output, text)
    if as_json:
        said = {"process": found.process.name, "language": writer.name, "losses": losses, "notes": notes}
        click.echo(json.dumps({**said, "written": is_written}, ensure_ascii=False), err=output == "-")
    else:
        for one in notes:
            click.echo(f"not read: {one}", err=True)
        for one in losses:
            click.echo(f"{'lost' if is_written else 'would be lost'}: {one}", err=True)
        if not is_written:
            advice = "add --lossy to write the rest" if text else "choose another language"
            click.echo(f"Nothing was written as {writer.title}: {advice}.", err=True)
    ctx.exit(0 if is_written else REFUSED)
