"""What runs of this room, what should, and what was left over; who has its port."""

from groupx import lifecycle, run_files
from groupx.doctor.findings import Finding, Findings, Part, Repair
from groupx.doctor.situation import Situation, as_it_runs
from groupx.kernel.config import RunConfig
from groupx.lifecycle import Answer
from groupx.quiet_room import survivors
from groupx.terminal_words import gettext as _

PROBE_SECONDS = 1.5


def check_processes(situation: Situation) -> list[Finding]:
    found = Findings(Part.PROCESSES)
    if situation.is_running:
        _check_running(as_it_runs(situation), found)
    else:
        if situation.can_use_configuration:
            _check_port(situation.run, found)
        _check_left_over(situation.run, found)
    return found.all


def _check_running(run: RunConfig, found: Findings) -> None:
    answer = lifecycle.probe(run, timeout_seconds=PROBE_SECONDS)
    url = f"{run.origin}/"
    if answer.is_ours:
        state = _("is closing") if answer.is_closing else _("runs")
        found.ok("ROOM_RUNS", _("The room %(state)s: %(url)s") % {"state": state, "url": url})
    else:
        found.problem(
            "ROOM_SILENT",
            _("The room's parent process lives, but nothing answers at %(url)s.") % {"url": url},
            _("It may be starting; look at its log, or end it with Ctrl-C and start it again."),
        )
    for agent_id in run.config.enabled_agents:
        if not run_files.is_locked(run.run_dir / f"lane-{agent_id}.lock"):
            found.warning(
                "LANE_DOWN",
                _("No worker is at work for the agent “%(agent)s”.") % {"agent": agent_id},
                _("It is started again by itself; if this stays, the log has its last words."),
            )


def _check_port(run: RunConfig, found: Findings) -> None:
    port = run.config.server.port
    answer = lifecycle.probe(run, timeout_seconds=PROBE_SECONDS)
    if answer.answer is Answer.NOTHING:
        found.ok("PORT_FREE", _("The room does not run; port %(port)d is free") % {"port": port})
        return
    if answer.is_ours:
        found.warning(
            "SERVER_WITHOUT_PARENT",
            _("A server of this room still answers on port %(port)d, but its parent is gone.") % {"port": port},
            _("It ends by itself within 15 seconds."),
            Repair.PROCESSES,
        )
        return
    found.problem("PORT_IN_USE", lifecycle.who_is_there(answer, run, lifecycle.owner_of_port(port)))


def _check_left_over(run: RunConfig, found: Findings) -> None:
    if left := survivors(run):
        pids = sorted({process.pid for process in left})
        found.problem(
            "ORPHANS",
            _("Processes of a run that has ended are still alive: %(pids)s") % {"pids": ", ".join(map(str, pids))},
            _("The next start ends them as well."),
            Repair.PROCESSES,
            pids=pids,
        )
    elif stale := run_files.process_records(run.run_dir):
        found.note(
            "STALE_RUN_FILES",
            _("%(count)d records of processes that have ended lie in %(folder)s.")
            % {"count": len(stale), "folder": run.run_dir},
            _("The next start removes them as well."),
            Repair.PROCESSES,
        )
