"""The admin: every table to be looked at, with its links to the others; nothing is written but by commands.

Django's admin with our look. It reads models of all apps, so it stands in the roof. The log and all that hangs on it
cannot be added to, changed or deleted here, not by a superuser either; its actions call what REST calls.
"""
