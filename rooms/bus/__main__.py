"""`python -m rooms.bus` is `aig`."""

import sys

from rooms.bus.cli import main

sys.exit(main())
