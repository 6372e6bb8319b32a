"""Which kind of work a task is, and how long it may take. What it may reach is the node's to allow."""

from weft.model.form import Form


class TimeLimits(Form, frozen=True, omit_defaults=True):
    """How long one attempt may take to begin, to run, and between two heartbeats; 0 is as long as it likes.

    Work that is too long is stopped and has failed with `handler.activate.late`, `handler.execute.late` or
    `handler.execute.silent`.
    """

    start_seconds: float = 0.0
    run_seconds: float = 0.0
    heartbeat_seconds: float = 0.0


class Function(Form, frozen=True, tag="function", omit_defaults=True):
    """A Python function by `module:qualname`; it is looked up by the node that runs it and never imported here."""

    reference: str


class Person(Form, frozen=True, tag="person", omit_defaults=True):
    """Work of one person of a role; `application` helps to do it, `offline` work may be done without a connection."""

    role: str = ""
    title: str = ""
    application: str = ""
    offline: bool = False


class Group(Form, tag="group", frozen=True, omit_defaults=True):
    """Work that people do together, led by who is responsible for the instance; without `users`, all of the role."""

    users: tuple[str, ...] = ()
    role: str = ""
    title: str = ""
    application: str = ""
    offline: bool = False


class Timer(Form, frozen=True, tag="timer", omit_defaults=True):
    """Occurs `seconds` after it is ready; a parameter `seconds` wins over the number here."""

    seconds: float = 0.0


class Signal(Form, frozen=True, tag="signal", omit_defaults=True):
    """Occurs when a signal of this name is sent; with `keep=False` it is lost when nobody is ready for it."""

    signal: str
    keep: bool = True


class Command(Form, frozen=True, tag="command", omit_defaults=True):
    """An application that the node allows, or one of the process's own; no shell sees it.

    In an argument `{name}` is a parameter, and `{{` a brace.

    `files` are the objects that are files it leaves in its directory: object → name of the file.
    """

    application: str
    arguments: tuple[str, ...] = ()
    files: dict[str, str] = {}
    stdin: str = ""
    """The name of a file in its directory that it reads as its standard input."""
    stdout: str = ""
    stderr: str = ""
    """Names of files in its directory that get what it prints."""


class Application(Form, frozen=True, omit_defaults=True):
    """A program that a definition brings with it; it runs where the operator allows that, on hosts that fit."""

    file: str
    size_kilobytes: int = 0
    os: str = ""
    cpu: str = ""
    installer: str = ""
    hosts: tuple[str, ...] = ()
    environment: dict[str, str] = {}


class Http(Form, frozen=True, tag="http", omit_defaults=True):
    endpoint: str
    method: str = "POST"
    path: str = ""


class Sql(Form, frozen=True, tag="sql", omit_defaults=True):
    resource: str
    statement: str


class Read(Form, frozen=True, tag="read", omit_defaults=True):
    """A file outside, which the node allows, as it is when the task is ready: its one object is a `File`."""

    file: str


class Assign(Form, frozen=True, tag="assign", omit_defaults=True):
    """Each object of the task's outcome is the value of an expression over its parameters."""

    objects: dict[str, str]


class Named(Form, frozen=True, tag="named", omit_defaults=True):
    """A task by its name alone; it is bound to a registered implementation before it runs."""

    task: str


Handler = Function | Person | Group | Timer | Signal | Command | Http | Sql | Read | Assign | Named
