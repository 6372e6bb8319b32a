"""`Engine` and `AsyncEngine`: durable processes in a program, each method once as a call and once as a coroutine."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from types import TracebackType
from typing import Self

from weft.assembly import operations
from weft.assembly.hands import Tasks
from weft.assembly.operations import Instance
from weft.assembly.reading import Decision, facts_of, history_of
from weft.assembly.serving import Serving
from weft.engine.requests import Deployed
from weft.engine.result import Result
from weft.engine.settings import Settings
from weft.kernel import commands
from weft.languages.python.context import Start
from weft.model.definition import Process
from weft.store.codec import Codec
from weft.store.interface import EVERY, Filter
from weft.store.rows import InstanceRow


class _Opened:
    """What both have."""

    def __init__(
        self,
        url: str,
        *,
        tasks: Tasks = (),
        node: str = "main",
        settings: Settings | None = None,
        codec: Codec | None = None,
        allow: Mapping[str, object] | None = None,
    ) -> None:
        self._serving = Serving(url, tasks, node=node, settings=settings, codec=codec, allow=allow)

    def _whole(self, result: Result) -> Result:
        """The result, whose facts are read when someone wants them."""
        return replace(result, told=lambda: facts_of(self._serving.reads, result.instance))


class Engine(_Opened):
    """Keeps every process in a store, and runs it there to its end, whatever happens to the machine.

    >>> with Engine("sqlite:///shop.db") as engine:
    ...     engine.run(buy, Start(key="order-17"), order=Order("17", 900)).outcome
    'done'

    URLs are `memory:`, `sqlite:///PATH` and `postgresql://USER@HOST/DATABASE`. Any thread may call it. What is asked
    is durable when a method returns.
    """

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def deploy(self, process: Process, *, actor: str = "", force: str = "") -> Deployed:
        """Keeps a definition, from which instances can be started by its name. The same content is kept once.

        One in which the check finds an error is refused, unless `force` says why it is wanted; that is kept with it.
        """
        return self._serving.ask(operations.proved(process, actor, force)).result()

    def start(self, process: Process | str, /, *options: Start, wait: timedelta | None = None, **inputs: object) -> int:
        """Starts an instance and gives its id; with a key that another instance has, the id of that one.

        When very many requests wait already it waits for room, at most so long, and then raises `Busy`.
        """
        seconds = None if wait is None else wait.total_seconds()
        return self._serving.ask(operations.start(process, options, inputs), seconds).result().instance

    def run(self, process: Process | str, /, *options: Start, **inputs: object) -> Result:
        """Starts an instance, and waits for its end, whether it commits or aborts."""
        return self._whole(self._serving.ask(operations.run(process, options, inputs)).result())

    def result(self, instance: Instance, *, timeout: timedelta | None = None) -> Result:
        """How an instance has ended; waits for that, at most so long, and then raises `TimeoutError`."""
        seconds = None if timeout is None else timeout.total_seconds()
        return self._whole(self._serving.ask(operations.result(instance)).result(seconds))

    def signal(self, instance: Instance, name: str, value: object = None, /, **objects: object) -> int:
        """Sends a signal to an instance, and gives its id, 0 if there is none yet. One that comes early is kept."""
        return self._serving.ask(operations.signal(instance, name, value, objects)).result()

    def cancel(self, instance: Instance, path: str = "", *, drain: bool = False) -> None:
        """Stops an instance, or one activity of it, and takes back what it did; with `drain` what runs may end."""
        self._serving.ask(operations.cancel(instance, path, drain)).result()

    def suspend(self, instance: Instance) -> None:
        """Lets nothing new begin, and stops its clocks."""
        self._serving.ask(operations.tell(instance, commands.Suspend())).result()

    def resume(self, instance: Instance) -> None:
        """Goes on after `suspend`."""
        self._serving.ask(operations.tell(instance, commands.Resume())).result()

    def retry(self, instance: Instance, path: str) -> None:
        """Tries again now what waits for its next attempt, or what nobody knows the end of."""
        self._serving.ask(operations.tell(instance, commands.Retry(path))).result()

    def change(self, instance: Instance, process: Process | str) -> None:
        """Has a running instance go on with another definition of its process: one given, or the version named."""
        self._serving.ask(operations.change(instance, process)).result()

    def instances(
        self, which: Filter = EVERY, *, before: int | None = None, at_most: int = 100
    ) -> Sequence[InstanceRow]:
        """The instances that a filter means, the newest first; the next page is that `before` the last id."""
        return self._serving.reads.instances(which, before, at_most)

    def history(self, instance: int, *, after: int = 0, at_most: int = 1000) -> Sequence[Decision]:
        """What was decided, in order; the next page is that `after` the last number."""
        return history_of(self._serving.reads, instance, after, at_most)

    def close(self, *, seconds: float = 10.0) -> None:
        """Ends the engine. What runs may take so long to end; what has not is taken up by the next engine."""
        self._serving.close(seconds)


class AsyncEngine(_Opened):
    """The same for coroutines: `async with AsyncEngine("sqlite:///shop.db") as engine: await engine.run(…)`."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def deploy(self, process: Process, *, actor: str = "", force: str = "") -> Deployed:
        return await asyncio.wrap_future(self._serving.ask(operations.proved(process, actor, force)))

    async def start(
        self, process: Process | str, /, *options: Start, wait: timedelta | None = None, **inputs: object
    ) -> int:
        seconds = None if wait is None else wait.total_seconds()
        asked = operations.start(process, options, inputs)
        return (await asyncio.wrap_future(await asyncio.to_thread(self._serving.ask, asked, seconds))).instance

    async def run(self, process: Process | str, /, *options: Start, **inputs: object) -> Result:
        asked = operations.run(process, options, inputs)
        return self._whole(await asyncio.wrap_future(await asyncio.to_thread(self._serving.ask, asked)))

    async def result(self, instance: Instance, *, timeout: timedelta | None = None) -> Result:
        seconds = None if timeout is None else timeout.total_seconds()
        ended = asyncio.wrap_future(self._serving.ask(operations.result(instance)))
        return self._whole(await asyncio.wait_for(ended, seconds))

    async def signal(self, instance: Instance, name: str, value: object = None, /, **objects: object) -> int:
        return await asyncio.wrap_future(self._serving.ask(operations.signal(instance, name, value, objects)))

    async def cancel(self, instance: Instance, path: str = "", *, drain: bool = False) -> None:
        await asyncio.wrap_future(self._serving.ask(operations.cancel(instance, path, drain)))

    async def suspend(self, instance: Instance) -> None:
        await asyncio.wrap_future(self._serving.ask(operations.tell(instance, commands.Suspend())))

    async def resume(self, instance: Instance) -> None:
        await asyncio.wrap_future(self._serving.ask(operations.tell(instance, commands.Resume())))

    async def retry(self, instance: Instance, path: str) -> None:
        await asyncio.wrap_future(self._serving.ask(operations.tell(instance, commands.Retry(path))))

    async def change(self, instance: Instance, process: Process | str) -> None:
        await asyncio.wrap_future(self._serving.ask(operations.change(instance, process)))

    async def instances(
        self, which: Filter = EVERY, *, before: int | None = None, at_most: int = 100
    ) -> Sequence[InstanceRow]:
        return await asyncio.to_thread(self._serving.reads.instances, which, before, at_most)

    async def history(self, instance: int, *, after: int = 0, at_most: int = 1000) -> Sequence[Decision]:
        return await asyncio.to_thread(history_of, self._serving.reads, instance, after, at_most)

    async def close(self, *, seconds: float = 10.0) -> None:
        await asyncio.to_thread(self._serving.close, seconds)
