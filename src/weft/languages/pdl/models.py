"""What a task model says: which kind of task it makes, and how that is done. Applications too."""

from dataclasses import dataclass
from typing import Final, Literal

from weft.languages.pdl.clauses import Clauses
from weft.languages.pdl.tree import Block
from weft.languages.text.errors import Action, Errors
from weft.languages.text.faults import TextReport
from weft.model.definition import Application, Deadline, Group, Handler, Named, Person

Kind = Literal["automatic", "transactional", "semi_automatic", "cooperative", "manual"]
KINDS: Final[dict[str, Kind]] = {
    "automatic": "automatic",
    "non_transactional": "automatic",
    "transactional": "transactional",
    "semi_automatic": "semi_automatic",
    "cooperative": "cooperative",
    "manual": "manual",
}
WRITTEN: Final = ("AUTOMATIC", "TRANSACTIONAL", "NON_TRANSACTIONAL", "SEMI_AUTOMATIC", "COOPERATIVE", "MANUAL")


@dataclass(frozen=True, slots=True)
class Model:
    """A task model. The handler of an automatic one with an application depends on the task's data."""

    name: str
    kind: Kind
    application: str
    handler: Handler
    description: str
    priority: int
    deadline: Deadline | None
    retries: int
    errors: tuple[Errors, ...]

    @property
    def is_automatic(self) -> bool:
        return self.kind in ("automatic", "transactional")

    @property
    def has_alternative(self) -> bool:
        actions = (one for section in self.errors for error in section.errors for one in error.actions)
        return any(isinstance(one, Action) and one.alternative is not None for one in actions)


def model_of(block: Block, report: TextReport) -> Model:
    said = Clauses(block, "the task model", report)
    kind = _kind(said, report)
    application = said.text("APPLICATION")
    if kind in ("automatic", "transactional"):
        said.unused(f"nobody does {_a(kind)} task by hand", "ROLE", "DISCONNECTED_OPERATION")
    else:
        said.unused(f"people decide what becomes of {_a(kind)} task", "RETRIES")
    if kind == "manual":
        said.unused("a manual task is done without one", "APPLICATION")
        application = ""
    if kind == "transactional":
        said.unused("a program can't take part in a transaction; a registered task does the work", "APPLICATION")
        application = ""
    if kind != "cooperative":
        said.unused("only a cooperative task is done by a group", "USERS")
    seconds = said.seconds("DEADLINE")
    return Model(
        name=block.name.text,
        kind=kind,
        application=application,
        handler=_handler(said, kind, application),
        description=" ".join(said.text("DESCRIPTION").split()),
        priority=said.whole("PRIORITY"),
        deadline=Deadline(float(seconds)) if said.has("DEADLINE") else None,
        retries=said.whole("RETRIES", least=0),
        errors=block.errors,
    )


def _kind(said: Clauses, report: TextReport) -> Kind:
    said.wanted("TYPE", f"write TYPE and one of {', '.join(WRITTEN)}")
    word = next(iter(said.words("TYPE")), None)
    if word is None:
        return _presumed(said)
    found = KINDS.get(word.text.lower().replace("-", "_"))
    if found is None:
        report.unknown(
            "unknown-name", word.span, f"there is no type of task {word.text!r}", word.text.replace("-", "_"),
            WRITTEN, f"write one of {', '.join(WRITTEN)}",
        )  # fmt: skip
    return found or _presumed(said)


def _presumed(said: Clauses) -> Kind:
    """What kind a model is that does not say it."""
    if said.has("USERS"):
        return "cooperative"
    if said.has("ROLE"):
        return "semi_automatic" if said.has("APPLICATION") else "manual"
    return "automatic" if said.has("APPLICATION") else "manual"


def _handler(said: Clauses, kind: Kind, application: str) -> Handler:
    role, offline = said.text("ROLE"), said.truth("DISCONNECTED_OPERATION")
    match kind:
        case "cooperative":
            return Group(said.texts("USERS"), role, application=application, offline=offline)
        case "manual" | "semi_automatic":
            return Person(role, application=application, offline=offline)
        case _:
            return Named(said.block.name.text)


def application_of(block: Block, report: TextReport) -> Application:
    said = Clauses(block, "the application", report)
    return Application(
        file=said.wanted("FILENAME", 'say where its program is: FILENAME "/usr/bin/…";'),
        size_kilobytes=said.whole("SIZE", least=0),
        os=said.text("OS"),
        cpu=said.text("CPU"),
        installer=said.text("INSTALLER"),
        hosts=said.texts("HOSTS"),
    )


def _a(kind: str) -> str:
    return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind.replace('_', '-')}"
