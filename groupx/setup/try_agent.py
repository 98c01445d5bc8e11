"""Trying an agent that is not saved yet: a process of its own runs one short turn in the agent's folder and tells.

It is `groupx doctor --live` with a configuration that holds this one agent: the room, its database and its evidence
know nothing of it. Whatever happens, no process is left: ours ends it, and should we die it ends itself.
"""

import asyncio
import json
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from adapters.contract import AdapterError
from adapters.executables import resolve
from adapters.process_group import end_orphan
from groupx import run_files
from groupx.control import ControlLine
from groupx.kernel.as_typed import CONFIG_NAME
from groupx.kernel.cancellation import to_its_end
from groupx.kernel.clock import Clock
from groupx.kernel.config import Agent
from groupx.kernel.environment import for_others, inherited
from groupx.kernel.errors import ErrorCode
from groupx.kernel.logs import get_logger
from groupx.kernel.text import clip
from groupx.setup.answers import Tried
from groupx.setup.check import Place
from groupx.setup.draft import AgentDraft, merged_agent
from groupx.supervisor import base_command

log = get_logger()

TRY_SECONDS = 120.0
TURN_SECONDS = 100
"""Of the process itself: what is left is for its start and its end."""
CLOSE_SECONDS = 12.0
"""To close its CLI in order; more than any driver needs."""
KILL_SECONDS = 2.0
MOST_ANSWER_CHARS = 2_000
MOST_REPORT_BYTES = 1024 * 1024
LAST_WORDS_CHARS = 500


async def try_agent(draft: AgentDraft, place: Place, clock: Clock, *, seconds: float = TRY_SECONDS) -> Tried:
    """Say hello to it and tell what came of that, within `seconds` and the time that closing takes.

    The draft has no errors. When this is cancelled, the agent has ended before.
    """
    began = clock.monotonic()

    def tried(report: Mapping[str, Any]) -> Tried:
        told: dict[str, Any] = {"ok": False, "tookMs": round((clock.monotonic() - began) * 1000)}
        names = ("ok", "answer", "tookMs", "version", "errorCode", "message", "hint")
        told |= {name: report[name] for name in names if report.get(name) not in (None, "")}
        if "answer" in told:
            told["answer"] = clip(told["answer"], MOST_ANSWER_CHARS)
        return told  # type: ignore[return-value]

    raw = merged_agent(draft)
    cwd = place.absolute(draft.cwd)
    try:
        await asyncio.to_thread(resolve, Agent.model_validate(raw).argv, inherited(), cwd)
    except AdapterError as error:
        return tried({"errorCode": error.code.value, "message": error.message, "hint": error.hint})
    configuration = {
        "server": {"port": place.own_port},
        "agents": {draft.id: {**raw, "cwd": str(cwd), "enabled": True}},
    }
    with tempfile.TemporaryDirectory(prefix="groupx-try-", ignore_cleanup_errors=True) as name:
        trial = _Trial(Path(name), draft.id, configuration)
        try:
            async with asyncio.timeout(seconds):
                return tried(await trial.run())
        except TimeoutError:
            message = f"It did not answer within {seconds:.0f} s and was ended."
            return tried({"errorCode": ErrorCode.TURN_TIME_LIMIT.value, "message": message})
        except OSError as error:
            message = f"The test could not be started: {error.strerror or error}."
            return tried({"errorCode": ErrorCode.START_FAILED.value, "message": message})


class _Trial:
    def __init__(self, folder: Path, agent_id: str, configuration: Mapping[str, Any]) -> None:
        self._folder, self._agent_id = folder, agent_id
        self._path = folder / CONFIG_NAME
        self._path.write_text(json.dumps(configuration), encoding="utf-8")
        self._output, self._errors = folder / "report.json", folder / "errors.log"

    async def run(self) -> Mapping[str, Any]:
        """The report of `groupx doctor --live`, or what stands for one.

        Raises:
            OSError: the system refuses to start a process.
        """
        line, theirs = await ControlLine.pair()
        try:
            with theirs, self._output.open("wb") as output, self._errors.open("wb") as errors:
                process = await asyncio.create_subprocess_exec(
                    *base_command(), "groupx_doctor", "--live", self._agent_id, "--json",
                    "--seconds", str(TURN_SECONDS), "--config", str(self._path),
                    "--control-fd", str(theirs.fileno()),
                    stdin=asyncio.subprocess.DEVNULL,
                    stdout=output,
                    stderr=errors,
                    pass_fds=(theirs.fileno(),),
                    env=for_others(),
                    start_new_session=True,
                )  # fmt: skip
            try:
                await process.wait()
            finally:
                await to_its_end(self._end(process, line))
        finally:
            line.close()
        return await asyncio.to_thread(self._report)

    async def _end(self, process: asyncio.subprocess.Process, line: ControlLine) -> None:
        line.close()
        if process.returncode is None:
            try:
                async with asyncio.timeout(CLOSE_SECONDS):
                    await process.wait()
            except TimeoutError:
                log.warning("trial_did_not_close", pid=process.pid)
                process.kill()
                await process.wait()
        for cli in run_files.recorded_clis(self._folder / ".groupx" / "run"):
            await end_orphan(cli.pid, cli.started_at, KILL_SECONDS)

    def _report(self) -> Mapping[str, Any]:
        with self._output.open("rb") as file:
            said = file.read(MOST_REPORT_BYTES)
        try:
            report: Mapping[str, Any] = json.loads(said)
            return report
        except ValueError:
            words = self._errors.read_text(encoding="utf-8", errors="replace")[-LAST_WORDS_CHARS:].strip()
            log.error("trial_told_nothing", last_words=words)
            return {
                "errorCode": ErrorCode.START_FAILED.value,
                "message": "The test ended without a result.",
                "hint": words.splitlines()[-1] if words else None,
            }
