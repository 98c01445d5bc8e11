"""Which agents the room has: its configuration file, edited from the page."""

from http import HTTPMethod

from groupx.kernel.errors import ErrorCode
from groupx.openapi import setup_examples as examples
from groupx.openapi.endpoint import OF_A_BODY, Answer, Endpoint
from groupx.setup.answers import Checked, LaunchTold, Pending, SetupSaved, SetupTold, Tried
from groupx.setup.draft import SetupCommand, TryCommand
from groupx.setup.requests import CheckCommand

GET, POST = HTTPMethod.GET, HTTPMethod.POST

SETUP_ENDPOINTS = (
    Endpoint(
        method=GET,
        path="/api/setup",
        part="setup",
        summary="What is configured, and what could be",
        words=(
            "The draft has what can be edited here; what it does not show (limits, timeouts, an agent's spendLimit …) "
            "stays as it is. Asks the installed CLIs for their versions, which may take some seconds."
        ),
        answers={200: Answer(words="The file, the CLIs, the draft.", shape=SetupTold, example=examples.SETUP)},
    ),
    Endpoint(
        method=POST,
        path="/api/setup",
        part="setup",
        summary="Save a draft",
        words=(
            "The file is replaced in one step and the former one kept as groupx.json.bak. A room that runs goes on "
            "with what it was started with; in the setup before the first start the room begins, see "
            "`/api/setup/launch`. No command of the room: nothing is stored in its database."
        ),
        body=SetupCommand,
        body_example=examples.COMMAND,
        answers={200: Answer(words="It is saved.", shape=SetupSaved, example=examples.SAVED)},
        errors=(*OF_A_BODY, ErrorCode.FILE_REFUSED),
    ),
    Endpoint(
        method=POST,
        path="/api/setup/check",
        part="setup",
        summary="Say what is wrong with a draft",
        words="The same rules as saving has, for a page that asks while somebody types. Nothing is changed.",
        body=CheckCommand,
        body_example=examples.COMMAND,
        answers={200: Answer(words="All that is wrong.", shape=Checked, example=examples.CHECKED)},
        errors=OF_A_BODY,
    ),
    Endpoint(
        method=POST,
        path="/api/setup/test",
        part="setup",
        summary="Try an agent before it is saved",
        words=(
            "Runs one short turn of it in a process of its own, 120 s at the most; answered when that is over, also "
            "when it has failed (`ok` is false then). Leaving ends it. Nothing of it is kept."
        ),
        body=TryCommand,
        body_example=examples.TRY,
        answers={200: Answer(words="What came of it.", shape=Tried, example=examples.TRIED)},
        errors=(*OF_A_BODY, ErrorCode.SESSION_NOT_AVAILABLE),
    ),
    Endpoint(
        method=GET,
        path="/api/setup/pending",
        part="setup",
        summary="What a restart would change",
        words="The file as it is now, whoever has written it, against what runs. `setup.saved` says when to ask again.",
        answers={200: Answer(words="The changes.", shape=Pending, example=examples.PENDING)},
    ),
    Endpoint(
        method=GET,
        path="/api/setup/launch",
        part="setup",
        summary="How far the start after the first save is",
        words="Answered on the old port as well, when the first save has chosen another one.",
        answers={200: Answer(words="The state.", shape=LaunchTold, example=examples.LAUNCH)},
    ),
)
