"""The only place that reads or changes the environment of this process."""

import os
from collections.abc import Mapping

OURS = "GROUPX_"
DJANGO_SETTINGS = "DJANGO_SETTINGS_MODULE"


def value_of(name: str) -> str:
    """What a variable says; nothing when it is not set."""
    return os.environ.get(name, "")


def inherited() -> Mapping[str, str]:
    """All of it, as it is now: to be handed on to a part of the room, or to look a program up."""
    return dict(os.environ)


def for_others() -> dict[str, str]:
    """For a program that is no part of the room: nothing of ours, neither secrets nor settings."""
    env = {name: value for name, value in os.environ.items() if not name.startswith(OURS)}
    if env.get(DJANGO_SETTINGS, "").startswith("groupx."):
        del env[DJANGO_SETTINGS]  # an agent may work on another Django project
    return env


def put(name: str, value: str) -> None:
    """Set a variable for this process and what it starts."""
    os.environ[name] = value


def drop(name: str) -> None:
    os.environ.pop(name, None)
