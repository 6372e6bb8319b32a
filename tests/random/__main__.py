"""`python -m tests.random --seeds N [--from SEED]`: many random instances; prints what failed and how to repeat it."""

import argparse
import sys
import time
import traceback
from collections import Counter
from multiprocessing import Pool

from tests.random.draw import Seeded
from tests.random.driving import Run, drive, made_of
from tests.random.reading import shown


def attempt(seed: int) -> tuple[int, int, str, str]:
    """The facts it told, and what was wrong: in short, and whole."""
    run = None
    try:
        run = Run(Seeded(seed + 1_000_000_007), made_of(seed))
        drive(run)
    except Exception as error:
        frame = traceback.extract_tb(error.__traceback__)[-1]
        short = f"{type(error).__name__} in {frame.name}: {str(error)[:150]}"
        return seed, 0, short, (shown(run) if run is not None else "") + traceback.format_exc()
    return seed, sum(len(told) for _, _, told in run.decisions), "", ""


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=1_000)
    parser.add_argument("--from", type=int, default=0, dest="first")
    parser.add_argument("--show", action="store_true", help="print the whole log of what failed")
    parser.add_argument("--processes", type=int, default=1)
    chosen = parser.parse_args()
    began, facts, failed = time.monotonic(), 0, []
    kinds: Counter[str] = Counter()
    with Pool(chosen.processes) as pool:
        seeds = range(chosen.first, chosen.first + chosen.seeds)
        for done, (seed, count, short, whole) in enumerate(pool.imap(attempt, seeds, chunksize=20), 1):
            facts += count
            if short:
                failed.append(seed)
                kinds[short.partition(":")[0]] += 1
                print(f"seed {seed}: {short}", flush=True)
                if chosen.show:
                    print(whole)
            if done % 1_000 == 0:
                print(
                    f"{done} seeds, {facts} facts, {len(failed)} failed, {time.monotonic() - began:.0f} s", flush=True
                )
    print(f"{chosen.seeds} seeds, {facts} facts, {time.monotonic() - began:.0f} s; failed: {failed or 'none'}")
    for kind, count in kinds.most_common():
        print(f"{count:5} {kind}")
    if failed:
        print(f"again: python -m tests.random --from {failed[0]} --seeds 1 --show")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
