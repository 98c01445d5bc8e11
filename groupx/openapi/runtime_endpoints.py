"""The room as a program: health, measurements, its end, and this document."""

from http import HTTPMethod

from groupx.health import Health
from groupx.kernel.errors import ErrorCode
from groupx.openapi import examples
from groupx.openapi.endpoint import OF_A_BODY, OF_THE_DATABASE, Answer, Endpoint
from groupx.ping import Ping
from groupx.runtime_api import RuntimeAccepted, RuntimeCommand
from groupx.sign_in_api import SignInLink, SignInRequest

GET, POST = HTTPMethod.GET, HTTPMethod.POST

RUNTIME_ENDPOINTS = (
    Endpoint(
        method=GET,
        path="/api/health",
        part="runtime",
        summary="Who this is and whether it serves",
        words="In constant time, whatever the database holds.",
        answers={
            200: Answer(words="It serves.", shape=Health, example=examples.HEALTH),
            503: Answer(words="It drains.", shape=Health),
        },
    ),
    Endpoint(
        method=GET,
        path="/api/ping",
        part="runtime",
        summary="The least that is answered",
        words="No database is asked: the yardstick for measurements.",
        answers={200: Answer(words="It answers.", shape=Ping, example={"ok": True})},
    ),
    Endpoint(
        method=POST,
        path="/api/runtime/shutdown",
        part="runtime",
        summary="End the room",
        words="The key is the one health tells, so that nobody stops another room by mistake.",
        body=RuntimeCommand,
        body_example=examples.RUNTIME_COMMAND,
        answers={202: Answer(words="It drains and ends.", shape=RuntimeAccepted, example=examples.RUNTIME_ACCEPTED)},
        errors=(*OF_A_BODY, ErrorCode.RUNTIME_SCOPE_MISMATCH, ErrorCode.SESSION_NOT_AVAILABLE),
    ),
    Endpoint(
        method=POST,
        path="/api/runtime/restart",
        part="runtime",
        summary="Start the room anew with the newest configuration",
        words="Refused while that configuration is invalid; the port stays open.",
        body=RuntimeCommand,
        body_example=examples.RUNTIME_COMMAND,
        answers={202: Answer(words="It begins anew.", shape=RuntimeAccepted, example=examples.RUNTIME_ACCEPTED)},
        errors=(
            *OF_A_BODY,
            ErrorCode.RUNTIME_SCOPE_MISMATCH,
            ErrorCode.SESSION_NOT_AVAILABLE,
            ErrorCode.CONFIG_INVALID,
        ),
    ),
    Endpoint(
        method=POST,
        path="/api/admin/sign-in",
        part="runtime",
        summary="Get a link to the admin",
        words="It signs in once, for ten minutes, and is a secret. Nothing is stored: it is no command.",
        body=SignInRequest,
        answers={201: Answer(words="A fresh link.", shape=SignInLink, example=examples.SIGN_IN_LINK)},
        errors=(*OF_A_BODY, *OF_THE_DATABASE),
    ),
    Endpoint(
        method=GET,
        path="/metrics",
        part="runtime",
        summary="Measurements for Prometheus",
        words="What each one means stands in docs/operations.md.",
        answers={
            200: Answer(words="Text.", media_type="text/plain", example=examples.METRICS),
        },
    ),
    Endpoint(
        method=GET,
        path="/api/schema",
        part="runtime",
        summary="This document",
        answers={200: Answer(words="OpenAPI 3.1.", shape=dict[str, object])},
    ),
    Endpoint(
        method=GET,
        path="/api/docs",
        part="runtime",
        summary="This document as a page",
        answers={200: Answer(words="HTML.", media_type="text/html")},
    ),
)
