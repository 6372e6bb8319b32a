"""A pipeline as a Petri net: pages are read by one of two machines, unreadable ones are put aside, the rest is bound.

python examples/net_pipeline.py
"""

import weft
from weft import Net, process, task


class Unreadable(Exception):
    """The machine can make nothing of the page."""


@task(errors={Unreadable: "task.unreadable"})
def recognise(page: str, machine: str) -> str:
    if "?" in page:
        raise Unreadable(page)
    return f"{page.upper()} ({machine})"


net = Net("scans")
pages = net.place("pages", str, tokens=["one", "two", "t?ree", "four"])
machines = net.place("machines", str, tokens=["A", "B"])
texts = net.place("texts", str)
rejects = net.place("rejects", str, output="all")
books = net.place("books", list[str], output=True)

net.transition(
    "recognise_page",
    take={"page": pages, "machine": machines},
    do=recognise,
    put={
        "result": texts,
        "page": rejects.arc(error="task.unreadable"),
        "machine": [machines, machines.arc(error="task.unreadable")],
    },
)
net.transition("bind", take={"leaves": texts.arc(weight=3)}, put={"leaves": books})

scans = process("scans")(net)


def main() -> None:
    result = weft.run(scans).expect("done")
    assert result.values["rejects"] == ["t?ree"]
    book = result.values["books"]
    assert sorted(leaf.split()[0] for leaf in book) == ["FOUR", "ONE", "TWO"]
    print("bound:", ", ".join(book))
    print("put aside:", ", ".join(result.values["rejects"]))


if __name__ == "__main__":
    main()
