"""Rows to test with."""

from weft.store.batch import Batch
from weft.store.rows import DefinitionRow, FactRow, InstanceRow, SignalRow, WorkRow

NUMBER = iter(range(1, 1 << 40))


def batch(**fields: object) -> Batch:
    """A batch with the next number."""
    return Batch(next(NUMBER), **fields)  # type: ignore[arg-type]


def instance(id: int, **fields: object) -> InstanceRow:
    row = {"process": "buy", "version": "1", "hash": "abc", "state": "running", "is_active": True}
    row |= {"started": float(id), "changed": float(id)}
    return InstanceRow(id, **(row | fields))  # type: ignore[arg-type]


def facts(instance: int, sequence: int, count: int = 1, payload: bytes = b"[]", time: float = 1.5) -> FactRow:
    return FactRow(instance, sequence, count, time, "ann", "Start", 1, payload)


def started(*rows: InstanceRow) -> Batch:
    """A batch that starts some instances, each with one decision."""
    return batch(instances={row.id: row for row in rows}, facts=[facts(row.id, 1) for row in rows])


def definition(process: str = "buy", version: str = "1", number: int = 1, **fields: object) -> DefinitionRow:
    row = {"hash": f"{process}{version}", "time": float(number), "actor": "ann", "payload": b"{}"}
    return DefinitionRow(process, version, number, **(row | fields))  # type: ignore[arg-type]


def work(instance: int, path: str = "buy/pay", **fields: object) -> WorkRow:
    return WorkRow(instance, path, 0, 1, "shop:pay", **({"state": "started", "since": 1.0} | fields))  # type: ignore[arg-type]


def signal(id: int, instance: int = 0, key: str = "", **fields: object) -> SignalRow:
    row = {"process": "buy", "name": "paid", "time": 1.0, "actor": "ann", "payload": b"1"}
    return SignalRow(id, instance, key=key, **(row | fields))  # type: ignore[arg-type]
