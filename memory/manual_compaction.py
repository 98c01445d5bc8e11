"""A person wants the room summed up now: a command that is under way for minutes before there is an answer to keep.

It goes on when who asked for it has left, and ends with the room. What a compaction is stands in memory/compaction.py;
whoever builds this says how one is done here.
"""

import asyncio
from collections.abc import Awaitable, Callable

from groupx.kernel.clock import Clock
from groupx.kernel.errors import ErrorCode, GroupXError
from groupx.kernel.logs import get_logger
from memory.context_answers import ContextCompacted
from memory.queries.context_usage import context_usage
from rooms.actions.run_once import kept_answer, run_once
from rooms.caller import Caller
from rooms.command_names import CommandName
from rooms.requests import Once
from rooms.transactions import StoreError, in_db

log = get_logger()

type Compact = Callable[[], Awaitable[bool]]
"""Sum the room up; whether there was something to sum up. Raises GroupXError where that did not come about."""


class ManualCompactions:
    """One at a time: who asks meanwhile waits for the same one. All methods belong to one loop."""

    def __init__(self, compact: Compact, max_characters: int, clock: Clock) -> None:
        self._compact, self._max_characters, self._clock = compact, max_characters, clock
        self._commands: dict[tuple[str, str], asyncio.Task[str]] = {}
        self._running: asyncio.Task[bool] | None = None
        self._is_closed = False

    async def answer(self, command: Once, *, caller: Caller, name: CommandName = CommandName.CONTEXT_COMPACT) -> str:
        """The answer as JSON, the same for every repetition of the command; repeated under way, it waits as well.

        Raises:
            GroupXError: CLIENT_COMMAND_CONFLICT before anything is done; RUNTIME_CLOSING; what `compact` raises, and
                then the command may be repeated.
            StoreError: the database could not be used.
        """
        if self._is_closed:
            raise _closing()
        key = (caller.binding_id, command.client_command_id)
        task = self._commands.get(key)
        if task is None:
            task = asyncio.create_task(self._run(command, caller, name), name="compact-command")
            self._commands[key] = task
            task.add_done_callback(lambda ended: self._ended(key, ended))
        await asyncio.wait({task})
        if task.cancelled():
            raise _closing()
        return task.result()

    def close(self) -> None:
        """The room ends: whoever waits is told so, and nothing is begun any more."""
        self._is_closed = True
        for task in (*self._commands.values(), self._running):
            if task is not None:
                task.cancel()

    async def run(self) -> None:
        """Until cancelled, and then until all that was under way has ended."""
        try:
            await asyncio.Event().wait()
        finally:
            self.close()
            left = [task for task in (*self._commands.values(), self._running) if task is not None]
            await asyncio.gather(*left, return_exceptions=True)

    async def _run(self, command: Once, caller: Caller, name: CommandName) -> str:
        known = await in_db(kept_answer, caller, command.client_command_id, name, {})
        if known is not None:
            return known.text
        compacted = await self._compacted()
        receipt = await in_db(
            run_once,
            caller,
            command.client_command_id,
            name,
            {},
            lambda: _answer(compacted, self._max_characters),
            clock=self._clock,
        )
        return receipt.text

    async def _compacted(self) -> bool:
        running = self._running
        if running is None or running.done():
            running = self._running = asyncio.create_task(_awaited(self._compact), name="compaction")
        await asyncio.wait({running})
        return running.result()

    def _ended(self, key: tuple[str, str], task: asyncio.Task[str]) -> None:
        del self._commands[key]
        error = None if task.cancelled() else task.exception()
        if isinstance(error, GroupXError | StoreError):  # nobody may be left to hear it
            log.info("compaction_did_not_come_about", reason=str(error))


async def _awaited(compact: Compact) -> bool:
    return await compact()


def _answer(compacted: bool, max_characters: int) -> ContextCompacted:
    return {"compacted": compacted, **context_usage(max_characters)}


def _closing() -> GroupXError:
    return GroupXError(ErrorCode.RUNTIME_CLOSING, "The room is closing; its context stays as it is.")
