"""The OpenAPI document says what there is: every route, every shape, every example. Our contract."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.urls import URLPattern, URLResolver, get_resolver
from jsonschema import Draft202012Validator
from jsonschema.validators import validator_for

from groupx.kernel.problems import PROBLEMS
from groupx.openapi.document import openapi_document, refusals_of
from groupx.openapi.endpoints import ENDPOINTS
from groupx.setup import api as setup_api
from memory import context_api
from rooms.bodies import BODY_OF
from rooms.vocabulary import EventType
from tests.openapi.validation import validator_of
from tests.setup.desks import a_desk
from turns import fast_api

ASSISTANT = {f"/api/assistant{path}" for path in ("", "/messages", "/cancel", "/events")}
STREAMS_AND_SERVER = {*ASSISTANT, "/api/context/compact", "/api/events", "/api/export", "/api/health", "/metrics"}
"""Routed in groupx/asgi.py beside those of fast_api and context_api."""


def routes(patterns: list[Any], prefix: str = "/") -> Iterator[str]:
    for pattern in patterns:
        path = prefix + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from routes(pattern.url_patterns, path)
        elif isinstance(pattern, URLPattern):
            yield re.sub(r"<[^>]+>", "{}", path)


def test_every_route_is_documented_and_every_documented_path_is_a_route():
    """What is no page: below /api, and /metrics."""
    plain = [*fast_api.routes, *context_api.routes, *setup_api.routes(a_desk(Path()))]
    answered = {*routes(get_resolver().url_patterns), *routes(plain), *STREAMS_AND_SERVER}
    documented = {re.sub(r"{\w+}", "{}", path) for path in openapi_document()["paths"]}
    assert documented == {path for path in answered if path.startswith(("/api/", "/metrics"))}


def test_the_document_is_json_and_its_schemas_are_schemas():
    document = json.loads(json.dumps(openapi_document()))
    assert document["openapi"].startswith("3.1")
    for schema in document["components"]["schemas"].values():
        validator_for(schema, Draft202012Validator).check_schema(schema)


def references(value: Any) -> Iterator[str]:
    match value:
        case {"$ref": str(ref)}:
            yield ref
        case dict():
            for inner in value.values():
                yield from references(inner)
        case list():
            for inner in value:
                yield from references(inner)


def test_every_reference_leads_somewhere_and_every_shape_is_referred_to():
    document = openapi_document()
    there = {f"#/components/schemas/{name}" for name in document["components"]["schemas"]}
    assert set(references(document)) == there


def test_operations_have_ids_of_their_own_and_links_lead_to_them():
    ids = [endpoint.operation_id for endpoint in ENDPOINTS]
    assert len(set(ids)) == len(ids)
    assert {link["operationId"] for endpoint in ENDPOINTS for link in endpoint.links.values()} <= set(ids)


@pytest.mark.parametrize("event_type", list(EventType))
def test_every_event_type_has_a_body(event_type):
    assert BODY_OF[event_type].event_type is event_type


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=lambda endpoint: endpoint.operation_id)
def test_an_endpoint_says_what_it_takes_and_gives_with_examples_that_fit(endpoint):
    operation = openapi_document()["paths"][endpoint.path][endpoint.method.lower()]
    assert operation["summary"]
    if "requestBody" in operation:
        content = operation["requestBody"]["content"]["application/json"]
        validator_of(content["schema"]).validate(content["example"])
    for status, response in operation["responses"].items():
        for content in response["content"].values():
            if "example" in content and not isinstance(content["example"], str):
                validator_of(content["schema"]).validate(content["example"])
        assert response["description"] and (status < "300" or "application/json" in response["content"])


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=lambda endpoint: endpoint.operation_id)
def test_each_refusal_stands_under_the_status_of_its_code(endpoint):
    for status, codes in refusals_of(endpoint).items():
        assert {PROBLEMS[code].http_status for code in codes} == {status}


@pytest.mark.parametrize(
    ("to", "fits"),
    [
        (["agent:a"], True),
        (["@all"], True),
        (["@all", "agent:a"], False),
        (["@all", "@all"], False),
        (["agent:a", "agent:a"], False),
        ([], False),
    ],
)
def test_the_document_says_that_everyone_stands_alone(to, fits):
    message = {"clientCommandId": "c", "content": "x", "to": to}
    assert validator_of({"$ref": "#/components/schemas/SendMessage"}).is_valid(message) is fits
