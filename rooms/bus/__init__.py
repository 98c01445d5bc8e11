"""The file bus `aig`: a group chat that is nothing but files (docs/aig.md).

It imports the standard library and adapters.headless alone.
Agents call it many times a minute, so it must start fast: a command's module is loaded when it is called.
"""
