"""`groupx doctor --live AGENT`: one short turn, really run, told as it happens; what it shows is kept as evidence.

In a room that runs the turn goes through the room like any other. While none runs, the agent gets a session of its own
in its folder, which is over afterwards.
"""

import json
import sys
from contextlib import suppress
from typing import Any, TextIO

from adapters.contract import Capability, Evidence
from groupx.doctor.live_alone import check_alone
from groupx.doctor.live_in_room import check_in_room
from groupx.doctor.live_report import LiveReport, Narrator
from groupx.kernel.config import RunConfig
from groupx.kernel.errors import ErrorCode, GroupXError
from groupx.stop import where_it_runs
from groupx.terminal_words import gettext as _
from groupx.terminal_words import harmless, in_words
from turns.capability_words import CAPABILITY_WORDS


def check_live(run: RunConfig, agent_id: str, *, seconds: int, as_json: bool, control_fd: int | None = None) -> int:
    """Gives the exit code: 0 when the agent has answered, 1 when it has not.

    `control_fd`: of the line to a process that waits for it; without that process it ends by itself.

    Raises:
        GroupXError: UNKNOWN_ACTOR when the configuration has no such agent, SESSION_NOT_AVAILABLE when the room closes.
    """
    if agent_id not in run.config.agents:
        known = ", ".join(run.config.agents) or _("none")
        raise GroupXError(
            ErrorCode.UNKNOWN_ACTOR,
            _("There is no agent “%(agent)s” in %(path)s; there are: %(known)s.")
            % {"agent": agent_id, "path": run.config_path, "known": known},
        )
    narrator = Narrator(sys.stderr if as_json else sys.stdout)
    here, found = where_it_runs(run)
    if found.is_closing:
        raise GroupXError(ErrorCode.SESSION_NOT_AVAILABLE, _("The room is closing; try again in a moment."))
    if found.is_ours:
        report = check_in_room(here, agent_id, seconds=seconds, narrator=narrator)
    else:
        report = check_alone(run, agent_id, seconds=seconds, narrator=narrator, control_fd=control_fd)
    if as_json:
        _print(json.dumps(report.wire(), ensure_ascii=False, indent=2), sys.stdout)
    else:
        _print(harmless("\n".join(_lines(report))), sys.stdout)
    return 0 if report.is_ok else 1


def _lines(report: LiveReport) -> list[str]:
    took = f"{report.took_ms / 1000:.1f} s"
    lines = [
        _("Answered after %(took)s.") % {"took": took}
        if report.is_ok
        else _("No answer after %(took)s: %(status)s.") % {"took": took, "status": report.status}
    ]
    if report.message:
        lines.append(f"{in_words(report.message)} ({report.error_code})" if report.error_code else report.message)
    if report.hint:
        lines.append(f"→ {in_words(report.hint)}")
    if report.output:
        lines += [_("Its last words:"), *(f"  {line}" for line in report.output.splitlines()[-10:])]
    if used := _usage_in_words(report.usage):
        lines.append(_("Used: %(used)s") % {"used": used})
    if report.is_in_room and not report.is_ok:
        return lines  # what is known of it is of other turns
    for evidence, title in (
        (Evidence.VERIFIED, _("Seen: %(what)s")),
        (Evidence.UNSUPPORTED, _("Not able to: %(what)s")),
    ):
        if found := [what for what, how in report.seen.items() if how is evidence]:
            lines.append(title % {"what": _in_words(found)})
    if report.is_kept:
        lines.append(_("This is kept as evidence for %(cli)s.") % {"cli": report.cli})
    elif report.not_kept:
        lines.append(report.not_kept)
    return lines


def _in_words(capabilities: list[Capability]) -> str:
    return _(", ").join(_(CAPABILITY_WORDS[capability]) for capability in capabilities)


def _usage_in_words(usage: dict[str, Any]) -> str:
    """The figures as the agent told them, under their own names."""
    tokens = [f"{name.removesuffix('Tokens')} {usage[name]:,}" for name in usage if name.endswith("Tokens")]
    cost = [f"${usage['costUsd']:.4f}"] if "costUsd" in usage else []
    return " · ".join(([_("tokens %(figures)s") % {"figures": ", ".join(tokens)}] if tokens else []) + cost)


def _print(text: str, stream: TextIO) -> None:
    with suppress(OSError):
        print(text, file=stream, flush=True)
