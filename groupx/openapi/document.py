"""From the list of endpoints to one OpenAPI 3.1 document. JSON Schema 2020-12 is what pydantic writes, so it fits."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode

from groupx.kernel.answers import ErrorAnswer
from groupx.kernel.errors import ErrorCode
from groupx.kernel.problems import PROBLEMS
from groupx.kernel.version import VERSION
from groupx.openapi.endpoint import EVENT_STREAM, JSON, OF_EVERY_REQUEST, Answer, Endpoint
from groupx.openapi.endpoints import ENDPOINTS, PARTS, PATH_VARIABLES
from rooms.answers import Event
from rooms.bodies import BODY_OF

INTRODUCTION = (
    "Names are camelCase. Writes are JSON objects; what they may hold is closed. Text has neither NUL nor lone "
    "surrogates. Every refusal has the one shape `ErrorAnswer`. A method that an address does not take is 405 "
    "`METHOD_NOT_ALLOWED` with `Allow`; a fault of ours is 500 `INTERNAL_ERROR`. HEAD is taken wherever GET is, but "
    "for streams. What a client may rely on stands in docs/protocol.md."
)
SCHEMAS = "#/components/schemas/"


class _Generator(GenerateJsonSchema):
    def field_title_should_be_set(self, schema: Any) -> bool:
        return False


@cache
def openapi_document() -> Mapping[str, Any]:
    shapes = _Shapes(ENDPOINTS)
    paths: dict[str, dict[str, Any]] = defaultdict(dict)
    for endpoint in ENDPOINTS:
        paths[endpoint.path][endpoint.method.lower()] = _operation(endpoint, shapes)
    return {
        "openapi": "3.1.0",
        "jsonSchemaDialect": "https://json-schema.org/draft/2020-12/schema",
        "info": {"title": "GroupX", "version": VERSION, "description": INTRODUCTION},
        "servers": [{"url": "/"}],
        "tags": [{"name": name, "description": words} for name, words in PARTS.items()],
        "paths": dict(paths),
        "components": {"schemas": shapes.without_queries(ENDPOINTS)},
    }


class _Shapes:
    """All shapes in one go, so that each has one name."""

    def __init__(self, endpoints: Iterable[Endpoint]) -> None:
        requests = {shape for e in endpoints for shape in (e.query, e.body) if shape is not None}
        answers = [a for e in endpoints for a in e.answers.values()]
        told = {shape for a in answers for shape in (a.shape, a.item_shape) if shape is not None}
        wanted: list[tuple[Any, JsonSchemaMode, TypeAdapter[Any]]] = [
            *((shape, "validation", TypeAdapter(shape)) for shape in sorted(requests, key=str)),
            *(
                (shape, "serialization", TypeAdapter(shape))
                for shape in sorted({*told, *BODY_OF.values(), ErrorAnswer}, key=str)
            ),
        ]
        self._found, made = TypeAdapter.json_schemas(
            wanted, ref_template=SCHEMAS + "{model}", schema_generator=_Generator
        )
        self.components: dict[str, Any] = made["$defs"]
        for body in BODY_OF.values():
            _leave_nulls_out(self.components[self._name_of(body)])
        self.components[Event.__name__]["allOf"] = [
            {
                "if": {"properties": {"type": {"const": event_type.value}}},
                "then": {"properties": {"body": {"$ref": SCHEMAS + self._name_of(body)}}},
            }
            for event_type, body in BODY_OF.items()
        ]

    def asked(self, shape: Any) -> dict[str, Any]:
        return self._found[shape, "validation"]

    def told(self, shape: Any) -> dict[str, Any]:
        return self._found[shape, "serialization"]

    def component(self, shape: Any) -> dict[str, Any]:
        found: dict[str, Any] = self.components[self.asked(shape)["$ref"].removeprefix(SCHEMAS)]
        return found

    def without_queries(self, endpoints: Iterable[Endpoint]) -> dict[str, Any]:
        """What is referred to: parameters stand with their operations."""
        names = {self.asked(e.query)["$ref"].removeprefix(SCHEMAS) for e in endpoints if e.query is not None}
        return {name: schema for name, schema in self.components.items() if name not in names}

    def _name_of(self, body: Any) -> str:
        return str(self.told(body)["$ref"]).removeprefix(SCHEMAS)


def _leave_nulls_out(schema: dict[str, Any]) -> None:
    """A body's field without a value is absent (`Body.wire`)."""
    for name, inner in schema["properties"].items():
        if {"type": "null"} in inner.get("anyOf", ()):
            schema["properties"][name] = _without_null(inner)


def _without_null(schema: Mapping[str, Any]) -> dict[str, Any]:
    rest = {key: value for key, value in schema.items() if key not in ("anyOf", "default")}
    kinds = [kind for kind in schema.get("anyOf", ()) if kind != {"type": "null"}]
    return {**schema} if not kinds else {**rest, **kinds[0]}


def _operation(endpoint: Endpoint, shapes: _Shapes) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "operationId": endpoint.operation_id,
        "tags": [endpoint.part],
        "summary": endpoint.summary,
        "description": endpoint.words or endpoint.summary,
        "parameters": list(_parameters(endpoint, shapes)),
        "responses": {**_answers(endpoint, shapes), **_refusals(endpoint, shapes)},
    }
    if endpoint.body is not None:
        content = {"schema": shapes.asked(endpoint.body), "example": endpoint.body_example}
        shown["requestBody"] = {"required": True, "content": {JSON: content}}
    return {name: value for name, value in shown.items() if value != []}


def _parameters(endpoint: Endpoint, shapes: _Shapes) -> Iterator[dict[str, Any]]:
    for name in [part[1:-1] for part in endpoint.path.split("/") if part.startswith("{")]:
        words, example = PATH_VARIABLES[name]
        schema = {"type": "string", "minLength": 1}
        yield {"name": name, "in": "path", "required": True, "description": words, "schema": schema, "example": example}
    if endpoint.query is not None:
        component = shapes.component(endpoint.query)
        for name, schema in component["properties"].items():
            schema = _without_null(schema)
            words = schema.pop("description", "")
            required = name in component.get("required", ())
            yield {"name": name, "in": "query", "required": required, "description": words, "schema": schema}
    for header in endpoint.headers:
        yield {
            "name": header.name, "in": "header", "required": False, "description": header.words,
            "schema": dict(header.schema),
        }  # fmt: skip


def _answers(endpoint: Endpoint, shapes: _Shapes) -> dict[str, Any]:
    return {
        str(status): {
            "description": answer.words,
            "content": {
                answer.media_type: _content(answer, shapes),
                **{media_type: {"schema": {"type": "string"}} for media_type in answer.other_media_types},
            },
            **({"links": dict(endpoint.links)} if endpoint.links else {}),
        }
        for status, answer in endpoint.answers.items()
    }


def _content(answer: Answer, shapes: _Shapes) -> dict[str, Any]:
    content: dict[str, Any] = {"schema": shapes.told(answer.shape) if answer.shape is not None else {"type": "string"}}
    if answer.item_shape is not None:
        content["x-itemSchema"] = shapes.told(answer.item_shape)
    if answer.media_type == EVENT_STREAM:  # what reads such streams takes the schema as that of each event
        data = {"type": "string", "contentMediaType": JSON, "contentSchema": shapes.told(answer.item_shape)}
        content["schema"] = {"type": "object", "properties": {"data": data}, "required": ["data"]}
    if answer.example is not None:
        content["example"] = answer.example
    return content


def refusals_of(endpoint: Endpoint) -> Mapping[int, Sequence[ErrorCode]]:
    """Its error codes by status."""
    codes = dict.fromkeys((*endpoint.errors, *OF_EVERY_REQUEST))
    by_status: dict[int, list[ErrorCode]] = defaultdict(list)
    for code in codes:
        by_status[PROBLEMS[code].http_status].append(code)
    return dict(sorted(by_status.items()))


def _refusals(endpoint: Endpoint, shapes: _Shapes) -> dict[str, Any]:
    shown = {}
    for status, codes in refusals_of(endpoint).items():
        only = {"properties": {"error": {"properties": {"code": {"enum": [code.value for code in codes]}}}}}
        content: dict[str, Any] = {"schema": {"allOf": [shapes.told(ErrorAnswer), only]}}
        words = "Refused: " + ", ".join(code.value for code in codes)
        if (answer := endpoint.answers.get(status)) is not None:
            content["schema"] = {"anyOf": [shapes.told(answer.shape), content["schema"]]}
            words = f"{answer.words} {words}"
        shown[str(status)] = {"description": words, "content": {JSON: content}}
    return shown
