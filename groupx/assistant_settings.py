"""Django's settings for the assistant's process: as a lane's, and its own tables."""

from groupx.lane_settings import *  # noqa: F403
from groupx.lane_settings import INSTALLED_APPS as OF_A_LANE

INSTALLED_APPS = [*OF_A_LANE, "assistant"]
