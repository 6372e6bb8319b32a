"""Tasks for handler processes, which import them from here."""

import asyncio
import os
import time
from threading import Event

from weft import Context, task


@task
def add(number: int) -> int:
    return number + 1


@task
async def add_later(number: int) -> int:
    await asyncio.get_running_loop().run_in_executor(None, int)
    return number + 2


@task(checkpoint=True, marks={"half": int}, errors={OSError: "task.disk"})
def count(upto: int, ctx: Context) -> str:
    ctx.heartbeat()
    ctx.mark("half", upto // 2)
    ctx.save({"at": upto})
    print("this is no message of the channel")
    if upto < 0:
        raise FileNotFoundError("no such count")
    return f"{ctx.key} {ctx.attempt} {ctx.checkpoint}"


@task
def die() -> None:
    os._exit(7)


@task
def wait_for_stop(ctx: Context) -> None:
    while True:
        ctx.heartbeat()
        Event().wait(0.005)


@task
def never_stop() -> None:
    Event().wait()


@task
def burn(seconds: float) -> float:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        pass
    return seconds
