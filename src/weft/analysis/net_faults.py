"""What is wrong with the nets of a process: tokens without bound, transitions that never fire, what ends leave."""

from collections.abc import Iterator
from typing import Final

from weft.analysis.places import Places
from weft.analysis.plain import PlainNet, plain_net
from weft.analysis.soundness import explore
from weft.analysis.spaces import Budget, Space
from weft.model.definition import Activity, Net, Process, parts
from weft.model.faults import Fault

NET_BUDGET: Final = Budget(20_000, 2.0)


class NetFaults:
    def __init__(self, process: Process, places: Places, budget: Budget = NET_BUDGET) -> None:
        self.process = process
        self.places = places
        self.budget = budget

    def all(self) -> Iterator[Fault]:
        todo: list[Activity] = [self.process.body]
        while todo:
            one = todo.pop(0)
            todo += parts(one)
            if isinstance(one, Net):
                yield from self.of(one)

    def of(self, net: Net) -> Iterator[Fault]:
        """Where data matter the steps are free choices: then only what no choice can do is told."""
        plain = plain_net(net)
        space = explore(plain, self.budget)
        is_exact = not plain.notes
        if space.pumped is not None and is_exact:
            yield self.places.fault(
                "unbounded", net, f"tokens may pile up without bound in {net.name!r}",
                "let something take them, or bound them with a place of free room", tuple(space.trace(space.pumped)),
            )  # fmt: skip
        if space.pumped is None and space.is_complete:
            if not plain.may_have_more:
                yield from self.never(net, plain, space)
            if is_exact and net.outcomes and not any(one.guard for one in net.outcomes):
                yield from self.endings(net, plain, space)
        elif space.pumped is None:
            yield self.places.fault(
                "unknown", net, f"{len(space.states)} markings of {net.name!r} were explored, and there are more",
                "ask `weft analyse` with a larger budget",
            )  # fmt: skip

    def never(self, net: Net, plain: PlainNet, space: Space) -> Iterator[Fault]:
        fired = {number for marking in space.states for number, _ in space.successors(marking)}
        names = {one.name.partition(":")[0] for number, one in enumerate(plain.transitions) if number in fired}
        for one in net.transitions:
            if one.name not in names:
                about = one.operation or net
                yield self.places.fault(
                    "never-runs", about, f"the transition {one.name!r} of {net.name!r} can never fire",
                    "see where the tokens that it takes could come from, or take it out",
                )  # fmt: skip

    def endings(self, net: Net, plain: PlainNet, space: Space) -> Iterator[Fault]:
        """Of a net that ends when it is quiet: by the first marking that is no good end."""
        told: set[str] = set()
        for marking in space.dead:
            tokens = space.decode(marking)
            empty = [plain.places[one] for one in sorted(plain.outputs) if not tokens[one]]
            more = [number for number, count in enumerate(tokens) if count > plain.marking[number]]
            left = [plain.places[number] for number in more if number not in plain.outputs]
            if empty and "unfilled" not in told:
                told.add("unfilled")
                yield self.places.fault(
                    "unfilled", net, f"{net.name!r} may stop with nothing in {', '.join(empty)}; it then aborts",
                    "let every way fill its outputs, or guard an outcome for this end", tuple(space.trace(marking)),
                )  # fmt: skip
            elif not empty and left and "tokens-left" not in told:
                told.add("tokens-left")
                yield self.places.fault(
                    "tokens-left", net, f"{net.name!r} may end well with tokens left in {', '.join(left)}",
                    "take them too, or declare these places as outputs", tuple(space.trace(marking)),
                )  # fmt: skip
