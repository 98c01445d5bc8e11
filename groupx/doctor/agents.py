"""The agents' CLIs: found, willing to tell their version, new enough, signed in as far as one can see, seen at work.

Each is asked for its version and, where it has a command for that, whether somebody has signed in, with a bound; an
agent of the open driver `acp` is not started at all. With `--all` the same for every CLI that GroupX knows.
"""

import asyncio
import os
from pathlib import Path

from adapters.driver_names import installable_programs, known_programs
from adapters.executables import HINT_OF_PLAIN_FILE, find, is_plain_file, version_of
from adapters.probe import Looked, look_at
from adapters.program import Program, is_older
from adapters.sign_in import SignIn, signs_of_sign_in
from groupx.doctor.evidence import RoomEvidence, SeenCli, read_evidence
from groupx.doctor.findings import Finding, Findings, Part
from groupx.doctor.situation import Situation
from groupx.kernel.config import Agent
from groupx.kernel.drivers import OPEN_DRIVER
from groupx.kernel.environment import value_of
from groupx.terminal_words import gettext as _
from groupx.terminal_words import in_words


def check_agents(situation: Situation) -> list[Finding]:
    found = Findings(Part.AGENTS)
    asyncio.run(_Examination(situation, found).run())
    return found.all


class _Examination:
    def __init__(self, situation: Situation, found: Findings) -> None:
        self._situation, self._found = situation, found
        self._agents = situation.run.config.enabled_agents
        self._evidence: RoomEvidence = RoomEvidence()
        self._node: str | None = None

    async def run(self) -> None:
        programs = [] if self._agents and not self._situation.is_about_all_drivers else self._others()
        of_agents = {(a.driver, a.argv) for a in self._agents.values() if a.driver != OPEN_DRIVER}
        asked: list[tuple[str, tuple[str, ...] | None]] = [
            *of_agents,
            *((program.driver, None) for program in programs),
        ]
        self._evidence, self._node, *answers = await asyncio.gather(
            asyncio.to_thread(read_evidence, self._situation.run.database_path),
            self._node_if_needed({driver for driver, _argv in asked}),
            *(look_at(*question) for question in asked),
        )
        looked = dict(zip(asked, answers, strict=True))
        for agent_id, agent in self._agents.items():
            if agent.driver == OPEN_DRIVER:
                self._judge_open(agent_id, agent)
            else:
                self._judge(agent_id, agent, looked[agent.driver, agent.argv])
        for program in programs:
            self._tell_of(program, looked[program.driver, None])
        if not self._found.all:
            self._found.note(
                "NO_CLI",
                _("None of the agent CLIs that GroupX knows is installed here."),
                _("README.md says how they are installed; “groupx demo” needs none."),
            )

    def _others(self) -> list[Program]:
        """The CLIs that no agent of the configuration is of."""
        configured = {agent.driver for agent in self._agents.values()}
        return [program for program in installable_programs() if program.driver not in configured]

    async def _node_if_needed(self, drivers: set[str]) -> str | None:
        if not any(known_programs()[driver].oldest_node for driver in drivers):
            return None
        node = await asyncio.to_thread(find, "node")
        try:
            return await version_of((node,)) if node else None
        except OSError:
            return None

    # ------------------------------------------------------------ configured agents
    def _judge_open(self, agent_id: str, agent: Agent) -> None:
        executable = find(agent.argv[0], cwd=Path(agent.cwd))
        if executable is None:
            self._not_found(agent_id, agent)
            return
        self._found.ok("AGENT", f"{agent_id}: {executable}", driver=agent.driver, path=executable)
        self._tell_evidence(agent_id, None)

    def _judge(self, agent_id: str, agent: Agent, looked: Looked) -> None:
        if looked.probe.executable is None:
            self._not_found(agent_id, agent)
            return
        program, version = known_programs()[agent.driver], looked.probe.version
        if looked.probe.problem is not None:
            self._found.warning(
                "VERSION_UNKNOWN",
                f"{agent_id}: {looked.probe.executable}: {looked.probe.problem}",
                _("Run it once in a terminal with --version."),
            )
        else:
            words = " ".join(filter(None, (agent.driver, version)))
            self._found.ok("AGENT", f"{agent_id}: {words}, {looked.probe.executable}", **_details(program, looked))
        self._judge_version(agent_id, program, version)
        self._judge_user(agent_id, program)
        self._judge_sign_in(agent_id, program, looked.sign_in)
        self._tell_evidence(agent_id, version)

    def _judge_version(self, agent_id: str, program: Program, version: str | None) -> None:
        if version and program.oldest_version and is_older(version, program.oldest_version):
            self._found.warning(
                "VERSION_OLD",
                _("%(agent)s: version %(version)s is older than any that was tried with GroupX (%(oldest)s).")
                % {"agent": agent_id, "version": version, "oldest": _dotted(program.oldest_version)},
                program.install,
            )
        if program.oldest_node and (self._node is None or is_older(self._node, program.oldest_node)):
            self._found.problem(
                "NODE_TOO_OLD",
                _("%(agent)s needs node %(oldest)s or newer; here is %(node)s.")
                % {"agent": agent_id, "oldest": _dotted(program.oldest_node), "node": self._node or _("none")},
                _("Put a newer node first on PATH."),
            )

    def _judge_user(self, agent_id: str, program: Program) -> None:
        if program.works_as_root_with and os.geteuid() == 0 and not value_of(program.works_as_root_with):
            self._found.problem(
                "ROOT_REFUSED",
                _("%(agent)s: it does not work without asking as root.") % {"agent": agent_id},
                _("Start GroupX as another user, or with %(variable)s=1 in a container or other sandbox.")
                % {"variable": program.works_as_root_with},
            )

    def _judge_sign_in(self, agent_id: str, program: Program, sign_in: SignIn) -> None:
        about = {"agent": agent_id, "title": program.title}
        if sign_in is SignIn.NO:
            said = _("%(agent)s: %(title)s says that nobody has signed in.") % about
            # with a key or a provider of the person's own it may work all the same
            tell = self._found.note if signs_of_sign_in(program) else self._found.warning
            tell("SIGNED_OUT", said, program.sign_in)
        elif sign_in is SignIn.YES:
            self._found.ok("SIGNED_IN", _("%(agent)s: %(title)s says that somebody has signed in") % about)
        elif not signs_of_sign_in(program) and (program.sign_in_files or program.sign_in_variables):
            self._found.note(
                "NO_SIGN_IN_SEEN", _("%(agent)s: no sign of a sign-in was found.") % about, program.sign_in
            )

    def _tell_evidence(self, agent_id: str, version: str | None) -> None:
        seen = self._evidence.of_agents.get(agent_id)
        try_it = self._situation.command("doctor", "--live", agent_id)
        hint = _("“%(command)s” runs a short turn and says what it shows.") % {"command": try_it}
        if seen is None or not seen.verified:
            self._found.note(
                "NOT_SEEN_AT_WORK", _("%(agent)s: no turn of it was seen yet.") % {"agent": agent_id}, hint
            )
            return
        shown = {"agent": agent_id, "version": seen.version or _("an unknown version"), "what": seen.in_words()}
        said = _("%(agent)s: seen in turns of %(version)s: %(what)s") % shown
        if version and seen.version and version != seen.version:
            self._found.note("SEEN_OTHER_VERSION", said, hint, **seen.wire())
        else:
            self._found.ok("SEEN_AT_WORK", said, **seen.wire())

    def _not_found(self, agent_id: str, agent: Agent) -> None:
        name = agent.argv[0]
        if is_plain_file(name, Path(agent.cwd)):
            self._found.problem(
                "COMMAND_NOT_FOUND",
                _("%(agent)s: the file “%(command)s” may not be executed.") % {"agent": agent_id, "command": name},
                in_words(HINT_OF_PLAIN_FILE),
            )
            return
        install = known_programs()[agent.driver].install
        self._found.problem(
            "COMMAND_NOT_FOUND",
            _("%(agent)s: the command “%(command)s” was not found.") % {"agent": agent_id, "command": name},
            install or _("Install it, or give its full path in the configuration."),
        )

    # ------------------------------------------------------------ the other CLIs
    def _tell_of(self, program: Program, looked: Looked) -> None:
        """Whatever is wrong with a CLI that no agent uses is no problem of the room."""
        if looked.probe.executable is None:
            if self._situation.is_about_all_drivers:
                self._found.note(
                    "CLI_MISSING", _("%(title)s is not installed.") % {"title": program.title}, program.install
                )
            return
        seen = self._evidence.of_drivers.get(program.driver)
        words = " ".join(filter(None, (program.driver, looked.probe.version)))
        details = _details(program, looked) | {"seen": seen.wire() if seen else None}
        said = f"{words}, {looked.probe.executable}{_seen_in_short(seen)}"
        if looked.probe.version and program.oldest_version and is_older(looked.probe.version, program.oldest_version):
            oldest = _("%(oldest)s is the oldest that was tried with GroupX") % {
                "oldest": _dotted(program.oldest_version)
            }
            self._found.note("CLI_OLD", f"{said} · {oldest}", program.install, **details)
        elif looked.sign_in is SignIn.NO:
            self._found.note("CLI_SIGNED_OUT", f"{said} · {_('nobody has signed in')}", program.sign_in, **details)
        else:
            self._found.ok("CLI_INSTALLED", said, **details)


def _details(program: Program, looked: Looked) -> dict[str, object]:
    return {
        "driver": program.driver,
        "path": looked.probe.executable,
        "version": looked.probe.version,
        "oldestVersion": _dotted(program.oldest_version) if program.oldest_version else None,
        "signedIn": looked.sign_in.value,
        "signsOfSignIn": signs_of_sign_in(program),
    }


def _dotted(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))


def _seen_in_short(seen: SeenCli | None) -> str:
    return f" · {seen.in_words()}" if seen and seen.verified else ""
