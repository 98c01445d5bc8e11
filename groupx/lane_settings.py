"""Django's settings for a lane's process: the models and nothing of the web, so that lanes start fast and small."""

from groupx.settings import *  # noqa: F403

INSTALLED_APPS = ["groupx", "rooms", "turns", "memory"]
MIDDLEWARE: list[str] = []
