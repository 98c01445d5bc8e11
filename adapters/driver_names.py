"""The drivers that a configuration may name: data, so that a process which runs no agent need not import them."""

from adapters.acp.profiles import PROFILES

DRIVER_NAMES = tuple(sorted(profile.driver for profile in PROFILES))
