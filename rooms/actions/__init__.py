"""One verb per file; each is one transaction or joins one."""
