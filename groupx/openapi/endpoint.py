"""What the document says of one endpoint: its words, shapes and refusals. Shapes are those that the code uses."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPMethod
from typing import Any

from groupx.kernel.errors import ErrorCode
from groupx.kernel.shapes import OwnShape

JSON = "application/json"
EVENT_STREAM = "text/event-stream"

OF_EVERY_REQUEST = (ErrorCode.ORIGIN_FORBIDDEN, ErrorCode.RUNTIME_CLOSING)
OF_A_QUERY = (ErrorCode.INVALID_ENVELOPE, ErrorCode.NOT_FOUND)
"""Where there is `roomId`, another room is not found."""
OF_A_BODY = (
    ErrorCode.INVALID_ENVELOPE,
    ErrorCode.SENDER_FIELD_FORBIDDEN,
    ErrorCode.MESSAGE_TOO_LARGE,
    ErrorCode.UNSUPPORTED_MEDIA_TYPE,
)
OF_THE_DATABASE = (ErrorCode.STORE_UNAVAILABLE,)
OF_A_READING = (*OF_A_QUERY, *OF_THE_DATABASE)
OF_A_COMMAND = (*OF_A_BODY, ErrorCode.CLIENT_COMMAND_CONFLICT, *OF_THE_DATABASE)
SAME_COMMAND = "The same clientCommandId with the same content gets the same answer, byte for byte."


@dataclass(frozen=True, kw_only=True)
class Answer:
    """`shape` is a type that pydantic knows, or None for what is no JSON."""

    words: str
    shape: Any = None
    example: Any = None
    media_type: str = JSON
    item_shape: Any = None
    """Of each event or line, where the answer is a stream of them."""
    other_media_types: Sequence[str] = ()
    """What else it may be, as text."""


@dataclass(frozen=True, kw_only=True)
class Header:
    name: str
    words: str
    schema: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Endpoint:
    method: HTTPMethod
    path: str
    """With `{turnId}`, `{eventId}`, `{actorId}` where the route has a variable."""
    part: str
    """The heading it stands under."""
    summary: str
    words: str = ""
    query: type[OwnShape] | None = None
    headers: Sequence[Header] = ()
    body: type[OwnShape] | None = None
    body_example: Mapping[str, Any] = field(default_factory=dict)
    answers: Mapping[int, Answer]
    errors: Sequence[ErrorCode] = ()
    """Besides those of every request."""
    links: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """OpenAPI links: what of the answer is a parameter of which operation."""

    @property
    def operation_id(self) -> str:
        words = [word.strip("{}") for word in self.path.split("/") if word not in ("", "api")]
        return "_".join([self.method.lower(), *words])
