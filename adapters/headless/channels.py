"""Every channel by its name. A further one is one more entry here."""

from collections.abc import Mapping

from adapters.headless import claude, codex, command, dsh, gemini, groupx, kimi, opencode, qwen, workbuddy
from adapters.headless.contract import Channel

CHANNELS: Mapping[str, Channel] = {
    channel.name: channel
    for channel in (
        opencode.CHANNEL,
        workbuddy.CHANNEL,
        dsh.CHANNEL,
        codex.CHANNEL,
        claude.CHANNEL,
        kimi.CHANNEL,
        gemini.CHANNEL,
        qwen.CHANNEL,
        groupx.CHANNEL,
        command.CHANNEL,
    )
}
