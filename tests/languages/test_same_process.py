"""One process in MFDL, PDL, OPENflow script and Python: the same results bring the same facts."""

import pytest

from weft import Process, process, run, task
from weft.kernel import facts
from weft.languages.registry import named


@task
def order(sku: str) -> str:
    return f"order of {sku}"


@task
def pay(order: str) -> str:
    return f"paid {order}"


@task
def pack(order: str) -> str:
    return f"packed {order}"


@task
def send(paid: str, packed: str) -> str:
    return f"{paid}, {packed}"


PYTHON = process("shop", sku=str)(
    order.into("order") >> (pay.into("paid") & pack.into("packed")).named("both") >> send.into("parcel")
)

MFDL = """
NON_TRANS_ACTIVITY order (IN string sku, OUT string order);
NON_TRANS_ACTIVITY pay (IN string order, OUT string paid);
NON_TRANS_ACTIVITY pack (IN string order, OUT string packed);
NON_TRANS_ACTIVITY send (IN string paid, IN string packed, OUT string parcel);

DEFINE_PROCESS shop (IN string sku, OUT string parcel)
{
    ACTIVITY order order;
    ACTIVITY pay pay;
    ACTIVITY pack pack;
    ACTIVITY send send;
    VAR string order, paid, packed;

    order(sku, order);
    AND_PARALLEL { pay(order, paid); pack(order, packed); }
    send(paid, packed, parcel);
}
"""

PDL = """
WORKFLOW shop {
    STRING sku { VALUE ""; }
    STRING order { VALUE ""; }
    STRING paid { VALUE ""; }
    STRING packed { VALUE ""; }
    STRING parcel { VALUE ""; }
    TASK order: order { IN_CONTEXT sku; OUT_CONTEXT order; }
    TASK pay: pay { DEPENDS order -> SUCCEEDED; IN_CONTEXT order; OUT_CONTEXT paid; }
    TASK pack: pack { DEPENDS order -> SUCCEEDED; IN_CONTEXT order; OUT_CONTEXT packed; }
    TASK send: send { DEPENDS AND (pay -> SUCCEEDED, pack -> SUCCEEDED); IN_CONTEXT paid, packed; OUT_CONTEXT parcel; }
}
TASK order { TYPE AUTOMATIC; }
TASK pay { TYPE AUTOMATIC; }
TASK pack { TYPE AUTOMATIC; }
TASK send { TYPE AUTOMATIC; }
"""

SCRIPT = """
taskclass Shop { input set start { sku: str; } outcome done { parcel: str; } }
taskclass order { input set start { sku: str; } outcome done { order: str; } }
taskclass pay { input set start { order: str; } outcome done { paid: str; } }
taskclass pack { input set start { order: str; } outcome done { packed: str; } }
taskclass send { input set start { paid: str; packed: str; } outcome done { parcel: str; } }

compound task shop of Shop {
    task order of order { input set start { sku from sku of shop; } }
    task pay of pay { input set start { order from order of order; } }
    task pack of pack { input set start { order from order of order; } }
    task send of send { input set start { paid from paid of pay; packed from packed of pack; } }
    outcome done { parcel from parcel of send; }
}
"""


def processes() -> dict[str, Process]:
    texts = {"mfdl": MFDL, "pdl": PDL, "openflow": SCRIPT}
    return {"python": PYTHON} | {
        name: named(name).read(text.encode(), name).processes[0] for name, text in texts.items()
    }


def told(one: Process) -> list[tuple[str, str, list[object]]]:
    """What became of each task, in order; objects have names of their own in each language."""
    found = run(one, order, pay, pack, send, sku="lamp").facts
    values = [fact.values if isinstance(fact, facts.Committed) else {} for fact in found]
    tasks = ("order", "pay", "pack", "send")
    return [
        (type(fact).__name__, fact.path, list(given.values()))
        for fact, given in zip(found, values, strict=True)
        if fact.path.rpartition("/")[2] in tasks
    ]


@pytest.mark.parametrize("language", ["mfdl", "pdl", "openflow"])
def test_the_same_process_has_the_same_facts_in_every_language(language: str) -> None:
    expected = [(kind, path.removeprefix("both/"), given) for kind, path, given in told(PYTHON)]
    assert expected[-1] == ("Committed", "send", ["paid order of lamp, packed order of lamp"])
    assert told(processes()[language]) == expected
