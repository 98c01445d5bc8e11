"""groupx.json as it is now."""

from pathlib import Path

from groupx.doctor.findings import Finding, Findings, Part
from groupx.doctor.situation import Situation, as_it_runs
from groupx.kernel.config import GroupXConfig, RunConfig
from groupx.terminal_words import gettext as _


def check_configuration(situation: Situation) -> list[Finding]:
    found = Findings(Part.CONFIGURATION)
    path = situation.config_path
    if not situation.is_configured:
        found.note(
            "NOT_CONFIGURED",
            _("There is no %(path)s.") % {"path": path},
            _("“%(command)s” writes one for the agent CLIs that it finds.") % {"command": situation.command("start")},
        )
        return found.all
    if situation.config_error is not None:
        found.problem(
            situation.config_error.code.value,
            situation.config_error.message,
            _("docs/configuration.md has every key. A running room goes on with what it was started with."),
        )
        return found.all
    config = situation.run.config
    enabled = ", ".join(config.enabled_agents) or _("none")
    found.ok("CONFIGURED", _("%(path)s, agents: %(agents)s") % {"path": path, "agents": enabled})
    for agent_id, agent in config.enabled_agents.items():
        if not Path(agent.cwd).is_dir():
            found.problem(
                "AGENT_FOLDER_MISSING",
                _("agents.%(agent)s.cwd: the folder %(folder)s does not exist.")
                % {"agent": agent_id, "folder": agent.cwd},
                _("Create it, or correct cwd."),
            )
    if situation.is_running and _settings(as_it_runs(situation)) != _settings(situation.run):
        found.note(
            "CONFIG_CHANGED",
            _("The running room was started with other settings than the file has now."),
            _("“%(command)s” takes them over.") % {"command": situation.command("restart")},
        )
    return found.all


def _settings(run: RunConfig) -> GroupXConfig:
    """But for the port, which may have been given on the command line."""
    server = run.config.server.model_copy(update={"port": 1})
    return run.config.model_copy(update={"server": server})
