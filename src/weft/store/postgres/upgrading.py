"""Raises a PostgreSQL store to this version."""

from collections.abc import Sequence
from contextlib import closing

import psycopg

from weft.store.migrations import Migration, missing
from weft.store.postgres.connecting import address_of, connect
from weft.store.postgres.faults import problem
from weft.store.postgres.reads import ONE_AT_A_TIME, steps_taken, take
from weft.store.problems import CannotOpen


def upgrade(url: str, migrations: Sequence[Migration]) -> list[Migration]:
    """Takes the steps that the store lacks, all or none, and returns them.

    Raising the epochs waits for the batches that are being written, and lets no older node write another.
    """
    address = address_of(url)
    with closing(connect(address, address.visitor)) as connection:
        try:
            with connection.transaction():
                connection.execute(ONE_AT_A_TIME, (address.schema,))
                taken = steps_taken(connection)
                if not taken:
                    raise CannotOpen(f"there is no store at {address}")
                lacking = missing(str(address), taken, migrations)
                if lacking:
                    connection.execute("update node set epoch = epoch + 1")
                    take(connection, lacking)
        except psycopg.Error as error:
            raise problem(error) from error
    return lacking
