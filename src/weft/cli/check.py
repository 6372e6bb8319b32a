"""`weft check`."""

import json
from pathlib import Path

import click

from weft.cli.binding import BIND, TASKS
from weft.cli.exits import WRONG
from weft.cli.language import LANGUAGE


@click.command()
@click.argument("target", metavar="FILE")
@LANGUAGE
@TASKS
@BIND
@click.option("--json", "as_json", is_flag=True, help='Print {"process", "faults"} as JSON.')
@click.option("--draw", "folder", metavar="FOLDER", default="", help="Draw every fault that has a trace into a folder.")
@click.option("--sarif", "as_sarif", is_flag=True, help="Print the faults in SARIF 2.1, for editors and code review.")
@click.pass_context
def check(
    ctx: click.Context,
    target: str,
    language: str,
    modules: tuple[str, ...],
    choices: tuple[str, ...],
    as_json: bool,
    as_sarif: bool,
    folder: str,
) -> None:
    """Says everything that is wrong or suspicious in the definition FILE, and what may go wrong when it runs.

    FILE is file.py:process, module:process, or a text in one of the languages. With --tasks it says too which tasks of
    a text nobody does, or can't. Ends with 2 if there is an error; warnings alone end with 0.

    \b
    Example:
      weft check order.json
    """
    import msgspec

    from weft.analysis.checking import judge
    from weft.cli.binding import bound, implementations_of
    from weft.cli.counterexamples import drawn
    from weft.cli.sarif import sarif
    from weft.cli.targets import target_of
    from weft.languages.binding import notes
    from weft.model.faults import Invalid

    try:
        implementations = implementations_of(modules)
        found = target_of(target, language)
        name, faults = found.process.name, found.faults()
        if modules or choices:
            faults += bound(found, implementations, choices).faults
        else:
            faults += found.placed(found.process, notes(found.process))
        if not any(fault.severity == "error" for fault in faults):
            more, _ = judge(found.process, {one.name: one for one in found.beside})
            faults += found.placed(found.process, more)
            if folder:
                drawn(found.process, more, Path(folder))
    except Invalid as invalid:
        name, faults = target, list(invalid.faults)
    errors = sum(fault.severity == "error" for fault in faults)
    if as_sarif:
        click.echo(json.dumps(sarif(target, faults)))
    elif as_json:
        click.echo(json.dumps({"process": name, "faults": msgspec.to_builtins(faults)}))
    else:
        for fault in faults:
            click.echo(str(fault))
        warnings = len(faults) - errors
        count = ", ".join([_counted(errors, "error")] * bool(errors) + [_counted(warnings, "warning")] * bool(warnings))
        click.echo(f"{name}: {count or 'nothing is wrong'}")
    ctx.exit(WRONG if errors else 0)


def _counted(count: int, what: str) -> str:
    return f"{count} {what}" + "s" * (count != 1)
