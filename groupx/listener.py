"""The one listening socket of a room: which address, how it is bound, how many requests may wait in its queue."""

import socket
from contextlib import ExitStack

BACKLOG = 512
"""Requests that wait while serve is started again."""


def listen_address(host: str) -> str:
    """The address to listen on: a name would be looked up, and might mean two addresses."""
    return "127.0.0.1" if host == "localhost" else host


def listen(host: str, port: int) -> socket.socket:
    """One listening socket. SO_REUSEADDR lets a restart have the port at once; it never allows two listeners.

    Raises:
        OSError: the port is taken, or the address cannot be had.
    """
    address = listen_address(host)
    with ExitStack() as undo:
        listener = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_STREAM)
        undo.enter_context(listener)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((address, port))
        listener.listen(BACKLOG)
        undo.pop_all()
    return listener
