"""What `weft serve` does: an engine whose functions run in processes of their own, until a signal of the system."""

import signal
from collections.abc import Callable
from threading import Event

from msgspec.structs import replace

from weft.assembly.configuration import Configured
from weft.assembly.hands import embedded, in_processes
from weft.assembly.serving import Serving

LOOK_SECONDS = 1.0


def serve_until_told(
    configured: Configured,
    *,
    modules: tuple[str, ...],
    node: str,
    threads: int,
    allow_commands: bool,
    say: Callable[[str], None],
) -> None:
    """Serves until SIGINT or SIGTERM; then lets what runs end."""
    found = configured.configuration
    if allow_commands:
        found = replace(found, commands=replace(found.commands, allow_commands=True))
    told = Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: told.set())
    serving = Serving(
        found.store.url,
        modules,
        node=node or found.node.name,
        settings=found.engine,
        codec=configured.codec(),
        hands=embedded if threads else in_processes(modules),
        allow=found,
    )
    say(f"serving {found.store.url}; end it with Ctrl-C")
    was_down = ""
    while not told.wait(LOOK_SECONDS) and serving.is_alive:
        if serving.down != was_down:
            was_down = serving.down
            say(f"the store can't be used: {was_down}" if was_down else "the store can be used again")
    if serving.problem is not None:
        serving.close(0.0)
        raise serving.problem
    say("ending; what runs may end first")
    serving.close(found.node.close_seconds)
