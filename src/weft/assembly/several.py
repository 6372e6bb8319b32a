"""Several engines on one machine, each an operating-system process and a node of its own."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from threading import Event
from typing import Final

from weft.engine.problems import Problem
from weft.store.opening import POSTGRES

LOOK_SECONDS: Final = 0.2


def serve_in_processes(number: int, url: str, node: str, options: Sequence[str], say: Callable[[str], None]) -> int:
    """Starts nodes NODE-1 to NODE-number, ends them when told to, and gives the first exit code that is not 0.

    One that was drained is missed by nobody; when one fails all end, and whoever started them may start them again.
    """
    if not url.startswith(POSTGRES):
        raise Problem(f"--processes needs a store in PostgreSQL: {url} is served by one engine at a time")
    told = Event()
    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, lambda *_: told.set())
    environment = {**os.environ, "WEFT_STORE": url}
    names = [f"{node}-{place}" for place in range(1, number + 1)]
    command = [sys.executable, "-m", "weft", "serve", *options, "--node"]
    running = {name: subprocess.Popen([*command, name], env=environment) for name in names}
    while not told.wait(LOOK_SECONDS) and any(one.poll() is None for one in running.values()):
        for name, one in running.items():
            if one.poll():
                say(f"node {name} ended with {one.returncode}; the others end too")
                told.set()
    for one in running.values():
        if one.poll() is None:
            one.terminate()
    codes = [one.wait() for one in running.values()]
    return next((code for code in codes if code not in (0, -signal.SIGTERM)), 0)  # one may just have ended by itself
