"""`weft analyse`."""

import json

import click

from weft.cli.exits import Wrong
from weft.cli.language import LANGUAGE
from weft.cli.output import put


@click.command()
@click.argument("target", metavar="FILE")
@LANGUAGE
@click.option("--states", default=1_000_000, show_default=True, help="Explore at most so many states.")
@click.option("--seconds", default=10.0, show_default=True, help="Explore for at most so long.")
@click.option("--structure", "has_structure", is_flag=True, help="Also tell invariants, siphons and traps.")
@click.option("--pnml", "output", metavar="PNML", default="", help="Also write the nets as they are analysed.")
@click.option("--json", "as_json", is_flag=True, help="Print the verdict as JSON; null is unknown.")
def analyse(
    target: str, language: str, states: int, seconds: float, has_structure: bool, output: str, as_json: bool
) -> None:
    """Says of the nets of FILE whether they are sound, live, bounded and without deadlock.

    FILE is a net in PNML, or a process with nets in it in any form that `weft check` takes. What is found out within
    the budget is told, the rest is unknown.

    \b
    Example:
      weft analyse order.pnml --json
    """
    import msgspec

    from weft.analysis.plain import plain_net
    from weft.analysis.spaces import Budget
    from weft.analysis.verdicts import analyse as verdict_of
    from weft.analysis.verdicts import structure_of
    from weft.cli.targets import target_of
    from weft.cli.verdicts import lines_of, nets_in
    from weft.languages.pnml.writing import pnml

    nets = nets_in(target_of(target, language).process)
    if not nets:
        raise Wrong(f"{target} has no net; `weft check {target}` says what is wrong with a process of any kind")
    found: list[dict[str, object]] = []
    plain_nets = {net.name: plain_net(net) for net in nets}
    if output:
        put(output, pnml({name: plain.as_net(name) for name, plain in plain_nets.items()}))
    for name, plain in plain_nets.items():
        verdict = msgspec.to_builtins(verdict_of(plain, name, Budget(states, seconds)))
        if has_structure:
            verdict["structure"] = msgspec.to_builtins(structure_of(plain))
        found.append(verdict)
    if as_json:
        click.echo(json.dumps(found[0] if len(found) == 1 else found))
    else:
        click.echo("\n\n".join("\n".join(lines_of(one)) for one in found))
