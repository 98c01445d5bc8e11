"""`groupx resume AGENT`: a person at a terminal lets an agent of the running room go on. No Django."""

from collections.abc import Callable
from secrets import token_hex
from urllib.parse import quote

from groupx.ask_room import ask_room, running_room
from groupx.kernel.config import RunConfig
from groupx.terminal_words import gettext as _

AGENT = "agent:"


def resume(run: RunConfig, agent: str, say: Callable[[str], None]) -> None:
    """`agent` is its id in the configuration.

    Raises:
        GroupXError: SESSION_NOT_AVAILABLE when this room does not run, UNKNOWN_ACTOR when it has no such agent.
    """
    actor_id = AGENT + agent.removeprefix(AGENT)
    path = f"/api/agents/{quote(actor_id, safe=':')}/resume"
    answer = ask_room(running_room(run), path, {"clientCommandId": f"terminal-{token_hex(16)}"})
    words = _("%(agent)s goes on.") if answer["accepted"] else _("%(agent)s is neither paused nor given up.")
    say(words % {"agent": actor_id})
