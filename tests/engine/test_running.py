"""The runner in memory: what each kind of work does, and what becomes of its results and errors."""

import asyncio
from datetime import timedelta
from typing import NamedTuple

import pytest

import weft
from tests.engine.processes import kinds, started
from weft import (
    Answers,
    Context,
    Ends,
    Net,
    Start,
    all_of,
    assign,
    call,
    choice,
    command,
    each,
    http,
    loop,
    person,
    process,
    race,
    signal,
    sql,
    task,
    timer,
    var,
)
from weft.assembly.running import in_memory
from weft.engine.clocks import HandClock, RealClock, VirtualClock
from weft.engine.problems import CannotRun, Endless, Problem, Unexpected
from weft.handlers.jobs import Stopped
from weft.kernel.refusals import NotDeclared, Refused
from weft.model import blocks, definition
from weft.model.definition import Function, Named, Process, Task


class GatewayDown(Exception):
    pass


class Slow(GatewayDown):
    pass


class Pair(NamedTuple):
    left: int
    right: str


# Functions.


def test_inputs_are_converted_to_what_the_function_asks_and_its_result_to_plain_data() -> None:
    @task
    def later(after: timedelta, names: set[str]) -> Pair:
        return Pair(int(after.total_seconds()), ",".join(sorted(names)))

    p = process("p", after=timedelta, names=set[str])(later.into("seconds", "all"))
    result = weft.run(p, after=timedelta(minutes=1), names={"b", "a"}).expect()
    assert result.values == {"seconds": 60, "all": "a,b"}


def test_the_outcome_is_chosen_by_the_class_that_is_returned() -> None:
    @task(outcomes={"number": int, "word": str}, aborts={"empty": type(None)})
    def read(text: str) -> int | str | None:
        return None if not text else int(text) if text.isdigit() else text

    @task
    def use(number: int) -> int:
        return number + 1

    p = process("p", text=str)(
        weft.flow(read, use.starts("start", read.on("number"), number=read.output("result", "number")).into("n"))
    )
    assert weft.run(p, text="41").values["n"] == 42
    assert weft.run(p, text="many").values.get("n") is None
    assert weft.run(p, text="").error == "task.empty"


def test_an_exception_is_the_error_declared_for_its_class_or_for_one_above() -> None:
    @task(errors={GatewayDown: "task.gateway"})
    def charge(kind: str) -> None:
        raise {"slow": Slow, "down": GatewayDown, "value": ValueError}[kind]("no answer")

    p = process("p", kind=str)(charge)
    assert weft.run(p, kind="down").error == "task.gateway"
    assert weft.run(p, kind="slow").error == "task.gateway"
    result = weft.run(p, kind="value")
    assert (result.error, result.message) == ("task.ValueError", "no answer")
    assert isinstance(result.exception, ValueError)


def test_one_that_wants_to_exit_only_fails_its_task() -> None:
    @task
    def leave() -> None:
        raise SystemExit

    result = weft.run(process("p")(leave))
    assert (result.error, result.message) == ("task.SystemExit", "SystemExit")


def test_an_interrupt_from_the_keyboard_is_not_taken_for_a_failure() -> None:
    @task
    def interrupted() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        weft.run(process("p")(interrupted))


def test_what_does_not_convert_fails_as_an_error_of_the_handler() -> None:
    @task
    def give() -> int:
        return "many"  # type: ignore[return-value]

    @task
    def odd() -> int:
        return object()  # type: ignore[return-value]

    @task
    def take(number: int) -> None: ...

    assert weft.run(process("p")(give)).error == "engine.schedule"
    assert weft.run(process("p")(give)).message.startswith("handler.output: ")
    assert weft.run(process("p")(odd)).message.startswith("handler.output: ")
    unwritten = process("p", variables={"number": None})(take)
    assert weft.run(unwritten).message.startswith("handler.input: ")


def test_a_result_that_is_none_of_the_outcomes_is_an_error_of_the_handler() -> None:
    @task(outcomes={"number": int, "word": str})
    def read() -> object:
        return 1.5

    result = weft.run(process("p")(read))
    assert result.message.startswith("handler.output: ")
    assert "none of its outcomes" in result.message


def test_defaults_of_parameters_are_the_functions_own() -> None:
    @task
    def charge(cents: int, method: str = "card") -> str:
        return f"{cents} by {method}"

    assert weft.run(process("p", cents=int)(charge.into("paid")), cents=5).values == {"paid": "5 by card"}


# The context.


def test_the_key_is_the_same_on_every_attempt_and_another_in_another_round() -> None:
    keys: list[tuple[str, int, int]] = []

    @task
    def charge(ctx: Context) -> None:
        keys.append((ctx.key, ctx.round, ctx.attempt))
        if ctx.attempt < 3:
            raise GatewayDown

    p = process("p", variables={"n": 0})(loop("n < 2", charge.retry(2), assign("count", n="n + 1")))
    instance = weft.run(p, Start(key="order-17")).expect().instance
    assert keys == [
        (f"{instance}/charge", 0, 1),
        (f"{instance}/charge", 0, 2),
        (f"{instance}/charge", 0, 3),
        (f"{instance}/charge@1", 1, 1),
        (f"{instance}/charge@1", 1, 2),
        (f"{instance}/charge@1", 1, 3),
    ]


def test_two_runs_have_different_keys() -> None:
    keys: list[str] = []

    @task
    def note(ctx: Context) -> None:
        keys.append(ctx.key)

    for _ in range(2):
        weft.run(process("p")(note))
    assert keys[0] != keys[1]


def test_a_mark_is_news_before_its_task_has_ended() -> None:
    order: list[str] = []

    @task(marks={"packed": str})
    def pack(ctx: Context) -> None:
        ctx.mark("packed", "box 7")
        order.append("pack ends")

    @task
    def label(box: str) -> None:
        order.append(f"label {box}")

    p = process("p")(weft.flow(pack, label.starts("start", pack.on("packed"), box=pack.output("result", "packed"))))
    result = weft.run(p).expect()
    assert order == ["pack ends", "label box 7"]
    assert kinds(result.facts, "pack") == ["Ready", "Started", "Marked", "Committed"]


def test_a_mark_that_is_not_declared_fails_its_task_with_a_reason() -> None:
    @task
    def pack(ctx: Context) -> None:
        ctx.mark("packed")

    result = weft.run(process("p")(pack))
    assert result.error == "task.TypeError"
    assert "declare it" in result.message


def test_the_next_attempt_goes_on_from_the_checkpoint() -> None:
    seen: list[object] = []

    @task(checkpoint=True)
    def copy(ctx: Context) -> None:
        seen.append(ctx.checkpoint)
        if ctx.checkpoint is None:
            ctx.save({"line": 100})
            raise GatewayDown

    weft.run(process("p")(copy.retry(1))).expect()
    assert seen == [None, {"line": 100}]


def test_only_a_task_declared_so_saves_checkpoints() -> None:
    @task
    def copy(ctx: Context) -> None:
        ctx.save(1)

    assert "checkpoint=True" in weft.run(process("p")(copy)).message


def test_a_heartbeat_raises_when_the_work_is_to_stop() -> None:
    @task(marks={"late": None})
    def work(ctx: Context) -> None:
        ctx.heartbeat()
        ctx.mark("late")
        ctx.heartbeat()

    p = process("p")(weft.flow(work).outcome("done", work.on("late")))
    result = weft.run(p).expect()
    assert kinds(result.facts, "work") == ["Ready", "Started", "Marked", "Stopping", "Aborted"]
    assert isinstance(in_memory(p).run({}).exception, Stopped | None)


# Coroutines.


def test_coroutines_run_side_by_side() -> None:
    met = asyncio.Event()

    @task
    async def first() -> str:
        await met.wait()
        return "first"

    @task
    async def second() -> str:
        met.set()
        return "second"

    p = process("p")(all_of(first.into("a"), second.into("b")))
    assert weft.run(p).expect().values == {"a": "first", "b": "second"}


def test_a_loser_is_cancelled_and_has_ended_before_the_race_has() -> None:
    @task
    async def never() -> None:
        await asyncio.Event().wait()

    @task
    async def at_once() -> None: ...

    result = weft.run(process("p")(race(never, at_once))).expect()
    assert kinds(result.facts, "never") == ["Ready", "Started", "Stopping", "Aborted"]


def test_one_that_ends_although_it_was_cancelled_is_taken_back() -> None:
    taken_back: list[str] = []

    @task
    async def stubborn() -> str:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            return "sent"
        return ""

    @task
    def refund(what: str) -> None:
        taken_back.append(what)

    @task
    async def at_once() -> None: ...

    weft.run(process("p")(race(stubborn.into("what").compensated_by(refund), at_once))).expect()
    assert taken_back == ["sent"]


def test_idempotent_work_is_stopped_at_once_and_its_late_result_passed_over() -> None:
    @task(idempotent=True)
    async def look() -> str:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            return "late"
        return ""

    @task
    async def at_once() -> None: ...

    result = weft.run(process("p")(race(look, at_once))).expect()
    assert kinds(result.facts, "look") == ["Ready", "Started", "Aborted"]


def test_a_coroutine_that_still_runs_when_its_process_ends_is_cancelled() -> None:
    ends: list[str] = []

    @task(idempotent=True)
    async def look() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ends.append("cancelled")

    @task
    async def at_once() -> None:
        raise GatewayDown

    assert weft.run(process("p")(all_of(look, at_once))).outcome == "aborted"
    assert ends == ["cancelled"]


def test_it_runs_inside_a_running_loop_too() -> None:
    @task
    async def nothing() -> int:
        return 1

    async def run() -> weft.Result:
        return weft.run(process("p")(nothing.into("one")))

    assert asyncio.run(run()).values == {"one": 1}


def test_a_deadline_stops_a_coroutine_in_real_time() -> None:
    @task
    async def never() -> None:
        await asyncio.Event().wait()

    p = process("p")(never.within(timedelta(milliseconds=20), fail=True))
    result = in_memory(p, clock=RealClock()).run({})
    assert result.error == "engine.deadline"


# Other kinds of work.


def test_timers_occur_when_nothing_else_is_to_be_done() -> None:
    clock = VirtualClock(1_000.0)
    p = process("p")(timer("pause", timedelta(hours=2)))
    assert in_memory(p, clock=clock).run({}).outcome == "done"
    assert clock.now() == 1_000.0 + 7_200


def test_a_timer_may_get_its_seconds_as_data() -> None:
    clock = VirtualClock()
    p = process("p", pause=float)(timer("wait").using(seconds=var("pause")))
    in_memory(p, clock=clock).run({"pause": 12.5})
    assert clock.now() == 12.5


def test_by_a_clock_that_stands_still_the_run_waits_for_its_timer() -> None:
    p = process("p")(timer("pause", timedelta(hours=2)))
    result = in_memory(p, clock=HandClock()).run({})
    assert (result.status, result.waits) == ("waiting", ("the timer pause",))


def test_retries_wait_longer_each_time() -> None:
    clock = VirtualClock()
    times: list[float] = []

    @task
    def charge() -> None:
        times.append(clock.now())
        raise GatewayDown

    p = process("p")(charge.retry(3, delay=timedelta(seconds=10), factor=2))
    in_memory(p, clock=clock).run({})
    assert times == [0, 10, 30, 70]


def test_assignments_compute_variables() -> None:
    p = process("p", n=int)(assign("double", twice="n * 2", more="n + 1"))
    assert weft.run(p, n=4).values == {"twice": 8, "more": 5}


def test_an_assignment_that_can_not_be_computed_fails() -> None:
    p = process("p", n=int)(assign("divide", part="1 / n"))
    assert weft.run(p, n=0).error == "engine.expression"


def test_an_assignment_of_the_wrong_type_is_an_error_of_the_handler() -> None:
    outcome = definition.Outcome("done", types={"n": "int"})
    work = Task(name="work", handler=definition.Assign({"n": "'many'"}), outcomes=(outcome, definition.ABORTED))
    assert weft.run(Process(name="p", body=blocks.serial(work, name="p"))).message.startswith("handler.output: ")


def test_people_answer_what_was_said_beforehand_and_else_the_run_waits() -> None:
    p = process("p", cents=int)(
        person("approve", role="manager", gives=bool).using(cents=var("cents")).into("approved")
        >> choice({"approved": person("sign")})
    )
    result = weft.run(p, cents=5)
    assert (result.status, result.waits) == ("waiting", ("approve (a task for the role manager)",))
    result = weft.run(p, Answers(approve=lambda cents: cents < 10), cents=5)
    assert result.waits == ("sign (a task for people)",)
    assert weft.run(p, Answers(approve=lambda cents: cents < 10), cents=50).outcome == "done"


def test_a_person_may_end_in_another_outcome() -> None:
    p = process("p")(person("approve", gives=bool, aborts={"refused": str}))
    result = weft.run(p, Answers(approve=Ends("refused", "too dear")))
    assert (result.outcome, result.error) == ("aborted", "task.refused")


def test_an_answer_that_does_not_fit_fails_the_task() -> None:
    p = process("p")(person("approve", gives=bool))
    assert weft.run(p, Answers(approve="perhaps")).message.startswith("handler.output: ")
    assert weft.run(process("p")(person("sign")), Answers(sign=3)).message.startswith("handler.output: ")


def test_a_signal_is_waited_for_and_kept() -> None:
    p = process("p")(signal("paid", gives=int).into("sum") >> signal("again", "paid", gives=int).into("second"))
    runner = in_memory(p)
    result = runner.run({})
    assert result.waits == ("the signal 'paid'",)
    with pytest.raises(Refused):
        runner.signal("paid", result="much")
    result = runner.signal("paid", result=3)
    assert result.waits == ("the signal 'paid' (again)",)
    assert runner.signal("paid", result=4).values == {"sum": 3, "second": 4}


def test_a_signal_that_comes_early_is_kept_for_who_asks_and_lost_for_who_does_not_keep() -> None:
    p = process("p")(signal("go") >> signal("now", keep=False) >> signal("paid", gives=int).into("sum"))
    runner = in_memory(p)
    runner.run({})
    runner.signal("now")
    runner.signal("paid", result=3)
    result = runner.signal("go")
    assert result.waits == ("the signal 'now'",)
    assert runner.signal("now").values == {"sum": 3}


def test_a_kept_signal_that_does_not_fit_fails_the_task_that_asks_for_it() -> None:
    p = process("p")(signal("go") >> signal("paid", gives=int).into("sum"))
    runner = in_memory(p)
    runner.run({})
    runner.signal("paid", result="much")
    assert runner.signal("go").message.startswith("handler.output: ")


def test_what_loses_a_deferred_choice_is_withdrawn() -> None:
    p = process("p")(weft.pick(signal("yes"), signal("no"), person("ask")))
    runner = in_memory(p)
    runner.run({})
    result = runner.signal("no")
    assert result.outcome == "done"
    assert kinds(result.facts, "yes") == ["Ready", "Skipped"]


# In nets.


def test_the_work_of_a_net_may_be_for_people_timers_and_signals() -> None:
    def net_with(operation: weft.Activity) -> Process:
        net = Net("net")
        begin, end = net.place("begin", int, tokens=[1, 2]), net.place("end", int, output="all")
        net.transition("work", take={"n": begin}, do=operation, put={"n": end})
        return process("net")(net)

    waiting = weft.run(net_with(person("ask")))
    assert len(waiting.waits) == 2
    assert all(one.endswith("(a task for people)") for one in waiting.waits)
    assert weft.run(net_with(person("ask")), Answers(ask=None)).expect().values == {"end": [1, 2]}
    assert weft.run(net_with(timer("pause", timedelta(hours=1)))).expect().values == {"end": [1, 2]}
    runner = in_memory(net_with(signal("go")))
    assert runner.run({}).status == "waiting"
    assert runner.signal("go").expect().values == {"end": [1, 2]}
    assert weft.run(net_with(assign("add", more="n + 1").using(n=var("n")))).expect().values == {"end": [1, 2]}


def test_an_offer_of_a_net_whose_token_has_left_is_withdrawn() -> None:
    net = Net("net")
    begin, end = net.place("begin", int, tokens=[1]), net.place("end", int, output="all")
    net.transition("one", take={"n": begin}, do=signal("left"), put={"n": end})
    net.transition("two", take={"n": begin}, do=person("right"), put={"n": end})
    runner = in_memory(process("net")(net))
    assert len(runner.run({}).waits) == 2
    assert runner.signal("left").expect().values == {"end": [1]}


# Compounds.


def test_a_map_runs_its_body_for_every_item() -> None:
    @task
    def double(n: int) -> int:
        return n * 2

    p = process("p", numbers=list[int])(each("n", "numbers", double, at_most=3, into="doubled"))
    assert weft.run(p, numbers=[*range(500)]).expect().values["doubled"] == [n * 2 for n in range(500)]


def test_called_processes_are_those_that_the_run_was_given() -> None:
    @task
    def add(n: int) -> int:
        return n + 1

    inner = process("inner", n=int)(add.into("sum"))
    outer = process("outer", n=int)(call(inner).into("sum"))
    assert weft.run(outer, inner, n=1).expect().values == {"sum": 2}
    result = weft.run(outer, n=1)
    assert result.error == "engine.no_process"
    assert "no process 'inner' is known" in result.message


def test_a_process_may_be_called_in_a_version() -> None:
    def version(number: str) -> Process:
        return process("inner", version=number)(assign("set", v=number))

    outer = process("outer")(call(version("2"), version="2").into("v"))
    assert weft.run(outer, version("1"), version("2")).values == {"v": 2}
    assert "in version 2" in weft.run(outer, version("1")).message


def test_a_long_decision_is_gone_on_with() -> None:
    p = process("p", variables={"n": 0})(loop("n < 300", assign("count", n="n + 1")))
    result = weft.run(p).expect()
    assert kinds(result.facts).count("Repeated") == 300
    assert result.values == {"n": 300}


def test_a_loop_without_an_end_is_stopped_with_a_reason() -> None:
    p = process("p", variables={"n": 0})(loop("n < 1", assign("nothing", n="n * 1")))
    with pytest.raises(Endless, match="for ever"):
        in_memory(p, facts_max=1_000).run({})


def test_urgent_work_begins_first() -> None:
    order: list[str] = []

    @task
    def slow() -> None:
        order.append("slow")

    @task
    def urgent() -> None:
        order.append("urgent")

    weft.run(process("p")(all_of(slow, urgent.priority(5)))).expect()
    assert order == ["urgent", "slow"]


def test_what_holds_one_name_runs_one_after_the_other() -> None:
    @task
    async def one() -> None: ...

    @task
    async def two() -> None: ...

    result = weft.run(process("p")(all_of(one.holds("desk"), two.holds("desk")))).expect()
    order = [(type(fact).__name__, fact.path) for fact in result.facts if fact.path in ("one", "two")]
    assert order.index(("Committed", "one")) < order.index(("Started", "two"))


def test_transactional_work_waits_for_leave_and_commits() -> None:
    @task(transaction="transactional", resource="db")
    def debit() -> None: ...

    @task(transaction="transactional", resource="db")
    def credit() -> None: ...

    result = weft.run(process("p")(race(debit, credit))).expect()
    assert "Granted" in kinds(result.facts, "debit")


def test_a_critical_task_commits_with_the_process_and_its_branch_is_settled() -> None:
    @task(transaction="two_phase", resource="db")
    def debit() -> None: ...

    @task
    def fail() -> None:
        raise GatewayDown

    assert "Settled" in kinds(weft.run(process("p")(debit.critical())).expect().facts)
    assert "RolledBack" in kinds(weft.run(process("p")(debit.critical() >> fail)).facts)


# Starting and ending.


def test_inputs_that_are_wrong_are_refused_before_anything_runs() -> None:
    p = process("p", cents=int)(person("pay"))
    with pytest.raises(NotDeclared, match="cents is missing"):
        weft.run(p)
    with pytest.raises(Refused):
        weft.run(p, cents="many")


def test_work_that_nobody_allowed_is_refused_before_anything_runs() -> None:
    p = process("p")(
        command("convert", "ffmpeg") >> http("notify", "crm") >> sql("insert", "db", "insert into t values (1)")
    )
    with pytest.raises(CannotRun) as refused:
        weft.run(p)
    assert len(refused.value.reasons) == 3
    assert all("in weft.toml" in reason for reason in refused.value.reasons)


def test_a_task_without_code_is_refused_with_what_to_do() -> None:
    body = blocks.serial(Task(name="a", handler=Function("nowhere:a")), Task(name="b", handler=Named("b")), name="p")
    with pytest.raises(CannotRun, match="--tasks nowhere") as refused:
        weft.run(Process(name="p", body=body))
    assert "no registered task is called 'b'" in str(refused.value)


def test_a_named_task_is_bound_to_the_one_that_was_given() -> None:
    @task
    def work() -> int:
        return 3

    body = blocks.serial(Task(name="work", handler=Named("work")), name="p")
    assert "work" in started(weft.run(Process(name="p", body=body), work).expect().facts)


def test_what_a_called_process_can_not_do_is_known_before_the_start() -> None:
    inner = process("inner")(command("convert", "ffmpeg"))
    with pytest.raises(CannotRun, match="convert"):
        weft.run(process("outer")(call(inner)), inner)


def test_options_that_are_none_are_refused() -> None:
    p = process("p", version="1")(person("pay"))
    with pytest.raises(Problem, match="version"):
        weft.run(p, Start(version="2"))
    with pytest.raises(Problem, match="no option"):
        weft.run(p, 3)  # type: ignore[arg-type]
    with pytest.raises(Problem, match="no process"):
        weft.run(person("pay"))  # type: ignore[arg-type]
    assert weft.run(p, Start(version="1")).status == "waiting"


def test_expecting_another_end_says_what_happened_and_shows_the_cause() -> None:
    @task
    def fail() -> None:
        raise GatewayDown("nobody answers")

    with pytest.raises(
        Unexpected, match=r"ended as 'aborted' with the error task.GatewayDown \(nobody answers\)"
    ) as told:
        weft.run(process("p")(fail)).expect("done")
    assert isinstance(told.value.__cause__, GatewayDown)
    with pytest.raises(Unexpected, match="waits for ask"):
        weft.run(process("p")(person("ask"))).expect()


def test_a_stuck_process_says_what_is_in_the_way() -> None:
    a, b = person("a"), person("b")
    p = process("p")(weft.flow(a, b).outcome("done", a.on("skipped")).outcome("aborted", b.on("aborted"), kind="abort"))
    result = weft.run(p, Answers(a=None, b=None))
    assert (result.status, result.error) == ("stuck", "engine.stuck")
    assert "can't go on" in result.waits[0]
    with pytest.raises(Unexpected, match="is stuck"):
        result.expect()


def test_one_who_watches_is_told_every_decision() -> None:
    told: list[str] = []
    p = process("p")(assign("set", n="1"))
    result = in_memory(p, watch=lambda _, facts: told.extend(kinds(facts))).run({})
    assert told == kinds(result.facts)
    assert started(result.facts) == ["p", "set"]
