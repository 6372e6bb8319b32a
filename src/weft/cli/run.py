"""`weft run`."""

import contextlib
import json
import sys
import time
from typing import TYPE_CHECKING

import click

from weft.cli.binding import BIND, TASKS
from weft.cli.exits import ABORTED, DONE, WAITING
from weft.cli.language import LANGUAGE

if TYPE_CHECKING:
    from weft.assembly.alone import Watch
    from weft.assembly.running import People
    from weft.engine.result import Result
    from weft.handlers.settings import Allowed
    from weft.model.definition import Process


@click.command()
@click.argument("target")
@click.option(
    "--input", "inputs", metavar="NAME=VALUE", multiple=True, help="An input; JSON where it fits; @FILE reads it."
)
@click.option("--input-json", metavar="JSON", default="", help="All inputs as one JSON object, or @FILE.")
@click.option(
    "--answer", "answers", metavar="TASK=VALUE", multiple=True, help="What people answer in a task of theirs."
)
@click.option("--results", metavar="FILE", default="", help="What tasks give, a JSON object: task, list of results.")
@click.option("--ask/--no-ask", default=None, help="Ask for the work of people here; the default at a terminal.")
@TASKS
@BIND
@click.option("--with", "others", metavar="FILE", multiple=True, help="More processes that it may call; repeatable.")
@LANGUAGE
@click.option("--key", default="", help="The business key of the run.")
@click.option("--store", "store", metavar="URL", default="", help="Keep the run there; else in memory only.")
@click.option("--allow-commands", is_flag=True, help="Run the programs that the definition brings with it.")
@click.option("--real-time", is_flag=True, help="Wait for timers; else time jumps to the next one.")
@click.option("--verbose", "-v", is_flag=True, help="Print every fact as it becomes true.")
@click.option("--json", "as_json", is_flag=True, help='Print {"outcome", "values", "status"} and nothing else.')
@click.pass_context
def run(
    ctx: click.Context,
    target: str,
    inputs: tuple[str, ...],
    input_json: str,
    answers: tuple[str, ...],
    results: str,
    ask: bool | None,
    modules: tuple[str, ...],
    choices: tuple[str, ...],
    others: tuple[str, ...],
    language: str,
    key: str,
    store: str,
    allow_commands: bool,
    real_time: bool,
    verbose: bool,
    as_json: bool,
) -> None:
    """Runs a process to its end, and says what it came to. It is kept where --store says, else nowhere.

    TARGET is module:process, file.py:process, or a text in one of the languages; a file with one process needs no name.

    \b
    Example:
      weft run shop.py:buy --input sku=lamp --input cents=900 --answer approve=true

    Ends with 0 when it is done, 1 when it aborted, 3 when it waits or is stuck.
    """
    from weft.assembly.running import Answers, Option, in_memory
    from weft.cli.binding import bound, implementations_of
    from weft.cli.inputs import answers_of, inputs_of
    from weft.cli.results import results_in
    from weft.cli.stores import codec
    from weft.cli.targets import target_of
    from weft.engine.clocks import RealClock
    from weft.languages.python.context import Start
    from weft.store.opening import open_store

    implementations = implementations_of(modules)  # first: a text may be read with what they register
    found = target_of(target, language).well_formed().beside_those_of(others)
    answered = Answers(answers_of(answers) | (results_in(results, (found.process, *found.beside)) if results else {}))
    ready = bound(found, implementations, choices, without=answered).whole()
    process = ready.target.process
    options: list[Option] = [Start(key=key or None), answered, *ready.target.beside, *implementations]
    with contextlib.ExitStack() as ends:
        kept = ends.enter_context(contextlib.closing(open_store(store, codec=codec()))) if store else None
        runner = in_memory(
            process,
            *options,
            clock=RealClock() if real_time else None,
            watch=_teller(as_json) if verbose else None,
            people=_at_terminal(process, ask),
            store=kept,
            allow=_allowed(allow_commands),
        )
        ends.enter_context(contextlib.redirect_stdout(sys.stderr if as_json else sys.stdout))
        result = runner.run(inputs_of(process, inputs, input_json))
    click.echo(_json(result) if as_json else as_words(result))
    ctx.exit(exit_code(result))


def _teller(as_json: bool) -> "Watch":
    from weft.cli.telling import teller

    return teller(lambda line: click.echo(line, err=as_json), time.time())


def _allowed(commands: bool) -> "Allowed":
    """What weft.toml lets tasks reach, and the definition's own programs if they may run."""
    from msgspec.structs import replace

    from weft.cli.stores import set_by

    found = set_by("").configuration
    return replace(found, commands=replace(found.commands, allow_commands=True)) if commands else found


def _at_terminal(process: "Process", ask: bool | None) -> "People | None":
    """Who does the work of people: whoever sits at the terminal, if there is one."""
    if ask is False or (ask is None and not (sys.stdin.isatty() and sys.stderr.isatty())):
        return None
    from rich.console import Console

    from weft.cli.asking import Asking

    return Asking(Console(stderr=True), process.classes)


def exit_code(result: "Result") -> int:
    if result.status != "ended":
        return WAITING
    return DONE if result.committed else ABORTED


def _json(result: "Result") -> str:
    found = {"outcome": result.outcome, "values": result.values, "status": result.status}
    return json.dumps(found, ensure_ascii=False)


def as_words(result: "Result") -> str:
    from weft.cli.telling import shown

    if result.status == "ended":
        colour = "green" if result.committed else "red"
        lines = [f"{result.process}: {click.style(result.outcome, fg=colour, bold=True)}"]
        if result.error:
            lines[0] += f", {result.error}" + (f": {result.message}" if result.message else "")
        lines += [f"  {name}: {shown(value)}" for name, value in result.values.items()]
        return "\n".join(lines)
    lines = [f"{result.process}: {click.style(result.status, fg='yellow', bold=True)}"]
    lines += [f"  {'in the way' if result.status == 'stuck' else 'for'}: {one}" for one in result.waits]
    return "\n".join(lines)
