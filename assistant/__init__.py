"""The room's assistant: a private conversation beside the room, and the brain that answers in it."""
