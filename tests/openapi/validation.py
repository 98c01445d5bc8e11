"""Answers held to the OpenAPI document, as a client that reads it would."""

from typing import Any

from jsonschema import Draft202012Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

from groupx.openapi.document import openapi_document

_URI = "urn:groupx:openapi"


def validator_of(schema: Any) -> Draft202012Validator:
    """For a schema of the document; its references are the document's."""
    whole = Resource.from_contents(_absolute(openapi_document()), default_specification=DRAFT202012)
    registry = Registry().with_resource(_URI, whole)
    return Draft202012Validator(_absolute(schema), registry=registry)


def response_validator(method: str, path: str, status: int) -> Draft202012Validator:
    """For the JSON that `path` (as the document writes it) answers with this status."""
    responses = openapi_document()["paths"][path][method.lower()]["responses"]
    return validator_of(responses[str(status)]["content"]["application/json"]["schema"])


def _absolute(value: Any) -> Any:
    match value:
        case {"$ref": str(ref)} if ref.startswith("#"):
            return {**value, "$ref": _URI + ref}
        case dict():
            return {key: _absolute(inner) for key, inner in value.items()}
        case list() | tuple():
            return [_absolute(inner) for inner in value]
    return value
