"""One module per command of `aig` (rooms/bus/cli.py)."""
