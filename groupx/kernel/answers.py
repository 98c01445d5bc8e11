"""The shapes of what clients are told. Typed dictionaries: a function that makes an answer says so by its return
type, the answer itself costs nothing, and the OpenAPI schema is read from here.

Field names are those on the wire. What may be absent is `NotRequired` and is never null unless its type says so.
"""

from typing import NotRequired, TypedDict

from pydantic import ConfigDict, with_config

from .errors import ErrorCode

ANSWER = ConfigDict(extra="forbid", use_attribute_docstrings=True)
"""A room documents exactly what this version sends."""


@with_config(ANSWER)
class Issue(TypedDict):
    path: str
    """Where in the request, in dots: `to.0`; empty for the whole."""
    line: NotRequired[int]
    """Of the configuration file, where it is that which does not fit."""
    message: str


@with_config(ConfigDict(extra="allow", use_attribute_docstrings=True))
class ErrorDetails(TypedDict):
    """Depends on the code."""

    issues: NotRequired[list[Issue]]
    """Every part of the request that does not fit."""
    unknownTargets: NotRequired[list[str]]
    fullTargets: NotRequired[list[str]]
    limit: NotRequired[int]


@with_config(ANSWER)
class ErrorInside(TypedDict):
    code: ErrorCode
    """Stable."""
    message: str
    """For people; may change."""
    details: NotRequired[ErrorDetails]


@with_config(ANSWER)
class ErrorAnswer(TypedDict):
    """The one shape of every refusal."""

    error: ErrorInside
