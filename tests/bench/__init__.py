"""Measurements of a real room under load: `uv run python -m tests.bench` (docs/performance.md, "Running it")."""
