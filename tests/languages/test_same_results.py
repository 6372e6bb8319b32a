"""One process of people in four languages: for the same results, failures too, the same facts."""

import pytest

import weft
from weft.handlers.values import Fails, Script
from weft.kernel.facts import AnyFact
from weft.languages.registry import LANGUAGES
from weft.model.definition import Process
from weft.model.wellformed import check

TASKS = ("ask", "pack", "bill", "ship")

MFDL = """
USER_ACTIVITY asking (OUT string note) PARTICIPANT clerk;
USER_ACTIVITY work (IN string note) PARTICIPANT clerk;
DEFINE_PROCESS order ()
{
    ACTIVITY asking ask;
    ACTIVITY work pack, bill, ship;
    VAR string note;
    ask(note);
    AND_PARALLEL { pack(note); bill(note); }
    ship(note);
}
"""
PDL = """
WORKFLOW order {
  STRING note { VALUE ""; }
  TASK ask: Asking { OUT_CONTEXT note; }
  TASK pack: Work { DEPENDS ask -> SUCCEEDED; IN_CONTEXT note; }
  TASK bill: Work { DEPENDS ask -> SUCCEEDED; IN_CONTEXT note; }
  TASK ship: Work { DEPENDS AND (pack -> SUCCEEDED, bill -> SUCCEEDED); IN_CONTEXT note; }
}
TASK Asking { TYPE MANUAL; ROLE clerk; }
TASK Work { TYPE MANUAL; ROLE clerk; }
"""
OPENFLOW = """
taskclass Order { outcome done; abort outcome aborted; }
taskclass Asking { outcome done { note: str; } abort outcome aborted; }
taskclass Work { input set start { note: str; } outcome done; abort outcome aborted; }
compound task order of Order {
    task ask of Asking { implementation person clerk; }
    task pack of Work { implementation person clerk; input set start { note from note of ask; } }
    task bill of Work { implementation person clerk; input set start { note from note of ask; } }
    task ship of Work {
        implementation person clerk;
        input set start { note from note of ask; notification from pack if done; notification from bill if done; }
    }
    outcome done { notification from ship if done; }
    outcome aborted { notification from ask if aborted, pack if aborted, bill if aborted, ship if aborted; }
}
"""


def in_python() -> Process:
    ask = weft.person("ask", role="clerk", gives={"note": str}).into("note")
    pack, bill, ship = (
        weft.person(name, role="clerk").using(note=weft.var("note")) for name in ("pack", "bill", "ship")
    )
    return weft.process("order")(weft.serial(ask, weft.all_of(pack, bill), ship))


def in_text(language: str, text: str) -> Process:
    reading = LANGUAGES[language].read(text.encode(), "order")
    [process] = reading.processes
    assert not [fault for fault in check(process) if fault.severity == "error"]
    return process


def processes() -> dict[str, Process]:
    texts = {"mfdl": MFDL, "pdl": PDL, "openflow": OPENFLOW}
    return {"python": in_python(), **{name: in_text(name, text) for name, text in texts.items()}}


def told(facts: tuple[AnyFact, ...], is_over: bool) -> list[tuple[object, ...]]:
    """What is said of each task: which fact, with which inputs, objects and error.

    A task in a block that was skipped is skipped with it and has no fact of its own.
    """
    found: list[tuple[object, ...]] = []
    for fact in facts:
        name = fact.path.rpartition("/")[2]
        if name in TASKS:
            said = [getattr(fact, field, None) for field in ("inputs", "values", "error", "attempt", "round")]
            found.append((type(fact).__name__, name, *said))
    unsaid = set(TASKS) - {one[1] for one in found}
    found += [("Skipped", name, None, None, None, 1, 0) for name in unsaid if is_over]
    return sorted(found, key=lambda one: TASKS.index(str(one[1])))


STORIES: dict[str, dict[str, list[object]]] = {
    "all is well": {"ask": ["soon"], "pack": [None], "bill": [None], "ship": [None]},
    "the first fails": {"ask": [Fails("task.nobody", "all are ill")], "pack": [None], "bill": [None], "ship": [None]},
    "one of both fails": {"ask": ["soon"], "pack": [None], "bill": [Fails("task.money")], "ship": [None]},
    "the last fails": {"ask": ["soon"], "pack": [None], "bill": [None], "ship": [Fails("task.snow")]},
    "somebody is waited for": {"ask": ["soon"], "pack": [None], "ship": [None]},
}


@pytest.mark.parametrize("story", STORIES)
def test_the_same_results_make_the_same_facts_in_every_language(story: str) -> None:
    found = {}
    for language, process in processes().items():
        answers = weft.Answers({name: Script(results) for name, results in STORIES[story].items()})
        result = weft.run(process, answers)
        found[language] = told(result.facts, is_over=result.status == "ended")
        if language != "pdl":  # where a task that fails does not end the process
            assert result.outcome == {"all is well": "done", "somebody is waited for": ""}.get(story, "aborted")
    expected = found.pop("python")
    assert {one[1] for one in expected} >= {"ask", "pack", "bill"}
    for language, facts in found.items():
        assert facts == expected, language
