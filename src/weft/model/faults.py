"""What is wrong with a definition: faults, their codes, and the exception that carries all of them at once."""

from collections.abc import Sequence
from typing import Final, Literal

from msgspec import Struct

ERRORS: Final = {
    "alternate": "An alternate does not end as what it replaces, or a rule and its alternate don't belong together.",
    "arc": "An arc of a net names what is not there, or carries what it can't.",
    "arguments": "A text gives an activity too many or too few arguments, or one that can't stand there.",
    "bad-class": "An object class is not well declared.",
    "bad-name": "A name is not a letter or `_` followed by letters, digits, `_` and `-`.",
    "bad-type": "The text of a type can't be read, or names a class that is not declared.",
    "bad-value": "A constant, default or token is not plain data, or does not have its type.",
    "call": "A call says no process, or guards outcomes that the called process decides.",
    "condition": "An expression can't be read, or uses a name that is not in scope.",
    "count": "An `AtLeast` asks for fewer than none or more than all of its guards.",
    "critical": "A critical activity is no two-phase task, has a compensation, or may run without a bound.",
    "duplicate-name": "Two of the same kind bear one name; activity names are unique in a process.",
    "each": "An `Each` lacks its list of items, or something else that it needs.",
    "guard-cycle": "Guards wait for one another in a circle through `skipped` or `ended`, so no answer is right.",
    "guard-not-asked": "A guard stands where nobody asks it.",
    "immediate-end": "The end of a task has a guard, but it can't be delayed.",
    "json": "The JSON form can't be read.",
    "misfit": "A value of one type goes where another is wanted.",
    "net-child": "The operation of a transition has what only arcs may say.",
    "no-commit": "An activity has no way to commit.",
    "no-input-set": "An activity has no way to start.",
    "no-source": "A parameter or object gets its value from nowhere.",
    "number": "A number is negative, too small or not finite.",
    "out-of-reach": "A guard or source speaks of an activity that exists elsewhere but can't be heard from here.",
    "placement": "A task is placed; only compounds are.",
    "quiet": "`Quiet` stands outside the outcomes of a compound with children.",
    "raw-error": "What a task names as a raw error is no class, code, range or words of a message.",
    "read-only": "A task writes a variable that can only be read.",
    "repeat-source": "A repeat outcome is the source of something else than the next round of its own activity.",
    "syntax": "A text can't be read as its language.",
    "task-outcome": "A task has an outcome that only a compound can have, or a mark it can't give.",
    "too-large": "A limit is passed.",
    "undo": "A text has something undone that leaves nothing when it aborts, or that is no task.",
    "unknown-activity": "A guard, source or arc names an activity that does not exist.",
    "unknown-error": "A name of an error is not below `task`, `handler` or `engine`, or is not declared.",
    "unknown-event": "A guard waits for an event that the activity does not have.",
    "unknown-name": "A text uses a name that it does not declare, or a word that its language does not have.",
    "unknown-object": "A source or write names an object that is not there.",
    "unknown-outcome": "A source names an outcome that the activity does not have.",
    "unknown-place": "An arc or outcome names a place or transition that the net does not have.",
    "unknown-set": "A source names an input set that the activity does not have.",
    "unknown-variable": "A variable is read or written that nothing around declares.",
}

WARNINGS: Final = {
    "critical-resource": "A later task works where a critical one stays prepared, and may wait for its locks.",
    "cycle": "Activities wait for one another in a circle and may never start.",
    "ends-at-once": "A compound with children ends, repeats or marks as soon as it starts.",
    "hidden-name": "A variable has the name of a parameter and hides it.",
    "left-out": "Something that a text says is kept nowhere, or has no effect.",
    "loser": "Work of one that loses a race can be neither rolled back nor undone nor compensated.",
    "never": "Something is waited for that can't be seen from there.",
    "non-vital": "`vital=False` changes nothing in this block.",
    "unbound": "No registered task does the work of a task that a text names.",
}


class Fault(Struct, frozen=True):
    """One thing that is wrong or suspicious: where, what, and what to change."""

    severity: Literal["error", "warning"]
    code: str
    activity: str
    path: str
    message: str
    advice: str = ""
    trace: tuple[str, ...] = ()
    """What happens until then, step by step, where the fault is one of a run."""

    def __str__(self) -> str:
        advice = f"; {self.advice}" if self.advice else ""
        where = self.path or "the definition"
        return f"{self.severity} {self.code} at {where}: {self.message}{advice}{shown(self.trace)}"


def shown(trace: Sequence[str]) -> str:
    """The steps of a trace on lines of their own."""
    return "".join(f"\n    {number}. {step}" for number, step in enumerate(trace, 1))


class Invalid(Exception):
    """A definition, or the text of one, is wrong; `faults` has everything that is."""

    def __init__(self, subject: str, faults: Sequence[Fault]) -> None:
        self.faults = tuple(faults)
        errors = sum(fault.severity == "error" for fault in faults)
        count = f"{errors} error{'s' * (errors != 1)}"
        if len(faults) > errors:
            count += f", {len(faults) - errors} warning{'s' * (len(faults) - errors != 1)}"
        super().__init__("\n  ".join([f"{subject} is not well formed ({count}):", *map(str, faults)]))
