"""The faults that `python -m tests.planted` plants can still be planted, and stand on their page."""

import pytest

from tests.planted.faults import FAULTS, Fault
from tests.tidy.tree import ROOT

PAGE = ROOT / "docs" / "explanation" / "planted-faults.md"


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_can_be_planted_in_one_place_and_is_listed(fault: Fault) -> None:
    text = (ROOT / "src" / "weft" / "kernel" / f"{fault.module}.py").read_text("utf-8")
    assert text.count(fault.old) == 1
    assert fault.new != fault.old
    assert f"| {fault.name} | `{fault.module}` |" in PAGE.read_text("utf-8")


def test_there_are_ten_faults_at_least() -> None:
    assert len({fault.name for fault in FAULTS}) >= 10
