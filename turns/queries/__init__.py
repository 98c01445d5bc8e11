"""Reads around turns: agents' cards, one turn, the room's snapshot, a lane's orders. Frozen views out."""
