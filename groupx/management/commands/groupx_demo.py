"""`groupx demo`: the room with three scripted agents, for whoever has no agent CLI yet. Lives in `.groupx-demo/`."""

from groupx.management.commands.groupx_start import Command as StartCommand


class Command(StartCommand):
    help = "Start a room with three scripted agents in .groupx-demo/; needs no agent CLI and no account."
