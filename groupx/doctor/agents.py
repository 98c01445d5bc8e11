"""The agents' CLIs: found, willing to tell their version, new enough, and whether somebody seems to have signed in.

Each is asked for its version only, with a bound; an agent of the open driver `acp` is not started at all.
"""

import asyncio
import os
from pathlib import Path

from adapters.contract import ProbeResult
from adapters.driver_names import PROGRAMS
from adapters.executables import find, version_of
from adapters.needs import is_older, needs_of, signs_of_sign_in
from adapters.probe import probe_all
from adapters.registry import driver_for
from groupx.doctor.findings import Finding, Findings, Part
from groupx.doctor.situation import Situation
from groupx.kernel.config import Agent
from groupx.terminal_words import gettext as _

OPEN_DRIVER = "acp"


def check_agents(situation: Situation) -> list[Finding]:
    found = Findings(Part.AGENTS)
    agents = situation.run.config.enabled_agents
    asyncio.run(_look_at_all(agents, found) if agents else _look_at_installed(found))
    return found.all


async def _look_at_installed(found: Findings) -> None:
    for result in await probe_all():
        if result.executable is not None:
            found.ok("CLI_INSTALLED", f"{result.driver} {result.version or ''}".strip() + f", {result.executable}")
    if not found.all:
        found.note(
            "NO_CLI",
            _("None of the agent CLIs that GroupX knows is installed here."),
            _("README.md says how they are installed; “groupx demo” needs none."),
        )


async def _look_at_all(agents: dict[str, Agent], found: Findings) -> None:
    asked = {(agent.driver, agent.argv) for agent in agents.values() if agent.driver != OPEN_DRIVER}
    drivers = {driver for driver, _argv in asked}
    nodes = asyncio.create_task(_node_version()) if any(needs_of(driver).node for driver in drivers) else None
    results = dict(zip(asked, await asyncio.gather(*(_ask(*question) for question in asked)), strict=True))
    node = await nodes if nodes is not None else None
    for agent_id, agent in agents.items():
        if agent.driver == OPEN_DRIVER:
            _judge_open(agent_id, agent, found)
        else:
            _judge(agent_id, agent, results[agent.driver, agent.argv], node, found)


async def _ask(driver: str, argv: tuple[str, ...]) -> ProbeResult:
    return await driver_for(driver).probe(argv)


async def _node_version() -> str | None:
    node = await asyncio.to_thread(find, "node")
    try:
        return await version_of((node,)) if node else None
    except OSError:
        return None


def _judge_open(agent_id: str, agent: Agent, found: Findings) -> None:
    executable = find(agent.argv[0], os.environ, Path(agent.cwd))
    if executable is None:
        _not_found(agent_id, agent, found)
    else:
        found.ok("AGENT", f"{agent_id}: {executable}")


def _judge(agent_id: str, agent: Agent, result: ProbeResult, node: str | None, found: Findings) -> None:
    if result.executable is None:
        _not_found(agent_id, agent, found)
        return
    program, needs = PROGRAMS[agent.driver], needs_of(agent.driver)
    signs = signs_of_sign_in(agent.driver)
    version = f" {result.version}" if result.version else ""
    if result.problem is not None:
        found.warning(
            "VERSION_UNKNOWN",
            f"{agent_id}: {result.executable}: {result.problem}",
            _("Run it once in a terminal with --version."),
        )
    else:
        found.ok("AGENT", f"{agent_id}: {agent.driver}{version}, {result.executable}", signsOfSignIn=signs)
    if result.version and needs.tested and is_older(result.version, needs.tested):
        found.warning(
            "VERSION_OLD",
            _("%(agent)s: version %(version)s is older than any that was tried with GroupX (%(oldest)s).")
            % {"agent": agent_id, "version": result.version, "oldest": ".".join(map(str, needs.tested))},
            program.install,
        )
    if needs.node and (node is None or is_older(node, needs.node)):
        found.problem(
            "NODE_TOO_OLD",
            _("%(agent)s needs node %(oldest)s or newer; here is %(node)s.")
            % {"agent": agent_id, "oldest": ".".join(map(str, needs.node)), "node": node or _("none")},
            _("Put a newer node first on PATH."),
        )
    if needs.as_root and os.geteuid() == 0 and not os.environ.get(needs.as_root):
        found.problem(
            "ROOT_REFUSED",
            _("%(agent)s: it does not work without asking as root.") % {"agent": agent_id},
            _("Start GroupX as another user, or with %(variable)s=1 in a container or other sandbox.")
            % {"variable": needs.as_root},
        )
    if not signs and (needs.files or needs.variables):
        found.note(
            "NO_SIGN_IN_SEEN", _("%(agent)s: no sign of a sign-in was found.") % {"agent": agent_id}, program.sign_in
        )


def _not_found(agent_id: str, agent: Agent, found: Findings) -> None:
    install = PROGRAMS[agent.driver].install
    found.problem(
        "COMMAND_NOT_FOUND",
        _("%(agent)s: the command “%(command)s” was not found.") % {"agent": agent_id, "command": agent.argv[0]},
        install or _("Install it, or give its full path in the configuration."),
    )
