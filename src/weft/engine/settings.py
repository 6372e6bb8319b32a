"""What can be set of an engine; the defaults suit most."""

from msgspec import Struct


class Settings(Struct, frozen=True):
    instances_max: int = 10_000
    """How many instances are kept in memory between their turns."""
    inputs_max: int = 1_000
    """How many inputs one turn takes."""
    waiting_max: int = 10_000
    """How many requests may wait; then a start waits too, or is refused."""
    key_seconds: float = 30 * 86_400.0
    """How long a business key stays its instance's after the end."""
    answer_seconds: float = 3_600.0
    """How long the answer to a command row is kept for who asked."""
    news_seconds: float = 0.02
    """How often an idle engine looks for commands of other processes."""
    definition_seconds: float = 1.0
    """How long the newest version of a process is taken for the newest, where other nodes may deploy."""
    lease_seconds: float = 10.0
    """How long a node that isn't heard of keeps its instances, where several serve one database."""
    snapshot_bytes_min: int = 64 * 1024
    """A shorter log is cheaper to replay than to keep as a snapshot."""
