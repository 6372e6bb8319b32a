"""Measures Weft, prints a table and writes `bench/results.json`: `python -m bench [--kernel-only] [FILE]`.

With `--kernel-only` it measures only what the kernel does, which is what a compiled kernel does faster.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

from bench import analysis, compiled, definitions, kernel, languages, nets, store, store_postgres
from bench.figures import Figure, is_compiled, line, write

RESULTS = Path(__file__).resolve().parent / "results.json"


def kernel_figures() -> Iterator[Figure]:
    yield from kernel.figures()
    yield from definitions.compile_times()
    yield from nets.figures(beside_snakes=not is_compiled())


def all_figures() -> Iterator[Figure]:
    yield from definitions.figures()
    yield from analysis.figures()
    yield from kernel_figures()
    yield from languages.figures()
    yield from store.figures()
    yield from store_postgres.figures()


def measured(figures: Iterator[Figure]) -> list[Figure]:
    """All of them, each printed as soon as it is known."""
    found: list[Figure] = []
    for one in figures:
        print(line(one), flush=True)
        found.append(one)
    return found


def main(arguments: list[str]) -> int:
    kernel_only = "--kernel-only" in arguments
    files = [Path(one) for one in arguments if not one.startswith("-")]
    found = measured(kernel_figures() if kernel_only else all_figures())
    if not kernel_only:
        reason = compiled.build()
        if reason:
            print(reason)
        else:
            found += compiled.figures()
    write(found, files[0] if files else RESULTS)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
