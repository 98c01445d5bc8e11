"""What Twisted refuses before there is a request: answered in the project's error shape, and so that it is heard.

Twisted closes at an address that is too long and writes a bare 400 for the rest. A connection that is closed while
the client still sends is reset, and its answer lost; so the rest is read and thrown away for a moment.
"""

import json
from http import HTTPStatus
from typing import Any

from twisted.internet import reactor
from twisted.python.failure import Failure
from twisted.web.http import HTTPChannel

from groupx.kernel.errors import ErrorCode, GroupXError
from groupx.kernel.problems import error_body, problem_of

LINGER_SECONDS = 2.0


class PoliteChannel(HTTPChannel):
    """One connection of HTTP/1."""

    _end: Any = None

    def lineLengthExceeded(self, line: bytes) -> None:
        is_address = bool(self._HTTPChannel__first_line)
        self._refuse(_address_too_long() if is_address else _headers_too_large())

    def _respondToBadRequestAndDisconnect(self) -> None:
        """Called by Twisted for whatever else is no request."""
        too_large = self._receivedHeaderSize > self.totalHeadersSize or self._receivedHeaderCount > self.maxHeaders
        self._refuse(_headers_too_large() if too_large else _no_request())

    def _refuse(self, error: GroupXError) -> None:
        if self._end is not None:
            return
        self._buffer = b""
        self.lineReceived = self.rawDataReceived = self.dataReceived = _ignore
        if len(self.requests) > 1:  # an answer that is still being written comes first
            self.transport.abortConnection()
            return
        status = HTTPStatus(problem_of(error).http_status)
        body = json.dumps(error_body(error)).encode()
        head = (
            f"HTTP/1.1 {status.value} {status.phrase}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
        )
        self.transport.write(head.encode() + body)
        self.transport.loseWriteConnection()
        self._end = reactor.callLater(LINGER_SECONDS, self.transport.abortConnection)

    def connectionLost(self, reason: Failure) -> None:
        if self._end is not None and self._end.active():
            self._end.cancel()
        super().connectionLost(reason)


def _ignore(data: bytes) -> None:
    """Nothing that follows is a request."""


def _address_too_long() -> GroupXError:
    return GroupXError(ErrorCode.ADDRESS_TOO_LONG, f"An address has {HTTPChannel.MAX_LENGTH} bytes at the most.")


def _headers_too_large() -> GroupXError:
    return GroupXError(
        ErrorCode.HEADERS_TOO_LARGE,
        f"The headers of a request are {HTTPChannel.maxHeaders}, of {HTTPChannel.totalHeadersSize} bytes, at the most.",
    )


def _no_request() -> GroupXError:
    return GroupXError(ErrorCode.INVALID_ENVELOPE, "This is no HTTP/1.1 request.")
