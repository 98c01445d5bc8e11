"""The setup of one room: what REST, the page and the assistant's tools ask, each by the same function.

Needs no database: it works before there is a room. Files are looked at in threads; a path may lie on a slow disk.
"""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

from groupx.kernel.clock import Clock
from groupx.kernel.config import RunConfig
from groupx.kernel.config_file import (
    check_config,
    load_config,
    parse_config,
    read_config_bytes,
    read_config_file,
)
from groupx.kernel.config_text import ConfigText
from groupx.kernel.errors import ErrorCode, GroupXError
from groupx.run_config import allowed_drivers
from groupx.setup.answers import LaunchTold, Pending, SetupSaved, SetupTold, Tried
from groupx.setup.check import DraftIssue, Place, check_command, refuse_errors, refuse_errors_of_agent
from groupx.setup.detect import Detection, suggested
from groupx.setup.draft import Raw, SetupCommand, SetupDraft, TryCommand, draft_of, empty_draft, merged, read_draft
from groupx.setup.pending import changes
from groupx.setup.save import save
from groupx.setup.try_agent import try_agent
from rooms.bodies import SetupSaved as SavedBody
from rooms.body import Body

TRIALS_AT_ONCE = 4


class SetupHost(Protocol):
    """The process that serves the setup."""

    def tell(self, body: Body) -> None:
        """To the pages of a room that runs."""
        ...

    def on_configured(self) -> None:
        """The first configuration has been written: start the room with it. Nothing in a room that runs."""
        ...

    def launch_state(self) -> LaunchTold: ...


class SetupDesk:
    """All coroutines belong to the server's loop."""

    def __init__(
        self,
        config_path: Path,
        port: int,
        host: SetupHost,
        detection: Detection,
        clock: Clock,
        *,
        running: RunConfig | None,
    ) -> None:
        """`port`: where this process answers. `running`: what the room runs with; None before the first start."""
        self._path, self._port, self._host, self._running = config_path, port, host, running
        self._clock = clock
        self._detection = detection
        self._trials = asyncio.Semaphore(TRIALS_AT_ONCE)

    async def read(self) -> SetupTold:
        """What there is to set up. Asks the CLIs that are installed, which may take seconds; see `Detection`."""
        raw, problem = await asyncio.to_thread(self._read_file)
        drivers = await self._detection.drivers()
        told: SetupTold = {
            "configPath": str(self._path),
            "existing": raw is not None or problem is not None,
            "runtimeActive": self._running is not None,
            "drivers": drivers,
            "config": self._draft(raw),  # type: ignore[typeddict-item]
        }
        if not told["existing"] and (suggestion := suggested(drivers, self._port)) is not None:
            told["suggested"] = suggestion
        if problem is not None:
            told["problem"] = problem
        return told

    async def check(self, payload: Mapping[str, Any]) -> list[DraftIssue]:
        """All that is wrong with `{"config": draft}`; nothing is changed.

        Raises:
            GroupXError: SENDER_FIELD_FORBIDDEN; INVALID_ENVELOPE for what is no `{"config": {…}}` at all.
        """
        return await asyncio.to_thread(check_command, payload, self._place())

    async def save(self, config: Mapping[str, Any]) -> SetupSaved:
        """Write a draft into the configuration file.

        Raises:
            GroupXError: INVALID_ENVELOPE naming each field that is wrong, SENDER_FIELD_FORBIDDEN, FILE_REFUSED when
                the file cannot be written or what stands in it is no configuration; nothing was changed.
        """
        return await self.save_command({"config": config})

    async def save_command(self, payload: Mapping[str, Any]) -> SetupSaved:
        """The same for the whole request."""
        draft = read_draft(SetupCommand, payload).config
        saved = await asyncio.to_thread(self._save, draft)
        if self._running is None:
            self._host.on_configured()
        else:
            self._host.tell(SavedBody(restart_required=saved["restartRequired"]))
        return saved

    async def try_agent(self, payload: Mapping[str, Any]) -> Tried:
        """Run one short turn of `{"agent": draft of one}` in a process of its own; bounded, nothing is kept.

        Raises:
            GroupXError: INVALID_ENVELOPE naming each field that is wrong, SENDER_FIELD_FORBIDDEN; SESSION_NOT_AVAILABLE
                while TRIALS_AT_ONCE run.
        """
        draft, place = read_draft(TryCommand, payload).agent, self._place()
        await asyncio.to_thread(refuse_errors_of_agent, draft, place)
        if self._trials.locked():  # each may take two minutes: too long to wait for in silence
            raise GroupXError(
                ErrorCode.SESSION_NOT_AVAILABLE,
                f"{TRIALS_AT_ONCE} agents are being tried already. Try again when one of them has answered.",
            )
        async with self._trials:
            return await try_agent(draft, place, self._clock)

    async def pending(self) -> Pending:
        """What a restart would change. Before the first start: nothing."""
        return await asyncio.to_thread(self._pending)

    def launch(self) -> LaunchTold:
        """How far the start after the first save is."""
        return self._host.launch_state()

    # ------------------------------------------------------------ in a thread
    def _place(self) -> Place:
        return Place(folder=self._path.parent, own_port=self._port)

    def _read_file(self) -> tuple[Raw | None, str | None]:
        """What stands in the file, and what is wrong with it; neither where there is none."""
        if not self._path.exists():
            return None, None
        try:
            return self._valid(read_config_file(self._path)), None
        except GroupXError as error:
            return None, error.message

    def _valid(self, text: ConfigText) -> Raw:
        """
        Raises:
            GroupXError: CONFIG_INVALID.
        """
        check_config(text, self._path, allowed_drivers())
        raw: Raw = text.raw
        return raw

    def _draft(self, raw: Raw | None) -> Raw:
        if raw is not None:
            return draft_of(raw)
        if self._running is None:
            return empty_draft(self._port)
        return draft_of(self._running.config.model_dump(by_alias=True, mode="json", exclude_none=True))

    def _save(self, draft: SetupDraft) -> SetupSaved:
        refuse_errors(draft, self._place())
        backup = save(self._path, lambda before: self._changed(before, draft))
        saved: SetupSaved = {
            "saved": True,
            "restartRequired": self._pending()["restartRequired"],
            "configPath": str(self._path),
            "agents": [agent.id for agent in draft.agents],
        }
        if backup is not None:
            saved["backupPath"] = str(backup)
        return saved

    def _pending(self) -> Pending:
        if self._running is None:
            return {"restartRequired": False, "changes": []}
        try:
            now = load_config(self._path, allowed_drivers(), port=self._running.given_port)
        except GroupXError as error:
            return {"restartRequired": True, "changes": [], "problem": error.message}
        found = changes(self._running.config, now.config)
        return {"restartRequired": bool(found), "changes": found}

    def _changed(self, before: bytes | None, draft: SetupDraft) -> Raw:
        """
        Raises:
            GroupXError: FILE_REFUSED when what stands there is no configuration: nothing of it may be lost.
        """
        try:
            raw = None if before is None else self._valid(read_config_bytes(before, self._path))
        except GroupXError as error:
            sentence = f"Nothing was saved, mend the file first: {error.message}"
            raise GroupXError(ErrorCode.FILE_REFUSED, sentence, **error.details) from None
        after = merged(raw, draft)
        parse_config(after, self._path, allowed_drivers())
        return after
