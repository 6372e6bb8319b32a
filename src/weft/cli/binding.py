"""Which functions do the tasks that a definition only names: the options `--tasks` and `--bind`, and `weft.toml`."""

import tomllib
from collections.abc import Container, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from weft.cli.exits import Wrong

if TYPE_CHECKING:
    from weft.cli.targets import Target
    from weft.languages.binding import AnyImplementation

SETTINGS: Final = "weft.toml"

TASKS = click.option(
    "--tasks", "modules", metavar="MODULE", multiple=True, help="Where the tasks that a text names are; repeatable."
)
BIND = click.option(
    "--bind", "choices", metavar="TASK=FUNCTION", multiple=True, help="Which function does a task; repeatable."
)


@dataclass(frozen=True, slots=True)
class Bound:
    """A target whose named tasks are bound, as far as they could be."""

    target: "Target"
    faults: tuple[Any, ...]
    """What is wrong with the binding, at its places in the text."""

    def whole(self) -> "Bound":
        """Raises `Invalid` if anything is wrong with it."""
        from weft.model.faults import Invalid

        if self.faults:
            raise Invalid(f"the binding of {self.target.process.name!r}", self.faults)
        return self


def implementations_of(modules: Sequence[str]) -> tuple["AnyImplementation", ...]:
    """The tasks of the modules that were given, and of those under `[tasks] modules` in `weft.toml`."""
    from weft.cli.targets import tasks_in

    return tuple(one for module in dict.fromkeys([*modules, *_configured()]) for one in tasks_in(module))


def bound(
    target: "Target",
    implementations: tuple["AnyImplementation", ...],
    choices: Sequence[str],
    without: Container[str] = (),
) -> Bound:
    """Binds the target and what it may call. Raises `Wrong` if an option can't be used."""
    from weft.languages.binding import Tasks
    from weft.languages.refining import refinements

    tasks = Tasks(implementations, _choices(choices))
    processes = (target.process, *target.beside)
    processes += tuple(refinements(processes, implementations))
    problems = list(tasks.unknown_choices(processes))
    if problems:
        raise Wrong("; ".join(problems))
    found = [tasks.bind(one, without) for one in processes]
    faults = [fault for one, (_, told) in zip(processes, found, strict=True) for fault in target.placed(one, told)]
    process, *beside = [one for one, _ in found]
    return Bound(replace(target, process=process, beside=tuple(beside)), tuple(faults))


def _choices(pairs: Sequence[str]) -> dict[str, str]:
    found = {}
    for pair in pairs:
        name, sign, chosen = pair.partition("=")
        if not (name and sign and chosen):
            raise Wrong(f"--bind {pair}: write TASK=FUNCTION, for example --bind {name or 'register'}=clinic:register")
        found[name] = chosen
    return found


def _configured() -> list[str]:
    path = Path(SETTINGS)
    if not path.is_file():
        return []
    try:
        tasks = tomllib.loads(path.read_text("utf-8")).get("tasks", {})
        modules = tasks.get("modules", [])
        if not all(isinstance(one, str) for one in modules):
            raise TypeError("modules is no list of names")
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise Wrong(f'{SETTINGS} can\'t be used: {error}; write [tasks] modules = ["shop.tasks"]') from None
    return list(modules)
