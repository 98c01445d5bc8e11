"""Reads: rows in, frozen answers out; nothing here writes."""
