"""What the page of the API shows, read from the OpenAPI document: nothing is said twice."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from groupx.openapi.document import SCHEMAS, openapi_document
from groupx.openapi.endpoints import PARTS


@dataclass(frozen=True, kw_only=True)
class TypeWords:
    """A type in words: what stands before the shape, the shape's name for a link, what stands after."""

    before: str = ""
    shape: str = ""
    after: str = ""


@dataclass(frozen=True, kw_only=True)
class FieldRow:
    name: str
    where: str
    """`path`, `query` or `header` of a parameter; empty for a field of a shape."""
    types: Sequence[TypeWords]
    is_required: bool
    words: SafeString


@dataclass(frozen=True, kw_only=True)
class AnswerBlock:
    status: str
    words: SafeString
    media_types: Sequence[str]
    types: Sequence[TypeWords]
    example: str


@dataclass(frozen=True, kw_only=True)
class Refusal:
    status: str
    codes: Sequence[str]


@dataclass(frozen=True, kw_only=True)
class EndpointBlock:
    anchor: str
    method: str
    path: str
    summary: str
    words: SafeString
    parameters: Sequence[FieldRow]
    body: Sequence[TypeWords]
    body_example: str
    answers: Sequence[AnswerBlock]
    refusals: Sequence[Refusal]


@dataclass(frozen=True, kw_only=True)
class PartBlock:
    name: str
    words: SafeString
    endpoints: Sequence[EndpointBlock]


@dataclass(frozen=True, kw_only=True)
class ShapeBlock:
    name: str
    words: SafeString
    fields: Sequence[FieldRow]
    types: Sequence[TypeWords]
    """Of a shape that has no fields: its values, or the shapes that it may be."""


@dataclass(frozen=True, kw_only=True)
class EventRow:
    type: str
    shape: str


@dataclass(frozen=True, kw_only=True)
class DocsPage:
    """What `api/docs.html` may use, as `page`."""

    version: str
    introduction: SafeString
    parts: Sequence[PartBlock]
    events: Sequence[EventRow]
    shapes: Sequence[ShapeBlock]


def docs_page() -> DocsPage:
    """In the language that is active."""
    document = openapi_document()
    operations = [
        (operation["tags"][0], _endpoint(method, path, operation))
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    ]
    shapes = document["components"]["schemas"]
    return DocsPage(
        version=document["info"]["version"],
        introduction=_said(document["info"]["description"]),
        parts=[
            PartBlock(name=name, words=_said(words), endpoints=[block for part, block in operations if part == name])
            for name, words in PARTS.items()
        ],
        events=[
            EventRow(
                type=rule["if"]["properties"]["type"]["const"],
                shape=_name(rule["then"]["properties"]["body"]["$ref"]),
            )
            for rule in shapes["Event"]["allOf"]
        ],
        shapes=[_shape(name, shapes[name]) for name in sorted(shapes)],
    )


def _endpoint(method: str, path: str, operation: Mapping[str, Any]) -> EndpointBlock:
    body = operation.get("requestBody", {}).get("content", {}).get("application/json")
    responses = operation["responses"].items()
    return EndpointBlock(
        anchor=operation["operationId"],
        method=method.upper(),
        path=path,
        summary=operation["summary"],
        words=_said(operation["description"]) if operation["description"] != operation["summary"] else SafeString(),
        parameters=[_parameter(parameter) for parameter in operation.get("parameters", ())],
        body=list(_types(body["schema"])) if body else [],
        body_example=_pretty(body["example"]) if body else "",
        answers=[_answer(status, response) for status, response in responses if status.startswith("2")],
        refusals=[
            Refusal(status=status, codes=_codes(response))
            for status, response in responses
            if not status.startswith("2")
        ],
    )


def _parameter(parameter: Mapping[str, Any]) -> FieldRow:
    return FieldRow(
        name=parameter["name"],
        where=parameter["in"],
        types=list(_types(parameter["schema"])),
        is_required=parameter["required"],
        words=_said(parameter["description"]),
    )


def _answer(status: str, response: Mapping[str, Any]) -> AnswerBlock:
    media_types = list(response["content"])
    content = response["content"][media_types[0]]
    return AnswerBlock(
        status=status,
        words=_said(response["description"]),
        media_types=media_types,
        types=list(_types(content.get("x-itemSchema", content["schema"]))),
        example=_pretty(content["example"]) if "example" in content else "",
    )


def _codes(response: Mapping[str, Any]) -> Sequence[str]:
    schema = response["content"]["application/json"]["schema"]
    if "anyOf" in schema:  # an answer of its own, or a refusal
        schema = schema["anyOf"][-1]
    codes: Sequence[str] = schema["allOf"][-1]["properties"]["error"]["properties"]["code"]["enum"]
    return codes


def _shape(name: str, schema: Mapping[str, Any]) -> ShapeBlock:
    required = schema.get("required", ())
    return ShapeBlock(
        name=name,
        words=_said(schema.get("description", "")),
        fields=[
            FieldRow(
                name=field,
                where="",
                types=list(_types(inner)),
                is_required=field in required,
                words=_said(inner.get("description", "")),
            )
            for field, inner in schema.get("properties", {}).items()
        ],
        types=[] if "properties" in schema else list(_types(schema)),
    )


def _types(schema: Mapping[str, Any]) -> Iterator[TypeWords]:
    """One for each kind that the value may be."""
    match schema:
        case {"$ref": ref}:
            yield TypeWords(shape=_name(ref))
        case {"anyOf": kinds}:
            for kind in kinds:
                yield from _types(kind)
        case {"enum": values}:
            yield TypeWords(before=" · ".join(map(str, values)))
        case {"const": value}:
            yield TypeWords(before=json.dumps(value))
        case {"type": "array", "items": items}:
            for kind in _types(items):
                yield TypeWords(before=_("list of") + " " + kind.before, shape=kind.shape, after=kind.after)
        case {"type": kind}:
            yield TypeWords(before=_kind_words(kind), after=_bounds(schema))
        case _:
            yield TypeWords(before=_("anything"))


def _kind_words(kind: str) -> str:
    return {
        "string": _("text"),
        "integer": _("whole number"),
        "number": _("number"),
        "boolean": _("true or false"),
        "object": _("object"),
        "null": _("null"),
    }[kind]


def _bounds(schema: Mapping[str, Any]) -> str:
    match schema:
        case {"minimum": low, "maximum": high}:
            return _("%(low)s to %(high)s") % {"low": low, "high": high}
        case {"maxLength": longest}:
            return _("up to %(longest)s characters") % {"longest": longest}
    return ""


def _said(words: str) -> SafeString:
    """Escaped; what stands in backticks becomes code."""
    return mark_safe(re.sub(r"`([^`]+)`", r'<code class="code">\1</code>', escape(words)))


def _name(ref: str) -> str:
    return ref.removeprefix(SCHEMAS)


def _pretty(example: Any) -> str:
    return example if isinstance(example, str) else json.dumps(example, indent=2, ensure_ascii=False)
