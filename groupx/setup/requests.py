"""What the setup is asked besides a draft to save."""

from typing import Any

from pydantic import Field

from groupx.kernel.shapes import OwnShape


class CheckCommand(OwnShape):
    """A draft as far as it has come."""

    config: dict[str, Any] = Field(description="As for saving; whatever does not fit is an issue of the answer.")
