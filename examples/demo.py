"""A check-up in a hospital, told as it happens: a choice, a loop, a race, an abort and a compensation (`make demo`).

The process is that of paper 001, section 2. Every fact is flushed to a SQLite file
before the next step begins; the people are played.
"""

import asyncio
import tempfile
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.panel import Panel
from rich.table import Table
from rich.tree import Tree

from weft import Answers, Result, all_of, choice, loop, person, process, race, task, var
from weft.assembly.running import in_memory
from weft.kernel import facts
from weft.kernel.facts import AnyFact
from weft.store.opening import open_store

console = Console(highlight=False, width=100)
patients: dict[int, str] = {7: "last year"}
FILE = Path(tempfile.mkdtemp(prefix="weft-demo-"), "weft.db")
STORE = f"sqlite:///{FILE}"

# What programs do.


class SamplesMixedUp(Exception):
    """The doctor can't trust the results."""


@task
def register() -> int:
    patients[8] = "today"
    return 8


@task
def delete(patient_id: int) -> None:
    del patients[patient_id]


@task(errors={SamplesMixedUp: "task.mixed_up"})
def check(result1: list[str], result2: list[str] | None) -> str:
    if "whose?" in result1:
        raise SamplesMixedUp("two samples bear the same name")
    return "healthy"


async def nobody_comes() -> None:
    await asyncio.Event().wait()


@task
async def cash(customer: str) -> str:
    if customer != "with cash":
        await nobody_comes()
    return "paid in cash"


@task
async def credit(customer: str) -> str:
    if customer != "with a card":
        await nobody_comes()
    return "paid by credit"


# What people do, and the process.

examine = person("examine", role="doctor", gives={"blood_tests": list[int], "pictures": list[str]})
blood = person("blood", role="laborant", gives=list[str]).using(tests=var("blood_tests"))
roentgen = person("roentgen", role="roentgenologist", gives=list[str] | None).using(what=var("pictures"))

check_up = process("check_up", patient_id=int, customer=str, variables={"result2": None})(
    choice({"patient_id == 0": register.into("patient_id").compensated_by(delete)})
    >> examine.using(patient_id=var("patient_id")).into("blood_tests", "pictures")
    >> all_of(blood.into("result1"), loop("result2 == None", roentgen.into("result2")))
    >> check.into("diagnosis")
    >> race(cash.into("payment"), credit.into("payment"))
)


def picture() -> Tree:
    tree = Tree("[bold]check_up[/]")
    tree.add(row("if the patient is new: register", "taken back by delete"))
    tree.add(row("examine", "a doctor"))
    both = tree.add("both at once:")
    both.add(row("blood", "a laborant", 4))
    both.add(row("while there is no clear picture: roentgen", "", 4))
    tree.add(row("check", "may find that nothing can be trusted"))
    tree.add(row("exactly one of: cash | credit", "both begin, one counts"))
    return tree


def row(what: str, note: str, depth: int = 0) -> str:
    return f"{what:<{44 - depth}}[dim]{note}[/]"


# How facts are told. `{…}` are fields of the fact.

Line = tuple[str, str, str]
GREEN, YELLOW, RED, CYAN, DIM = "green", "yellow", "red", "cyan", "dim"

LINES: dict[tuple[type, str], Line] = {
    (facts.Ready, "examine"): (CYAN, "→", "offered to the doctors"),
    (facts.Ready, "blood"): (CYAN, "→", "offered to the laborants,"),
    (facts.Started, "register"): (CYAN, "→", "a program runs"),
    (facts.Skipped, "register"): (DIM, "–", "skipped: there is nothing to do"),
    (facts.Committed, "register"): (GREEN, "✔", "done, the patient has number {result}"),
    (facts.Committed, "examine"): (GREEN, "✔", "done: blood tests {blood_tests}, a picture of the {pictures}"),
    (facts.Committed, "blood"): (GREEN, "✔", "done: {result}"),
    (facts.Committed, "check"): (GREEN, "✔", "done: {result}"),
    (facts.Started, "cash"): (CYAN, "→", "begins: the till is open,"),
    (facts.Started, "credit"): (CYAN, "→", "and the card terminal waits too: a race"),
    (facts.Committed, "cash"): (GREEN, "★", "was first, so it has leave to commit"),
    (facts.Committed, "credit"): (GREEN, "★", "was first, so it has leave to commit"),
    (facts.Stopping, "cash"): (YELLOW, "■", "told to stop, for only one payment may count"),
    (facts.Stopping, "credit"): (YELLOW, "■", "told to stop, for only one payment may count"),
    (facts.Aborted, "cash"): (YELLOW, "■", "has stopped, and taken nothing"),
    (facts.Aborted, "credit"): (YELLOW, "■", "has stopped, and taken nothing"),
    (facts.Aborted, "check"): (RED, "✗", "failed with {error}: {message}"),
    (facts.Aborting, "check_up"): (RED, "✗", "can't be saved, so it aborts: what was done is taken back"),
    (facts.Compensating, "register"): (YELLOW, "↩", "committed before, so it must be compensated"),
    (facts.Started, "register/compensation"): (YELLOW, "↩", "delete runs"),
    (facts.Compensated, "register"): (YELLOW, "↩", "is as if it had never been"),
}


def told(fact: AnyFact) -> tuple[str, Line] | None:
    """The activity and the line for a fact; None for those that would only tire the reader."""
    if isinstance(fact, facts.Answered) and "patient_id" in fact.key:
        return "if", (CYAN, "?", "is the patient new? " + ("yes" if fact.answer else "no, the hospital knows them"))
    if isinstance(fact, facts.Answered) and fact.round:
        question = "is the picture still unclear? " + ("yes: another round" if fact.answer else "no: the loop ends")
        return "while", (CYAN, "↻", question)
    if fact.path == "roentgen" and isinstance(fact, facts.Ready):
        return "roentgen", (CYAN, "→", "and to the roentgenologists" if not fact.round else "offered once more")
    if fact.path == "roentgen" and isinstance(fact, facts.Committed):
        quality = f"done: {fact.values['result'][0]}" if fact.values["result"] else "done, but the picture is not clear"  # type: ignore[index]
        return "roentgen", (GREEN, "✔", quality)
    line = LINES.get((type(fact), fact.path))
    return None if line is None else (fact.path.replace("register/compensation", "delete"), line)


def narrator() -> Callable[[float, Sequence[AnyFact]], None]:
    def tell(_: float, news: Sequence[AnyFact]) -> None:
        for fact in news:
            found = told(fact)
            if found is not None:
                path, (style, sign, text) = found
                values: dict[str, object] = dict(getattr(fact, "values", {}))
                fields = {"error": getattr(fact, "error", ""), "message": getattr(fact, "message", ""), **values}
                shown = {name: plain(value) for name, value in fields.items()}
                console.print(
                    f"   [{style}]{sign}[/] [bold]{path:<10}[/] {escape(text.format_map(shown))}", soft_wrap=True
                )

    return tell


def plain(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value))  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    return str(value)


def act(title: str, why: str, patient_id: int, customer: str, answers: Answers) -> Result:
    console.print()
    console.rule(f"[bold]{title}[/]", align="left")
    console.print(f"   [dim]{why}[/]\n")
    with closing(open_store(STORE)) as store:
        runner = in_memory(check_up, answers, watch=narrator(), store=store)
        result = runner.run({"patient_id": patient_id, "customer": customer})
    style = GREEN if result.committed else RED
    end = "committed" if result.committed else f"aborted with {result.error}"
    console.print(f"   [{style}]●[/] [bold]check_up[/]   [{style}]{end}[/]; registered: {book()}")
    return result


def book() -> str:
    return ", ".join(f"{number} ({since})" for number, since in patients.items())


def hospital(blood_result: str, pictures: list[list[str] | None]) -> Answers:
    def take_picture(what: list[str]) -> list[str] | None:
        return pictures.pop(0)

    return Answers(
        examine={"blood_tests": [1, 4], "pictures": ["left hand"]}, blood=[blood_result], roentgen=take_picture
    )


def main() -> None:
    console.print(Panel("[bold]Weft[/]: a process of paper 001, a check-up in a hospital", expand=False))
    console.print(picture())

    first = act(
        "A new patient, and two pictures",
        "Number 0 means new, so register runs. The first picture is not clear, so the loop goes round.",
        0,
        "with a card",
        hospital("normal", [None, ["a clear picture"]]),
    )
    assert first.outcome == "done"
    assert first.values["payment"] == "paid by credit"

    del patients[8]
    second = act(
        "A new patient, and everything goes wrong",
        "The laborant mixes up two samples. The check fails when the patient is already in the book.",
        0,
        "with a card",
        hospital("whose?", [["a clear picture"]]),
    )
    assert (second.outcome, second.error) == ("aborted", "task.mixed_up")
    assert 8 not in patients

    third = act(
        "Patient 7, whom the hospital knows",
        "There is nothing to register. This time the till is faster than the terminal.",
        7,
        "with cash",
        hospital("normal", [["a clear picture"]]),
    )
    assert third.values["payment"] == "paid in cash"

    summary = Table(title="What you saw", show_header=False, box=None, title_justify="left", padding=(0, 2, 0, 0))
    summary.add_row("choice", "a condition over the process's data, asked once; its answer is a fact")
    summary.add_row("loop", "the same activity in several rounds, until its condition is false")
    summary.add_row("race", "both begin; the first has leave to commit, the other is stopped and waited for")
    summary.add_row("abort", "one failure that nothing caught ends the whole, one way")
    summary.add_row("compensation", "what had committed is taken back, from the last to the first")
    count = sum(len(result.facts) for result in (first, second, third))
    console.print()
    console.print(summary)
    console.print(
        f"\nAll of it is {count} facts in {FILE}. Nothing else is kept: the state is what they make of it.\n"
        f"To look at it:      [bold]weft list --store {STORE}[/]\n"
        "To see every one:  [bold]weft run examples/check_up.py --input patient_id=7 --verbose[/]\n"
        "To write your own: [bold]docs/tutorial/first-process.md[/]"
    )


if __name__ == "__main__":
    main()
