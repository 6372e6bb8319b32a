"""An engine to be killed: a program that starts many instances, whose tasks write into a ledger what they do."""

import os
import sys
from threading import Thread

from weft import Engine, Start, process, task
from weft.kernel import facts

LEDGER = (
    os.open(os.environ["WEFT_LEDGER"], os.O_WRONLY | os.O_CREAT | os.O_APPEND) if "WEFT_LEDGER" in os.environ else -1
)
STARTERS = 8


def note(step: str, number: int) -> None:
    os.write(LEDGER, f"{step} {number}\n".encode())


@task(idempotent=True)
def first(number: int) -> int:
    note("first", number)
    return number


@task
def second(number: int) -> int:
    note("second", number)
    return number


@task(idempotent=True)
def third(number: int) -> int:
    note("third", number)
    return number


@task
def fourth(number: int) -> int:
    note("fourth", number)
    return number


chain = process("chain", number=int)(first >> second >> third >> fourth)


def begin(engine: Engine, numbers: range) -> None:
    for number in numbers:
        engine.start("chain", Start(key=f"number-{number}"), number=number)


def work(url: str, instances: int) -> None:
    """Starts what is not started yet, and goes on until it is killed."""
    engine = Engine(url, tasks=[sys.modules[__name__]])
    engine.deploy(chain)
    print("serves", flush=True)
    starters = [Thread(target=begin, args=(engine, range(one, instances, STARTERS))) for one in range(STARTERS)]
    for starter in starters:
        starter.start()
    sys.stdin.read()


def finish(url: str, instances: int) -> None:
    """Goes on until all have ended, and has done again what nobody knows the end of; prints what that was."""
    with Engine(url, tasks=[sys.modules[__name__]]) as engine:
        engine.deploy(chain)
        begin(engine, range(instances))
        while open_ones := [row for row in engine.instances(at_most=10_000) if row.ended is None]:
            for row in open_ones:
                for path in doubted(engine, row.id):
                    print(f"again {path} {row.key}", flush=True)
                    engine.retry(row.id, path)
                    engine.result(row.id)
        for row in engine.instances(at_most=10_000):
            print(f"ended {row.key} {row.outcome} {committed(engine, row.id)}")


def doubted(engine: Engine, instance: int) -> list[str]:
    """What a person is asked about and has not answered."""
    found: list[str] = []
    for decision in engine.history(instance):
        for fact in decision.facts:
            if isinstance(fact, facts.Doubted):
                found.append(fact.path)
            elif fact.path in found:
                found.remove(fact.path)
    return found


def committed(engine: Engine, instance: int) -> int:
    told = [fact for decision in engine.history(instance) for fact in decision.facts]
    return sum(isinstance(fact, facts.Committed) for fact in told)
