"""What a node allows its tasks to reach, as its `weft.toml` says it. A definition can name these, and nothing else."""

from msgspec import Struct


class AllowedApplication(Struct, frozen=True, forbid_unknown_fields=True):
    """A program that commands may run: `[applications.NAME]`."""

    file: str
    """Its path, or its name on the node's PATH."""
    arguments: tuple[str, ...] = ()
    """What stands before the arguments of the task."""
    environment: dict[str, str] = {}
    passes: tuple[str, ...] = ()
    """Variables of the node's own environment that it gets too."""
    hosts: tuple[str, ...] = ()
    """The machines on which it is; none means all."""
    ok: tuple[str, ...] = ("0",)
    """Exit codes that mean success: `"0"`, `"10-19"`."""
    stop_seconds: float = 5.0
    """How long it may take to end when it is told to (SIGTERM), before it is killed."""
    installer: str = ""
    """A program that brings the file where it is not."""
    size_kilobytes: int = 0
    """What must be free before it is installed."""
    output_bytes: int = 1_000_000
    file_bytes: int = 1_000_000_000


class Commands(Struct, frozen=True, forbid_unknown_fields=True):
    """`[commands]`: where they run, and whether a definition's own programs may run at all."""

    directory: str = ""
    """Where each command gets a directory of its own; empty is the system's for temporary files."""
    allow_commands: bool = False
    """`--allow-commands`: a program that a text brings runs too."""
    host: str = ""
    """The name of this machine; empty is what it says itself."""
    os: tuple[str, ...] = ()
    """What this machine is for programs that ask for an operating system; none is what it says itself."""
    cpu: tuple[str, ...] = ()
    at_once: int = 16
    """How many run side by side."""


class Endpoint(Struct, frozen=True, forbid_unknown_fields=True):
    """A server that HTTP tasks may call: `[endpoints.NAME]`."""

    url: str
    """`https://host/path`; the task's path is put behind it."""
    methods: tuple[str, ...] = ()
    """Those that may be used; none means all."""
    headers: dict[str, str] = {}
    secrets: dict[str, str] = {}
    """Headers whose values are in variables of the node's environment."""
    key_header: str = "Idempotency-Key"
    """Where the task's key is sent, which is the same on every attempt; empty is nowhere."""
    ok: tuple[str, ...] = ("2xx",)
    redirects: int = 3
    """How many are followed; never one to another server."""
    connect_seconds: float = 10.0
    seconds: float = 60.0
    """How long the server may take to answer."""
    body_bytes: int = 1_000_000
    """How much it may answer."""
    ca_file: str = ""
    """Who vouches for the server; empty is who the machine trusts."""


class Calls(Struct, frozen=True, forbid_unknown_fields=True):
    """`[http]`: what holds for all endpoints."""

    at_once: int = 32
    """How many calls run side by side."""


class Resource(Struct, frozen=True, forbid_unknown_fields=True):
    """A database that SQL and transactional tasks may use: `[resources.NAME]`."""

    url: str = ""
    """`sqlite:///PATH`, `postgresql://USER@HOST/NAME` (extra `postgres`), or what SQLAlchemy knows (extra `sql`)."""
    url_from: str = ""
    """The variable of the node's environment that holds the URL, when it has a password in it."""
    lock_seconds: float = 10.0
    """How long a statement waits for what others have locked."""
    rows: int = 10_000
    """How many rows a statement may give; more has failed with `handler.output`."""
    idle: int = 8
    """How many connections are kept open for the next."""


class Databases(Struct, frozen=True, forbid_unknown_fields=True):
    """`[sql]`: what holds for all resources."""

    store: str = ""
    """The name of the node's own store in the markers of transactions; empty is one made of its URL."""
    at_once: int = 16
    """How many statements run side by side."""


class OpenFiles(Struct, frozen=True, forbid_unknown_fields=True):
    """`[files]`: what `read` tasks may read, and where contents of files are kept."""

    directories: tuple[str, ...] = ()
    """A file must lie in one of them, links followed; a relative name is looked for in their order."""
    keep: str = "weft-files"
    """The directory where contents of files are kept; nodes that share a store share it."""
    file_bytes: int = 1_000_000_000


class WorkerSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """`[workers]`: the processes in which `weft serve` runs functions."""

    processes: int = 0
    """How many; 0 is one for each processor."""
    threads: int = 8
    """How many functions each runs side by side."""
    stop_seconds: float = 30.0
    """How long a function may go on after it was told to stop; then its process is ended, once it is alone in it."""


class ExecutorSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """Where functions of some queues run: `[executors.NAME]`."""

    make: str
    """`module:function` that gives a `concurrent.futures.Executor`; called again when that one is broken."""
    queues: tuple[str, ...]
    """The queues whose tasks run there and nowhere else on this node."""
    most: int = 100
    """How many tasks it has at a time."""


class Allowed(Struct, frozen=True, forbid_unknown_fields=True):
    """All of it. By default nothing is allowed but the functions that a node was given."""

    applications: dict[str, AllowedApplication] = {}
    commands: Commands = Commands()
    endpoints: dict[str, Endpoint] = {}
    http: Calls = Calls()
    resources: dict[str, Resource] = {}
    sql: Databases = Databases()
    files: OpenFiles = OpenFiles()
    workers: WorkerSettings = WorkerSettings()
    executors: dict[str, ExecutorSettings] = {}
