"""The group of commands: errors become one message and one exit code, never a stack trace."""

import os
import sys
from typing import Any

import click

from weft.cli.exits import BROKEN, code_of

TRACE = "WEFT_TRACE"


class Commands(click.Group):
    """Catches what commands raise. With `WEFT_TRACE=1` in the environment errors come with their stack traces."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except BrokenPipeError:  # who reads what we print has had enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            ctx.exit(0)
        except (Exception, KeyboardInterrupt) as error:
            if os.environ.get(TRACE):
                raise
            code = code_of(error)
            click.echo(_told(error, code), err=True)
            ctx.exit(code)


def _told(error: BaseException, code: int) -> str:
    if isinstance(error, KeyboardInterrupt):
        return "Interrupted."
    if code != BROKEN:
        return f"Error: {error}"
    return (
        f"Error: this is a mistake in Weft, not yours: {type(error).__name__}: {error}\n"
        f"Run it again with {TRACE}=1 and report what it prints."
    )
