"""Schemathesis over the whole document, against a real server: what fits is taken, what does not is refused in the
documented way, and nothing is a fault of ours. The same requests each time; GROUPX_FUZZ_EXAMPLES makes it longer
(docs/architecture.md, "Tests that look for faults"). What it has found is pinned by name in test_raw_bytes.py and
test_document.py.
"""

import json
import os
import shutil

import hypothesis
import schemathesis
from schemathesis.config import SchemathesisConfig
from schemathesis.specs.openapi.checks import positive_data_acceptance

from groupx.openapi.document import openapi_document
from groupx.openapi.endpoint import JSON
from rooms.requests import MAX_SEQ
from tests.openapi.served import TIMEOUT_SECONDS, ServedRoom

EXAMPLES = int(os.environ.get("GROUPX_FUZZ_EXAMPLES", "20"))
CONFIG = SchemathesisConfig(seed=20261130)
CONFIG.projects.default.generation.allow_x00 = False  # refused everywhere, as the document says in words
CONFIG.projects.default.checks.negative_data_rejection.expected_statuses += ["413"]
API = schemathesis.openapi.from_dict(json.loads(json.dumps(openapi_document())), config=CONFIG)
MEANS_MORE = {"/api/setup", "/api/setup/test"}
"""A draft of the right shape may be refused: for a folder that is not there, an id used twice."""


def settings(**more: int) -> hypothesis.settings:
    return hypothesis.settings(
        deadline=None, derandomize=True, database=None, suppress_health_check=list(hypothesis.HealthCheck), **more
    )


def end_the_stream(case: schemathesis.Case) -> None:
    """A good request for events has no end, and its two cursors must be equal, which JSON Schema cannot say."""
    if case.path != "/api/events":
        return
    case.query = {**(case.query or {}), "epoch": "of another database"}
    after, last = str(case.query.get("afterSeq", "")), str((case.headers or {}).get("Last-Event-ID", ""))
    if after.isdecimal() and last.isdecimal() and int(after) <= MAX_SEQ and int(last) <= MAX_SEQ:
        case.headers["Last-Event-ID"] = after


def start_no_cli(case: schemathesis.Case) -> None:
    """A good request for a trial would start a real one, which costs what it costs."""
    if case.path != "/api/setup/test":
        return
    match case.body:
        case {"agent": {"command": {"executable": str(name)} as program}} if shutil.which(name):
            program["executable"] = "no-such-cli"
        case {"agent": {"command": str(name)} as agent} if shutil.which(name):
            agent["command"] = "no-such-cli"


@API.parametrize()
@settings(max_examples=EXAMPLES)
def test_an_endpoint_keeps_what_the_document_says(case: schemathesis.Case, served: ServedRoom):
    end_the_stream(case)
    start_no_cli(case)
    is_unexpected = case.method.upper() != case.operation.method.upper()  # a write without a media type is 415
    headers = {"Content-Type": JSON} if is_unexpected else None
    excluded = [positive_data_acceptance] if case.path in MEANS_MORE else []
    case.call_and_validate(base_url=served.url, timeout=TIMEOUT_SECONDS, headers=headers, excluded_checks=excluded)


def test_what_one_answer_names_the_next_request_finds(served: ServedRoom):
    """Along the document's links: a message, its turn, a cancel, a retry."""

    class Workflow(API.as_state_machine()):  # type: ignore[misc]
        def get_call_kwargs(self, case: schemathesis.Case) -> dict[str, object]:
            return {"base_url": served.url, "timeout": TIMEOUT_SECONDS}

        def before_call(self, case: schemathesis.Case) -> None:
            end_the_stream(case)
            start_no_cli(case)

    Workflow.run(settings=settings(max_examples=max(2, EXAMPLES // 4), stateful_step_count=6))
