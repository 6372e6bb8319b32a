"""What tests of processes need: `Trial`, a run in which the test says what happens and moves the clock."""

from weft.testing.trial import Trial

__all__ = ["Trial"]
