"""What the kernel knows of drivers. Pure."""

OPEN_DRIVER = "acp"
"""Of any agent that speaks ACP: what the profile of another driver knows, its person says."""
