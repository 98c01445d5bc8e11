"""A program for test_server.py: `BoundedServer` over an inherited socket, with an application that floods.

`/flood` sends for ever, `/sent` tells how much of it the server has taken, `/echo` tells the length of a body,
`/raise` fails. Arguments: descriptor of the socket, seconds without progress until a client is cut off.
"""

import asyncio
import json
import socket
import sys
from typing import Any

from groupx.server import BoundedServer
from tests.loop_steps import rounds

CHUNK = b"x" * 65_536


class Flood:
    def __init__(self) -> None:
        self.sent_bytes = 0
        self.streams = 0
        self.ended = asyncio.Event()

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        if scope["path"] == "/flood":
            await self._flood(receive, send)
        elif scope["path"] == "/raise":
            raise RuntimeError("on purpose")
        elif scope["path"] == "/end":
            await _answer(send, {"ending": True})
            self.ended.set()
        elif scope["path"] == "/echo":
            message = await receive()
            await _answer(send, {"length": len(message["body"]), "whole": not message["more_body"]})
        else:
            await _answer(send, {"sent": self.sent_bytes, "streams": self.streams})

    async def _flood(self, receive: Any, send: Any) -> None:
        await receive()
        gone = asyncio.create_task(receive())
        self.streams += 1
        try:
            await send({"type": "http.response.start", "status": 200, "headers": []})
            while not gone.done():
                await send({"type": "http.response.body", "body": CHUNK, "more_body": True})
                self.sent_bytes += len(CHUNK)
                await rounds()
        finally:
            gone.cancel()
            self.streams -= 1


async def _answer(send: Any, value: dict[str, Any]) -> None:
    body = json.dumps(value).encode()
    headers = [(b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def main() -> None:
    listener = socket.socket(fileno=int(sys.argv[1]))
    flood = Flood()
    server = BoundedServer(flood, stall_seconds=float(sys.argv[2]))

    async def live() -> None:
        server.open(listener)
        await flood.ended.wait()
        await server.close_listener()

    server.run_until(live())


if __name__ == "__main__":
    main()
