"""A program for an interpreter that has DBOS, which is none of ours: `peer_dbos.py URL CHAINS STEPS SINGLES`.

Chains of steps that do nothing, all in flight, then processes of one step, one after the other; prints what it found as
JSON. A SQLite file is in WAL mode and flushed at every commit, as Weft's is.
"""

import json
import sqlite3
import sys
from statistics import median
from time import perf_counter, process_time

from dbos import DBOS

SQLITE = "sqlite:///"
FULL = 2


@DBOS.step()
def nothing() -> None:
    """The step."""


@DBOS.workflow()
def chain(steps: int) -> None:
    for _ in range(steps):
        nothing()


def flushed_file(path: str) -> None:
    connection = sqlite3.connect(path)
    mode = connection.execute("pragma journal_mode=wal").fetchone()[0]
    flushes = connection.execute("pragma synchronous").fetchone()[0]
    connection.close()
    assert (mode, flushes) == ("wal", FULL), "this SQLite does not flush every commit"


def all_run(chains: int, steps: int) -> None:
    for handle in [DBOS.start_workflow(chain, steps) for _ in range(chains)]:
        handle.get_result()


def single() -> float:
    begin = perf_counter()
    chain(1)
    return perf_counter() - begin


def main() -> None:
    url, chains, steps, singles = sys.argv[1], *map(int, sys.argv[2:])
    if url.startswith(SQLITE):
        flushed_file(url.removeprefix(SQLITE))
    DBOS(config={"name": "bench", "system_database_url": url, "log_level": "ERROR"})
    DBOS.launch()
    all_run(2, steps)
    wall, cpu = perf_counter(), process_time()
    all_run(chains, steps)
    done = chains * steps
    rate, each = done / (perf_counter() - wall), (process_time() - cpu) / done
    p50 = median(single() for _ in range(singles))
    DBOS.destroy()
    print(json.dumps({"rate": rate, "cpu": each * 1e6, "p50": p50 * 1e3}))


if __name__ == "__main__":
    main()
