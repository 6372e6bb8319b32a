"""More work than there are places for: it waits in queues, and all of it is done."""

from weft import Engine, all_of, process, serial, task
from weft.assembly import operations


@task(idempotent=True)
def nothing() -> None: ...


STEPS = [nothing.named(f"step{number}") for number in range(4)]
many = process("many")(serial(STEPS[0], all_of(STEPS[1], STEPS[2]), STEPS[3]))


def test_instances_that_wait_for_places_are_begun_in_later_turns() -> None:
    with Engine("memory:") as engine:
        engine.deploy(many)
        asked = [engine._serving.ask(operations.run("many", (), {})) for _ in range(1500)]
        assert {one.result(timeout=30).outcome for one in asked} == {"done"}
        assert not engine._serving.down
