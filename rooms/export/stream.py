"""GET /api/export: the transcript as a download (edge). Plain ASGI: paced by its reader, ended when that one leaves."""

import asyncio

from groupx.kernel.clock import Clock
from groupx.kernel.errors import ErrorCode, GroupXError
from groupx.kernel.logs import get_logger
from groupx.kernel.problems import error_body, problem_of
from rooms.asgi_json import Receive, Scope, Send, send_json
from rooms.consumers import until_disconnect
from rooms.envelope import dump
from rooms.export.formats import broken_off, file_name, read_request
from rooms.export.queries import Export, begin_export, next_piece
from rooms.transactions import StoreError, in_reader, translate

log = get_logger()


class ExportStream:
    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] != "GET":
            error = GroupXError(ErrorCode.METHOD_NOT_ALLOWED, "An export is read with GET.")
            await send_json(send, 405, dump(error_body(error)), [(b"allow", b"GET")])
            return
        try:
            export = await in_reader(begin_export, read_request(scope["query_string"]), clock=self._clock)
        except (GroupXError, StoreError) as error:
            known = error if isinstance(error, GroupXError) else translate(error)
            await send_json(send, problem_of(known).http_status, dump(error_body(known)))
            return
        sending = asyncio.create_task(_send_all(export, send), name="export")
        watching = asyncio.create_task(until_disconnect(receive), name="export-watch")
        try:
            await self._clock.wait({sending, watching}, None)
        finally:
            for task in (sending, watching):
                task.cancel()
            await asyncio.gather(sending, watching, return_exceptions=True)
        if not sending.cancelled() and (failure := sending.exception()) is not None:
            log.error("export_failed", exc_info=failure)


async def _send_all(export: Export, send: Send) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": _headers(export)})
    await _send(send, export.head)
    seq, is_last = export.after_seq, False
    try:
        while not is_last:
            piece = await in_reader(next_piece, export, seq)
            seq, is_last = piece.through_seq, piece.is_last
            await _send(send, piece.data)
        await _send(send, export.end)
    except StoreError as error:  # the status is out already: the last line says it
        log.exception("export_given_up", after_seq=seq)
        await _send(send, broken_off(export.format, translate(error)).encode())
    await send({"type": "http.response.body", "body": b""})


async def _send(send: Send, data: bytes) -> None:
    if data:
        await send({"type": "http.response.body", "body": data, "more_body": True})


def _headers(export: Export) -> list[tuple[bytes, bytes]]:
    name = file_name(export.format, export.after_seq, export.through_seq)
    return [
        (b"content-type", export.format.content_type.encode()),
        (b"content-disposition", f'attachment; filename="{name}"'.encode()),
        (b"x-groupx-last-seq", str(export.through_seq).encode()),
        (b"cache-control", b"no-store"),
        (b"x-content-type-options", b"nosniff"),
    ]
