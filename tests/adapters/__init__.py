"""The native protocols, against pure values and against real child processes that misbehave."""
