"""What every release wrote is read for ever: facts of each format, and logs that lead to the same state."""

from pathlib import Path

import msgspec
import pytest

from tests.logs.keeping import FOLDER, end_of, kinds_of, read, replayed
from weft.kernel import facts
from weft.kernel.facts import AnyFact

LOGS = sorted(FOLDER.glob("format-*/*.json"))
FACTS = sorted(FOLDER.glob("facts-*.json"))


@pytest.mark.parametrize("path", LOGS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_kept_log_leads_to_the_state_that_it_led_to(path: Path) -> None:
    log = read(path)
    assert end_of(*replayed(log)) == log.end


@pytest.mark.parametrize("path", FACTS, ids=lambda path: path.stem)
def test_a_fact_of_every_kind_is_read_as_it_was_written(path: Path) -> None:
    written = msgspec.json.decode(path.read_bytes(), type=list[AnyFact])
    assert msgspec.json.decode(msgspec.json.encode(written)) == msgspec.json.decode(path.read_bytes())
    if path.stem == f"facts-{facts.FORMAT}":
        assert {type(fact) for fact in written} == set(AnyFact.__args__)


def test_the_present_format_has_logs_of_nearly_every_kind_of_fact() -> None:
    here = [path for path in LOGS if path.parent.name == f"format-{facts.FORMAT}"]
    told = {kind for path in here for kind in kinds_of(read(path))}
    only_groups = {"Abandoned", "Decided", "Reported"}
    assert {kind.__name__ for kind in AnyFact.__args__} - told <= only_groups
