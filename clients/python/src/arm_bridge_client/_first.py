"""Several attempts at once, of which the first that succeeds counts."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import Future, as_completed
from typing import Any, TypeVar

from ._errors import BridgeError

Result = TypeVar("Result")


async def first_async(attempts: Sequence[Callable[[], Coroutine[Any, Any, Result]]]) -> Result:
    """What the first attempt that succeeds comes to; the others end then. Raises BridgeError when all have failed."""
    tasks = [asyncio.create_task(attempt()) for attempt in attempts]
    try:
        for task in asyncio.as_completed(tasks):
            try:
                return await task
            except BridgeError:
                pass
        raise _most_telling([task.exception() for task in tasks])
    finally:
        # A request that still waits for a connection must not stop arms that have been reset meanwhile.
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def first(attempts: Sequence[Callable[[], Result]]) -> Result:
    """
    What the first attempt that succeeds comes to; the others go on, because nobody can end their threads. Raises BridgeError when
    all have failed.
    """
    if len(attempts) == 1:
        return attempts[0]()
    ends = [_begun(attempt) for attempt in attempts]
    for end in as_completed(ends):
        try:
            return end.result()
        except BridgeError:
            pass
    raise _most_telling([end.exception() for end in ends])


def _begun(attempt: Callable[[], Result]) -> Future[Result]:
    end: Future[Result] = Future()

    def run() -> None:
        try:
            end.set_result(attempt())
        except BaseException as error:
            end.set_exception(error)

    # The program may end before those that are not waited for.
    threading.Thread(target=run, daemon=True).start()
    return end


def _most_telling(faults: Sequence[BaseException | None]) -> BridgeError:
    """The first fault that a bridge has answered with, or else the first one."""
    told = [fault for fault in faults if isinstance(fault, BridgeError)]
    return next((fault for fault in told if fault.status is not None), told[0])
