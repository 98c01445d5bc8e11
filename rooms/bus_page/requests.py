"""What the page of a bus room may ask. Pure."""

from typing import Annotated

from pydantic import AfterValidator, Field

from groupx.kernel.shapes import FROM_DIGITS, OwnShape, Says, Text
from rooms.bus.errors import UsageError
from rooms.bus.folder import MAX_NAME_CHARS, member_name

MAX_TEXT_CHARACTERS = 131_072
MAX_PAGE = 500
MAX_SEQ = 2**53 - 1


def _member(value: str) -> str:
    try:
        return member_name(value)
    except UsageError as error:
        raise ValueError(str(error).removesuffix(".")) from None


def _distinct(values: list[str]) -> list[str]:
    if len(set(values)) != len(values):
        raise ValueError("names a member twice")
    return values


Member = Annotated[str, Field(min_length=1, max_length=MAX_NAME_CHARS), AfterValidator(_member)]


class WriteToBus(OwnShape):
    """POST /api/bus/<room>/messages: as the member `human`."""

    client_command_id: Annotated[Text, Field(min_length=1, max_length=128)]
    to: Annotated[
        list[Member],
        Field(max_length=64, description="Members; nobody is everybody."),
        AfterValidator(_distinct),
        Says(uniqueItems=True),
    ] = []
    text: Annotated[Text, Field(max_length=MAX_TEXT_CHARACTERS)]
    reply_to: Annotated[Text, Field(max_length=128)] | None = None


class WakeMember(OwnShape):
    """POST /api/bus/<room>/members/<member>/wake: `{}`"""


class SwitchSelfDrive(OwnShape):
    """POST /api/bus/<room>/self-drive"""

    is_on: bool


class BusMessagesQuery(OwnShape):
    before_seq: Annotated[
        int, Field(ge=1, le=MAX_SEQ, description="Messages before this seq; without it the newest."), FROM_DIGITS
    ] = MAX_SEQ
    limit: Annotated[int, Field(ge=1, le=MAX_PAGE, description="How many at most."), FROM_DIGITS] = 100


class BusStreamQuery(OwnShape):
    after_seq: Annotated[int, Field(ge=0, le=MAX_SEQ, description="The last message the client has."), FROM_DIGITS] = 0
