"""The roof: settings, wiring, processes, commands. Imports everything; nobody imports it but its kernel."""

__version__ = "0.1.0"
