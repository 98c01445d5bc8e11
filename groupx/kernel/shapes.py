"""Base classes for everything that crosses a border, and strict reading of JSON.

`OwnShape` is what others send to us: an unknown field is an error. `VendorShape` is what a vendor sends:
unknown fields are none of our business.
"""

import json
from typing import Annotated, Any
from urllib.parse import parse_qs

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, GetJsonSchemaHandler, ValidationError
from pydantic.alias_generators import to_camel
from pydantic_core import CoreSchema, ErrorDetails

from .errors import ErrorCode, GroupXError, invalid, issue
from .text import SOMETHING, is_blank, is_storable

MAX_ISSUES = 32
MAX_DEPTH = 64
"""Of lists and objects in each other. The parser takes more than Python's stack does."""
SENDER_FIELDS = ("from", "actor", "author", "provenance", "eventId")


class OwnShape(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        strict=True,
        alias_generator=to_camel,
        validate_by_name=True,
        validate_by_alias=True,
    )

    def wire(self) -> dict[str, Any]:
        """camelCase, absent instead of null."""
        return self.model_dump(by_alias=True, exclude_none=True, mode="json")


class VendorShape(BaseModel):
    model_config = ConfigDict(
        extra="ignore", frozen=True, alias_generator=to_camel, validate_by_name=True, validate_by_alias=True
    )


class Says:
    """What a validator of ours checks, said in JSON Schema: `Says(pattern=…)` beside the validator."""

    def __init__(self, **keywords: Any) -> None:
        self._keywords = keywords

    def __get_pydantic_json_schema__(self, core: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return {**handler(core), **self._keywords}


def not_blank(value: str) -> str:
    if is_blank(value):
        raise ValueError("must not be blank")
    return value


Text = Annotated[str, AfterValidator(not_blank), Says(pattern=SOMETHING)]
"""A string with something to be seen in it."""


def _from_digits(value: object) -> object:
    if not isinstance(value, str):
        return value
    if not (value.isascii() and value.isdigit() and len(value) <= MAX_DIGITS):
        raise ValueError("must be a whole number, in plain decimal digits")
    return int(value)


MAX_DIGITS = 19
"""Of 2^63 - 1, the largest number a database keeps."""
FROM_DIGITS = BeforeValidator(_from_digits)
"""For a number in a query string: `Annotated[int, Field(ge=1), FROM_DIGITS]`."""


def read_object(raw: bytes) -> dict[str, Any]:
    """The JSON object in a request body.

    Raises:
        GroupXError: INVALID_ENVELOPE for invalid UTF-8 or JSON, NaN and Infinity, anything but an object, and
            for NUL or lone surrogates in any string (docs/protocol.md, "Requests").
    """
    try:
        value = json.loads(raw.decode("utf-8"), parse_constant=_refuse_constant, object_pairs_hook=_no_key_twice)
    except UnicodeDecodeError:
        raise invalid("The body is not valid UTF-8.") from None
    except (ValueError, RecursionError):
        raise invalid("The body is not valid JSON.") from None
    if not isinstance(value, dict):
        raise invalid("The body must be a JSON object.")
    refuse_unstorable(value)
    return value


def _no_key_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Two values for one key: whichever counted, somebody would be surprised."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise invalid("The body gives a key twice.")
    return found


def _refuse_constant(name: str) -> None:
    raise ValueError(name)


def refuse_unstorable(value: Any, path: str = "", depth_left: int = MAX_DEPTH) -> None:
    """
    Raises:
        GroupXError: INVALID_ENVELOPE for NUL or lone surrogates in any string and for a structure deeper than that.
    """
    if depth_left == 0:
        raise invalid("The body is nested too deeply.", path)
    match value:
        case str():
            if not is_storable(value):
                raise invalid("Text must not contain NUL or half of a surrogate pair.", path)
        case dict():
            for key, inner in value.items():
                refuse_unstorable(key, path, depth_left)
                refuse_unstorable(inner, f"{path}.{key}" if path else key, depth_left - 1)
        case list():
            for index, inner in enumerate(value):
                refuse_unstorable(inner, f"{path}.{index}", depth_left - 1)


def refuse_sender_fields(payload: dict[str, Any], *, levels: int = 2) -> None:
    """The sender is known by the channel; a request that names one is refused before anything else is read.

    Raises:
        GroupXError: SENDER_FIELD_FORBIDDEN with the path of the field.
    """

    def look(value: Any, path: str, left: int) -> None:
        if left == 0:
            return
        if isinstance(value, dict):
            for key, inner in value.items():
                here = f"{path}.{key}" if path else key
                if key in SENDER_FIELDS:
                    raise GroupXError(
                        ErrorCode.SENDER_FIELD_FORBIDDEN,
                        f"The field “{key}” cannot be set: the room knows the sender by the channel.",
                        issues=[issue(here, "not allowed in a request")],
                    )
                look(inner, here, left - 1)
        elif isinstance(value, list):
            for index, inner in enumerate(value):
                look(inner, f"{path}.{index}", left)

    look(payload, "", levels)


def parse_query[T: OwnShape](shape: type[T], query_string: str) -> T:
    """The parameters of a GET. What the shape does not know is no business of ours.

    Raises:
        GroupXError: INVALID_ENVELOPE naming each parameter that does not fit or is given more than once.
    """
    known = {field.alias or name for name, field in shape.model_fields.items()}
    given = {name: values for name, values in parse_qs(query_string, keep_blank_values=True).items() if name in known}
    for name, values in given.items():
        if len(values) > 1:
            raise invalid(f"{name} is given more than once.", name)
    return parse(shape, {name: values[0] for name, values in given.items()})


def parse[T: OwnShape](shape: type[T], payload: dict[str, Any]) -> T:
    """A request of this shape, or INVALID_ENVELOPE naming the fields that are wrong, MAX_ISSUES at the most."""
    refuse_sender_fields(payload)
    try:
        return shape.model_validate(payload)
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False)
        issues = [issue(".".join(str(part) for part in e["loc"]), _sentence(e)) for e in found[:MAX_ISSUES]]
        first = issues[0]
        where = f"“{first['path']}”: " if first["path"] else ""
        raise GroupXError(ErrorCode.INVALID_ENVELOPE, f"{where}{first['message']}", issues=issues) from None


def _sentence(error: ErrorDetails) -> str:
    """pydantic's own, and of a text that is too long always the same: behind a validator of ours it counts “items”."""
    context = error.get("ctx", {})
    if error["type"] == "too_long" and context.get("field_type") == "Value":
        expected_plural = "" if context["max_length"] == 1 else "s"
        return f"String should have at most {context['max_length']} character{expected_plural}"
    return error["msg"].removeprefix("Value error, ")
