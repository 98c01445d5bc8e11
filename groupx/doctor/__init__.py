"""What is wrong with a room, seen from outside: read-only, bounded, without Django and without starting a model.

`examine` looks, `printing` tells, `repairs` (the only part that knows Django) mends what it was told to.
"""
