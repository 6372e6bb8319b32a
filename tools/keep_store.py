"""Keeps the store that this release makes, so that every later one is tried with it: `python tools/keep_store.py`.

It writes `tests/stores/VERSION.db.gz`. Once a version is released its file is never written again; before, it must be
after every change of the first step of the tables.
"""

import gzip
import sys
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.stores.processes import write  # noqa: E402
from weft.store.opening import back_up_store  # noqa: E402


def main() -> int:
    target = ROOT / "tests" / "stores" / f"{version('weftwork')}.db.gz"
    with TemporaryDirectory() as directory:
        url, copy = f"sqlite:///{directory}/weft.db", Path(directory) / "copy.db"
        write(url)
        back_up_store(url, copy)
        target.write_bytes(gzip.compress(copy.read_bytes(), mtime=0))
    print(f"{target.relative_to(ROOT)}: {target.stat().st_size:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
