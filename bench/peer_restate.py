"""A program for an interpreter that has restate-sdk, which is none of ours.

`peer_restate.py SERVER FOLDER CHAINS STEPS SINGLES` starts a Restate server, which flushes what it logs, and beside it
this program again with `serve PORT`, which has the steps. Prints what it found as JSON; CPU is that of both, not of who
asks.
"""

import asyncio
import json
import os
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from statistics import median
from threading import local
from time import monotonic, perf_counter, sleep

import restate
from hypercorn.asyncio import serve as served
from hypercorn.config import Config

CALLERS = 64
READY_SECONDS = 60.0
TICKS = os.sysconf("SC_CLK_TCK")

bench = restate.Service("bench")
mine = local()


def nothing() -> None:
    """The step."""


@bench.handler()
async def chain(ctx: restate.Context, steps: int) -> None:
    for number in range(steps):
        await ctx.run_typed(f"step{number}", nothing)


def serve(port: int) -> None:
    config = Config()
    config.bind = [f"127.0.0.1:{port}"]
    asyncio.run(served(restate.app([bench]), config))


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def post(connection: HTTPConnection, path: str, content: object) -> None:
    connection.request("POST", path, json.dumps(content), {"content-type": "application/json"})
    answer = connection.getresponse()
    body = answer.read()
    assert answer.status < 300, (answer.status, body)


def insist(port: int, path: str, content: object) -> None:
    """Again and again until it succeeds: a server is not there at once."""
    end = monotonic() + READY_SECONDS
    while True:
        try:
            return post(HTTPConnection("127.0.0.1", port), path, content)
        except (OSError, HTTPException, AssertionError):
            if monotonic() > end:
                raise
            sleep(0.2)


def call(port: int, steps: int) -> float:
    if not hasattr(mine, "connection"):
        mine.connection = HTTPConnection("127.0.0.1", port)
    begin = perf_counter()
    post(mine.connection, "/bench/chain", steps)
    return perf_counter() - begin


def cpu_seconds(process: subprocess.Popen) -> float:
    words = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / TICKS


def measure(port: int, running: list[subprocess.Popen], chains: int, steps: int, singles: int) -> dict[str, float]:
    with ThreadPoolExecutor(CALLERS) as callers:
        list(callers.map(lambda _: call(port, steps), range(CALLERS)))
        wall, cpu = perf_counter(), sum(map(cpu_seconds, running))
        list(callers.map(lambda _: call(port, steps), range(chains)))
        done = chains * steps
        rate, each = done / (perf_counter() - wall), (sum(map(cpu_seconds, running)) - cpu) / done
    p50 = median(call(port, 1) for _ in range(singles))
    return {"rate": rate, "cpu": each * 1e6, "p50": p50 * 1e3}


def main() -> None:
    program, folder = sys.argv[1:3]
    ingress, admin, node, steps = (free_port() for _ in range(4))
    settings = {
        "RESTATE_BASE_DIR": folder,
        "RESTATE_DISABLE_TELEMETRY": "true",
        "RESTATE_LISTEN_MODE": "tcp",
        "RESTATE_BIND_IP": "127.0.0.1",
        "RESTATE_BIND_PORT": str(node),
        "RESTATE_INGRESS__BIND_PORT": str(ingress),
        "RESTATE_ADMIN__BIND_PORT": str(admin),
        "RESTATE_LOG_FILTER": "error",
    }
    quiet = subprocess.DEVNULL
    server = [program, "--no-logo"]
    running = [
        subprocess.Popen(server, env={**os.environ, **settings}, stdout=quiet, stderr=quiet),
        subprocess.Popen([sys.executable, __file__, "serve", str(steps)], stdout=quiet, stderr=quiet),
    ]
    try:
        insist(admin, "/deployments", {"uri": f"http://127.0.0.1:{steps}"})
        insist(ingress, "/bench/chain", 1)
        print(json.dumps(measure(ingress, running, *map(int, sys.argv[3:]))))
    finally:
        for process in running:
            process.kill()
            process.wait()


if __name__ == "__main__":
    if sys.argv[1] == "serve":
        serve(int(sys.argv[2]))
    else:
        main()
