"""Keeps the store that this release makes, so that every later one is tried with it: `python tools/keep_store.py`.

It writes `tests/stores/VERSION.db.gz`, a file of SQLite, and `VERSION.sql.gz`, a dump of PostgreSQL. Once a version is
released its files are never written again; before, they must be after every change of the first step of the tables.
"""

import gzip
import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from postgres_server import programs, start  # noqa: E402
from tests.stores.processes import write  # noqa: E402
from weft.store.opening import back_up_store  # noqa: E402


def main() -> int:
    keep(".db.gz", of_sqlite())
    keep(".sql.gz", of_postgres())
    return 0


def keep(suffix: str, content: bytes) -> None:
    target = ROOT / "tests" / "stores" / f"{version('weftwork')}{suffix}"
    target.write_bytes(gzip.compress(content, mtime=0))
    print(f"{target.relative_to(ROOT)}: {target.stat().st_size:,} bytes")


def of_sqlite() -> bytes:
    with TemporaryDirectory() as directory:
        url, copy = f"sqlite:///{directory}/weft.db", Path(directory) / "copy.db"
        write(url)
        back_up_store(url, copy)
        return copy.read_bytes()


def of_postgres() -> bytes:
    """A dump without what only psql understands, so that any client can restore it."""
    server = start(os.getpid())
    write(server.url())
    options = ["--schema=weft", "--inserts", "--no-owner", "--no-privileges", f"--dbname={server.url()}"]
    dump = subprocess.run([programs() / "pg_dump", *options], check=True, capture_output=True).stdout
    server.stop()
    return b"".join(line for line in dump.splitlines(keepends=True) if not line.startswith((b"\\", b"--")))


if __name__ == "__main__":
    sys.exit(main())
