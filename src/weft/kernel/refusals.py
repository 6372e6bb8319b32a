"""Refusals: why a command was not accepted. A refusal comes before the first fact, so nothing has changed."""


class Refused(Exception):
    """The command can't be accepted as things stand; nothing has changed."""


class NotFound(Refused):
    """There is no such activity in this instance."""


class NotRunning(Refused):
    """The activity is not in a state in which this can be asked of it."""


class Late(Refused):
    """The command speaks of a round or an attempt that is over."""


class NotAvailable(Refused):
    """A name that the activity holds is taken, or the instance is suspended."""


class NotDeclared(Refused):
    """The outcome, mark, input set or parameter is not declared."""


class NotFitting(Refused):
    """A value does not have its declared type, or is too large."""


class NotChangeable(Refused):
    """The change does not fit what has happened; `reasons` lists every reason by activity."""

    def __init__(self, reasons: list[str]) -> None:
        super().__init__(
            "the change does not fit what has happened:\n" + "\n".join(f"  {reason}" for reason in reasons)
        )
        self.reasons = reasons
