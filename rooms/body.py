"""What all bodies of events have in common. Pure."""

from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

from .vocabulary import EventType


class Body(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, alias_generator=to_camel, validate_by_name=True)
    event_type: ClassVar[EventType]

    def wire(self) -> dict[str, Any]:
        return self.model_dump(by_alias=True, exclude_none=True, mode="json")


class CutWhenLong(Body):
    """Its long text is cut where it need not be shown at once (docs/protocol.md, "Long text"); whole in the log."""

    truncated: bool | None = None
    full_length: int | None = None
