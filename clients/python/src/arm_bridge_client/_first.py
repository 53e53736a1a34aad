"""Several attempts at once, of which the first that succeeds counts."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import Future, as_completed, wait
from typing import Any, TypeVar

from ._errors import BridgeError

Result = TypeVar("Result")

#: Attempts that no longer count may take so long to end, s.
LATE = 1.0


class AsyncFirst:
    """Makes attempts, and knows those that go on although another one has counted: the bridge may hear them late."""

    def __init__(self) -> None:
        self._late: set[asyncio.Task[None]] = set()

    async def of(self, attempts: Sequence[Callable[[], Coroutine[Any, Any, Result]]]) -> Result:
        """What the first attempt that succeeds comes to. Raises BridgeError when all have failed."""
        tasks = [asyncio.create_task(attempt()) for attempt in attempts]
        try:
            for task in asyncio.as_completed(tasks):
                try:
                    return await task
                except BridgeError:
                    pass
            raise _most_telling([task.exception() for task in tasks])
        finally:
            late = asyncio.create_task(_end(tasks))
            self._late.add(late)
            late.add_done_callback(self._late.discard)

    async def ended(self) -> None:
        """Until no attempt is under way."""
        if self._late:
            await asyncio.wait(self._late)


async def _end(tasks: Sequence[asyncio.Task[Any]]) -> None:
    try:
        await asyncio.wait(tasks, timeout=LATE)
    finally:
        # A request that still waits for a connection must not stop arms that have been reset meanwhile.
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


class First:
    """As AsyncFirst, in threads."""

    def __init__(self) -> None:
        self._late: list[Future[Any]] = []

    def of(self, attempts: Sequence[Callable[[], Result]]) -> Result:
        """What the first attempt that succeeds comes to. Raises BridgeError when all have failed."""
        if len(attempts) == 1:
            return attempts[0]()
        ends = [_begun(attempt) for attempt in attempts]
        self._late = [end for end in self._late if not end.done()] + ends
        for end in as_completed(ends):
            try:
                return end.result()
            except BridgeError:
                pass
        raise _most_telling([end.exception() for end in ends])

    def ended(self) -> None:
        """Until no attempt is under way, or for `LATE`, because nobody can end a thread."""
        wait(self._late, timeout=LATE)


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
