"""`python -m weft.assembly.worker THREADS MODULE…`: a handler process. A node begins it, nobody else does."""

import sys

from weft.handlers import child
from weft.handlers.functions import Code
from weft.languages.python.load import load_module
from weft.languages.python.tasks import Task, lookup
from weft.model.definition import Function, Named


def main(threads: int, modules: list[str]) -> None:
    named: dict[str, Code] = {}
    for module in map(load_module, modules):
        named |= {one.name: one.code for one in vars(module).values() if isinstance(one, Task)}

    def find(handler: Function | Named) -> Code | None:
        return named.get(handler.task) if isinstance(handler, Named) else lookup(handler.reference)

    child.main(find, threads)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
