"""How long each language takes to read ten thousand lines, in CPU-seconds."""

import re
from collections.abc import Iterator
from time import process_time

from bench import machine_texts
from bench.figures import Figure, figure
from weft.languages.registry import LANGUAGES
from weft.model.json_form import pretty

LINES = 10_000
TRIALS = 3

MFDL = """
DEFINE_PROCESS p%d (IN int n)
{
    ACTIVITY work a, b, c;
    VAR int m;
    IF (n > 0)
        a(n, m) COMPENSATED_BY c(n, m);
    WHILE (m == NULL || m < 10)
        b(n, m);
}
"""
PDL = """
WORKFLOW p%d {
  STRING s { VALUE "x"; }
  TASK a: Work { OUT_CONTEXT s; }
  TASK b: Work { DEPENDS a -> SUCCEEDED; IN_CONTEXT s; }
  TASK c: Work { DEPENDS OR (a -> FAILED, AND (a -> SUCCEEDED, b -> FAILED)); }
}
"""
OPENFLOW = """
compound task p%d of Whole {
    task a of Work {
        input set start { n from n of p%d; }
    }
    task b of Work {
        input set start {
            n from m of a, n of p%d;
        }
    }
    outcome done { m from m of b; }
}
"""
HEADS = {
    "mfdl": "NON_TRANS_ACTIVITY work (IN int n, OUT int m);",
    "pdl": "TASK Work { TYPE MANUAL; }",
    "openflow": "taskclass Whole { input set start { n: int; } outcome done { m: int; } }\n"
    "taskclass Work { input set start { n: int; } outcome done { m: int; } }",
}
UNITS = {"mfdl": MFDL, "pdl": PDL, "openflow": OPENFLOW}


def figures() -> Iterator[Figure]:
    for name, text in texts().items():
        yield figure(f"{LINES} lines of {name}", min(seconds(name, text) for _ in range(TRIALS)), "s")


def texts() -> dict[str, bytes]:
    """A text of ten thousand lines in each language, and the JSON form of a process of that size."""
    found = {}
    for name, unit in UNITS.items():
        count = LINES // unit.count("\n") + 1
        found[name] = "\n".join([HEADS[name], *(re.sub("%d", str(number), unit) for number in range(count))]).encode()
    found["json"] = json_of(LINES)
    return found | machine_texts.texts()


def json_of(lines: int) -> bytes:
    """A process with so many activities that its JSON form has at least so many lines."""
    statements = "".join(f"w{number}: work(n, m);\n" for number in range(lines // 20))
    text = f"{HEADS['mfdl']}\nDEFINE_PROCESS p (IN int n) {{ ACTIVITY work work; VAR int m;\n{statements}}}"
    [process] = LANGUAGES["mfdl"].read(text.encode(), "p").processes
    return pretty(process).encode()


def seconds(name: str, text: bytes) -> float:
    began = process_time()
    LANGUAGES[name].read(text, name)
    return process_time() - began
