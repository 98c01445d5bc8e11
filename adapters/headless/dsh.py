"""DSH: its standard output is the final message. Its prompt is an argument."""

from adapters.headless.channel import ProcessChannel
from adapters.headless.command import read

CHANNEL = ProcessChannel(
    name="dsh",
    executables=("dsh",),
    args=("--profile", "headless"),
    prompt_flag="",
    # in its default sandbox it could not write into the room, which lies outside its folder
    settings={"DSH_PERMISSION_MODE": ("AIGROUP_DSH_PERMISSION_MODE", "danger-full-access")},
    read=read,
)
