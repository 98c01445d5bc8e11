def driver_names():
    return ("acp", "grok", "kimi", "opencode")
