"""`weft simulate`."""

import json
from pathlib import Path

import click

from weft.cli.exits import Wrong
from weft.cli.language import LANGUAGE


@click.command()
@click.argument("target", metavar="FILE")
@LANGUAGE
@click.option("--runs", default=0, help="Play so many runs and sum them up; without it, one run step by step.")
@click.option("--figures", metavar="FILE", default="", help="How long work takes and how it ends, as JSON.")
@click.option("--seed", default=1, show_default=True, help="The same seed plays the same runs.")
@click.option("--plot", metavar="FILE", default="", help="Write a histogram of the times to finish, as SVG.")
@click.option("--json", "as_json", is_flag=True, help="Print the sums as JSON.")
def simulate(target: str, language: str, runs: int, figures: str, seed: int, plot: str, as_json: bool) -> None:
    """Plays the process FILE without doing its work.

    Step by step it shows what may happen next, and you choose. With --runs it tells how long runs take, where they
    wait, how much of their time roles work, which ways runs took and what none ever did.

    \b
    Example:
      weft simulate order.json --runs 1000 --figures figures.json
    """
    import msgspec

    from weft.analysis.simulation import Simulation
    from weft.analysis.simulation_figures import BadFigures, Figures, read_figures
    from weft.analysis.simulation_results import plot as plotted
    from weft.analysis.simulation_results import results_of
    from weft.analysis.stepping import Stepping
    from weft.cli.playing import lines, play
    from weft.cli.targets import target_of

    found = target_of(target, language).well_formed()
    beside = {one.name: one for one in found.beside}
    if runs <= 0:
        play(Stepping(found.process, {}, beside, seed))
        return
    try:
        given = read_figures(_content(figures), figures) if figures else Figures()
    except BadFigures as error:
        raise Wrong(str(error)) from None
    simulation = Simulation(found.process, given, seed, beside)
    simulation.run(runs)
    results = results_of(simulation, seed)
    if plot:
        Path(plot).write_text(plotted(simulation), "utf-8")
    click.echo(json.dumps(msgspec.to_builtins(results)) if as_json else "\n".join(lines(results)))


def _content(file: str) -> bytes:
    try:
        return Path(file).read_bytes()
    except OSError as error:
        raise Wrong(f"{file} can't be read: {error.strerror}") from None
