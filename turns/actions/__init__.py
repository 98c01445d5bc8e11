"""The writes of turns: accept, claim, deliver, finish, cancel, retry, recover. One verb per file."""
