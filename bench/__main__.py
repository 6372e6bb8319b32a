"""Measures Weft, prints a table and writes `bench/results.json`: `python -m bench [PART …] [--kernel-only] [FILE]`.

Without a part it measures all of them. With `--kernel-only` it measures only what the kernel does, which is what a
compiled kernel does faster.
"""

import sys
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path

from bench import analysis, compiled, definitions, engine, kernel, languages, nets, peers, store, store_postgres
from bench.figures import Figure, is_compiled, line, write

RESULTS = Path(__file__).resolve().parent / "results.json"


def kernel_figures() -> Iterator[Figure]:
    yield from kernel.figures()
    yield from definitions.compile_times()
    yield from nets.figures(beside_snakes=not is_compiled())


PARTS: dict[str, Callable[[], Iterator[Figure]]] = {
    "definitions": definitions.figures,
    "analysis": analysis.figures,
    "kernel": kernel_figures,
    "languages": languages.figures,
    "store": store.figures,
    "store_postgres": store_postgres.figures,
    "engine": engine.figures,
    "peers": peers.figures,
}


def measured(figures: Iterator[Figure]) -> list[Figure]:
    """All of them, each printed as soon as it is known."""
    found: list[Figure] = []
    for one in figures:
        print(line(one), flush=True)
        found.append(one)
    return found


def main(arguments: list[str]) -> int:
    kernel_only = "--kernel-only" in arguments
    parts = [one for one in arguments if one in PARTS]
    files = [Path(one) for one in arguments if one not in PARTS and not one.startswith("-")]
    wanted = ["kernel"] if kernel_only else parts or list(PARTS)
    found = measured(chain.from_iterable(PARTS[part]() for part in wanted))
    if not kernel_only and not parts:
        reason = compiled.build()
        if reason:
            print(reason)
        else:
            found += compiled.figures()
    write(found, files[0] if files else RESULTS)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
