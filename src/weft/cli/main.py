"""The command `weft`. Each command imports what it needs when it is used, so that all of them start fast."""

import click

from weft.cli.acting import cancel, change, resume, retry, signal, suspend
from weft.cli.analyse import analyse
from weft.cli.check import check
from weft.cli.config import config
from weft.cli.convert import convert
from weft.cli.draw import draw
from weft.cli.format import format_texts
from weft.cli.group import Commands
from weft.cli.guards import guards
from weft.cli.looking import history, list_instances, result, show, watch
from weft.cli.lsp import lsp
from weft.cli.nodes import node
from weft.cli.run import run
from weft.cli.schema import schema
from weft.cli.serving import serve
from weft.cli.simulate import simulate
from weft.cli.spheres import spheres
from weft.cli.starting import deploy, start
from weft.cli.store import store
from weft.cli.version import version


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
def main() -> None:
    """Runs, checks and explains workflow processes.

    \b
    A process is given as module:name, file.py:name, or a text in one of the languages.
    Example:
      weft run shop:buy --input order='{"id": "17", "cents": 900}'

    Exit codes: 0 done, 1 the process aborted, 2 wrong use or definition, 3 it waits or is stuck, 4 refused.
    """


COMMANDS = (
    (run, check, analyse, guards, draw, convert, format_texts, schema, version),
    (simulate, spheres, lsp),
    (deploy, start, list_instances, show, watch, history, result),
    (signal, cancel, suspend, resume, retry, change),
    (serve, node, store, config),
)

for commands in COMMANDS:
    for command in commands:
        main.add_command(command)
