"""What clients may ask of the assistant. Pure."""

from typing import Annotated

from pydantic import Field

from groupx.kernel.config import MAX_MESSAGE_CHARACTERS
from groupx.kernel.shapes import OwnShape, Text
from rooms.requests import CommandId


class AskAssistant(OwnShape):
    client_command_id: CommandId
    content: Annotated[Text, Field(description=f"At most {MAX_MESSAGE_CHARACTERS:,} characters.")]


class CancelAssistant(OwnShape):
    client_command_id: CommandId | None = None
    """Without it the question that runs, or else the first that waits."""
