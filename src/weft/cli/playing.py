"""What a simulation tells people: the table of many runs, and the dialogue of one."""

import json

import click

from weft.analysis.simulation_results import Results
from weft.analysis.stepping import Step, Stepping
from weft.cli.telling import line_of
from weft.kernel.facts import AnyFact
from weft.kernel.refusals import Refused


def lines(results: Results) -> list[str]:
    """The table that people read."""
    found = [f"{results.process}: {results.runs} runs, seed {results.seed}"]
    found += [f"  {end:<24}{count:>8}  {100 * count / results.runs:.1f} %" for end, count in results.ends.items()]
    if results.times is not None:
        one = results.times
        found.append("seconds to finish")
        named = {"least": one.least, "median": one.median, "90 %": one.p90, "95 %": one.p95, "most": one.most}
        found.append("  " + "  ".join(f"{name} {value:g}" for name, value in named.items()))
    found.append(f"{'task':<26}{'runs':>8}{'failed':>8}{'waits s':>12}{'works s':>12}")
    for use in results.activities:
        found.append(
            f"{use.activity:<26}{use.started:>8}{use.aborted:>8}{use.wait_seconds:>12g}{use.work_seconds:>12g}"
        )
    found += [f"role {role}: at work {100 * share:.1f} % of its time" for role, share in results.roles.items()]
    found += [f"way: {' → '.join(path.tasks) or 'nothing'} ({path.runs})" for path in results.paths]
    if results.never:
        found.append(f"never ran: {', '.join(results.never)}")
    return found


def play(stepping: Stepping) -> None:
    """Shows the facts and what may come; asks until the run has ended."""
    told = stepping.told
    while True:
        for fact in told:
            click.echo(line_of(fact, stepping.time))
        steps = stepping.steps()
        if stepping.has_ended or not steps:
            return
        for number, step in enumerate(steps, 1):
            click.echo(f"  {number}  {step.words}")
        chosen = click.prompt("Next (number, with objects as JSON behind it if you like; q ends)", default="1")
        if chosen.strip() == "q":
            return
        told = _taken(stepping, steps, chosen)


def _taken(stepping: Stepping, steps: list[Step], chosen: str) -> list[AnyFact]:
    number, _, objects = chosen.strip().partition(" ")
    if not number.isdigit() or not 1 <= int(number) <= len(steps):
        click.echo(f"Give a number from 1 to {len(steps)}, or q.")
        return []
    try:
        given = json.loads(objects) if objects.strip() else {}
        return stepping.take(steps[int(number) - 1], given)
    except ValueError as error:
        click.echo(f"{objects} is no JSON: {error}")
    except Refused as refused:
        click.echo(str(refused))
    return []
