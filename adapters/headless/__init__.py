"""One-shot runs of agent CLIs: a prompt in, the final answer out. Standard library only; knows no other app.

Each module with a `CHANNEL` is one way to reach an agent (`channels.py` lists them). A further CLI is one more module:
how it is started, and how its answer is read from its standard output.
"""
