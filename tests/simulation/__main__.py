"""`python -m tests.simulation [SEEDS] [FIRST]`: plays so many histories of one node and of three; tells which fail."""

import logging
import sys
import time
import traceback

from tests.simulation.cluster import Cluster
from tests.simulation.playing import play_seed


def main(count: int, first: int) -> int:
    failed, began, told = [], time.monotonic(), time.monotonic()
    for seed in range(first, first + count):
        try:
            play_seed(seed)
            play_seed(seed, of=Cluster)
        except Exception:
            failed.append(seed)
            print(f"seed {seed}:")
            traceback.print_exc(limit=-4)
            if len(failed) >= 5:
                break
        if time.monotonic() - told > 30:
            told = time.monotonic()
            print(f"{seed - first + 1} of {count} seeds, {len(failed)} failed", flush=True)
    print(f"{count} seeds in {time.monotonic() - began:.0f} s: {f'failed: {failed}' if failed else 'all pass'}")
    return 1 if failed else 0


if __name__ == "__main__":
    logging.disable(logging.WARNING)  # nodes that are taken over are nothing new here
    numbers = [int(word) for word in sys.argv[1:]]
    sys.exit(main(*(numbers + [100, 0][len(numbers) :])))
