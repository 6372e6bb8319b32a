"""Facts as lines that people read: when, what, which activity, and what is worth knowing of it."""

import json
import re
from collections.abc import Callable, Sequence

import click

from weft.kernel import facts
from weft.kernel.facts import AnyFact, Fact

COLOURS = {
    "committed": "green",
    "compensated": "yellow",
    "compensating": "yellow",
    "taking back": "yellow",
    "aborting": "red",
    "aborted": "red",
    "failed": "red",
    "doubted": "red",
    "stuck": "red",
    "started": "cyan",
    "marked": "magenta",
}
SHOWN_MAX = 60


def teller(write: Callable[[str], None], began: float) -> Callable[[float, Sequence[AnyFact]], None]:
    """Writes a line for each fact, with the seconds since the beginning."""

    def tell(time: float, told: Sequence[AnyFact]) -> None:
        for fact in told:
            write(line_of(fact, time - began))

    return tell


def line_of(fact: AnyFact, seconds: float) -> str:
    word = re.sub(r"(?<!^)([A-Z])", r" \1", type(fact).__name__).lower()
    line = f"{_clock(seconds)}  {click.style(f'{word:<12}', fg=COLOURS.get(word))}  {path_of(fact):<24}  {about(fact)}"
    return line.rstrip()


def _clock(seconds: float) -> str:
    minutes, rest = divmod(max(0.0, seconds), 60)
    hours, minutes = divmod(int(minutes), 60)
    return f"{hours:02}:{minutes:02}:{rest:06.3f}"


def path_of(fact: Fact) -> str:
    """The path, with its round and attempt where they are not the first: `convert@2#3`."""
    path = re.sub(r"\w+:(?=[\w-]+)", lambda kind: f"({kind[0][:-1]}) ", fact.path) if ":" in fact.path else fact.path
    return path + (f"@{fact.round}" if fact.round else "") + (f"#{fact.attempt}" if fact.attempt != 1 else "")


def about(fact: AnyFact) -> str:
    """What the fact says besides which activity it is about."""
    match fact:
        case facts.Answered(key=key, answer=answer):
            return f"{key.partition(': ')[2] or key}: {'yes' if answer else 'no'}"
        case facts.Failed(error=error, message=message, then=then, delay_seconds=delay):
            after = f" in {delay:g} s" if delay else ""
            return f"{error}{_in_brackets(message)}, then {then}{after}"
        case facts.Aborted() | facts.Aborting() | facts.Doubted():
            error, message = fact.error, fact.message
            return error + _in_brackets(message)
        case facts.Stuck(guards=guards):
            return "; ".join(guards)
        case _:
            return _fields(fact)


def _in_brackets(message: str) -> str:
    return f" ({message})" if message else ""


def _fields(fact: AnyFact) -> str:
    found = []
    for name in fact.__struct_fields__[3:]:
        value = getattr(fact, name)
        if isinstance(value, dict):
            found += [f"{key}={shown(one)}" for key, one in value.items()]
        elif name in ("outcome", "mark"):
            found.append(str(value))
        elif value and not (name == "set" and value == "start") and name != "seed":
            found.append(f"{name}={shown(value)}")
    return "  ".join(found)


def shown(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= SHOWN_MAX else text[: SHOWN_MAX - 1] + "…"
