"""What a batch of inputs must know that is not in memory: found and read before anything is decided, in few queries."""

from collections.abc import Callable, Iterable
from typing import Final, cast

from weft.engine import loading
from weft.engine.parts import Parts
from weft.engine.requests import Await, Begin, Change, Collect, Deploy, Fire, LookUp, Mail, Revive, Send, Tell, Whom
from weft.engine.turn import GoOn, Input, Ready
from weft.handlers.jobs import Done, Failed, Lost, Marked, Saved
from weft.model.definition import Process
from weft.store.batch import KeyName


class Needs:
    """Collected from all inputs of a turn."""

    __slots__ = ("anew", "changes", "instances", "keys", "letters", "named", "processes")

    def __init__(self) -> None:
        self.instances: dict[int, None] = {}
        self.keys: dict[KeyName, None] = {}
        self.named: dict[tuple[str, str], None] = {}
        self.processes: list[Process] = []
        self.changes: list[Change] = []
        self.letters: list[Whom] = []
        """Whose mailbox is looked into."""
        self.anew: list[int] = []
        """What must be read although it is in memory."""

    def whom(self, whom: Whom) -> None:
        if isinstance(whom, int):
            self.instances[whom] = None
        else:
            self.keys[whom] = None


def _answer(needs: Needs, input: Done) -> None:
    needs.instances[input.job.instance] = None


def _own(needs: Needs, input: Revive) -> None:
    needs.instances[input.instance] = None


def _fire(needs: Needs, input: Fire) -> None:
    needs.instances[input.timer.instance] = None


def _ready(needs: Needs, input: Ready) -> None:
    needs.instances[input.about[0]] = None


def _mail(needs: Needs, input: Mail) -> None:
    needs.instances[input.instance] = None
    needs.letters.append(input.instance)


def _look_up(needs: Needs, input: LookUp) -> None:
    needs.instances[input.instance] = None
    needs.named[input.process, input.version] = None


def _whom(needs: Needs, input: Tell | Await) -> None:
    needs.whom(input.whom)


def _send(needs: Needs, input: Send) -> None:
    needs.whom(input.whom)
    needs.letters.append(input.whom)


def _collect(needs: Needs, input: Collect) -> None:
    needs.instances[input.whom] = None
    needs.anew.append(input.whom)


def _deploy(needs: Needs, input: Deploy) -> None:
    needs.processes.append(input.process)


def _begin(needs: Needs, input: Begin) -> None:
    if input.key:
        needs.keys[input.name, input.key] = None
    if input.process is None:
        needs.named[input.name, input.version] = None
    else:
        needs.processes.append(input.process)


def _change(needs: Needs, input: Change) -> None:
    needs.whom(input.whom)
    if input.process is None:
        needs.changes.append(input)
    else:
        needs.processes.append(input.process)


NEEDS: Final = cast(
    dict[type, Callable[[Needs, Input], None]],
    {
        Done: _answer,
        Failed: _answer,
        Lost: _answer,
        Marked: _answer,
        Saved: _answer,
        Ready: _ready,
        Fire: _fire,
        Revive: _own,
        GoOn: _own,
        Mail: _mail,
        LookUp: _look_up,
        Begin: _begin,
        Send: _send,
        Collect: _collect,
        Tell: _whom,
        Await: _whom,
        Deploy: _deploy,
        Change: _change,
    },
)


def read(core: Parts, inputs: Iterable[Input], now: float) -> dict[KeyName, int]:
    """Reads all of it, and says who has the business keys. Raises what the store raises; nothing is decided then."""
    needs = Needs()
    for input in inputs:
        ask = NEEDS.get(type(input))
        if ask is not None:
            ask(needs, input)
    for instance in needs.anew:
        core.lives.pop(instance, None)
    holders = _holders(core, needs)
    lacking = [id for id in needs.instances if id not in core.lives and core.ids.owns(id)]
    if lacking:
        core.lives.update(loading.load(core.reads, core.definitions, lacking, now))
    if needs.letters:
        _letters(core, needs, holders)
    _definitions(core, needs, holders, now)
    return holders


def _holders(core: Parts, needs: Needs) -> dict[KeyName, int]:
    if not needs.keys:
        return {}
    rows = core.reads.keys(needs.keys)
    holders = {name: row.instance for name, row in rows.items() if row.instance}
    for instance in holders.values():
        needs.instances[instance] = None
    return holders


def _letters(core: Parts, needs: Needs, holders: dict[KeyName, int]) -> None:
    ids = [whom if isinstance(whom, int) else holders.get(whom, 0) for whom in needs.letters]
    unread = [live for id in dict.fromkeys(ids) if (live := core.lives.get(id)) is not None and live.mailbox is None]
    if unread:
        loading.deliver(core.reads, unread)


def _definitions(core: Parts, needs: Needs, holders: dict[KeyName, int], now: float) -> None:
    definitions = core.definitions
    for change in needs.changes:
        whom = change.whom if isinstance(change.whom, int) else holders.get(change.whom, 0)
        live = core.lives.get(whom)
        if live is not None:
            needs.named[live.row.process, change.version] = None
    for process in needs.processes:
        hash = definitions.hash_of(process)
        definitions.read_hashes(core.reads, [hash], now)
        if process.version:
            needs.named[process.name, process.version] = None
        if definitions.get(hash) is None or process.version:
            needs.named[process.name, ""] = None
    if needs.named:
        definitions.read_named(core.reads, needs.named, now)
