"""The configuration from the page, the terminal and the assistant: drafts, their checks, saving, what waits."""
