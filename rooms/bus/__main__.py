"""`python -m rooms.bus` is `aig`."""

from rooms.bus.cli import run

run()
