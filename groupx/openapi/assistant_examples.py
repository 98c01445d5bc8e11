"""Examples of the side conversation with the assistant. A test holds them to their shapes."""

from typing import Any

_ID = "5b3f9f0e"
ABOUT = {
    "configured": True,
    "name": "Assistant",
    "driver": "codex",
    "status": "working",
    "statusText": "",
    "activeClientCommandId": _ID,
}
QUESTION = {"clientCommandId": _ID, "content": "Who is free to look at the failing test?"}
CANCEL = {"clientCommandId": _ID}
CANCELLED = {"accepted": True, "clientCommandId": _ID}
_ASKED: dict[str, Any] = {
    "messageId": "amsg_2700aaf35bd5502bc18ecdf9",
    "role": "user",
    "createdAt": "2026-11-30T10:41:03.120Z",
    "state": "answered",
    **QUESTION,
}
_REPLY = {
    "messageId": "amsg_8d0aaf35bd5502bc18ecdf11",
    "role": "assistant",
    "content": "Reviewer is. I gave it the test.",
    "clientCommandId": _ID,
    "createdAt": "2026-11-30T10:41:19.004Z",
}
ANSWERED = {"question": _ASKED, "reply": _REPLY}
MESSAGES = {"items": [_ASKED, _REPLY]}
STREAM = (
    'retry: 1000\n\nevent: assistant.state\ndata: {"configured":true, …}\n\n'
    f'event: assistant.delta\ndata: {{"clientCommandId":"{_ID}","chunkIndex":0,"text":"Reviewer "}}\n\n'
)
