"""REST of the setup (edge). Plain ASGI without a database: it answers before there is a room as well."""

from collections.abc import Awaitable, Callable
from typing import Any

from django.urls import URLPattern, path

from groupx.kernel.shapes import read_object
from groupx.setup.desk import SetupDesk
from rooms.asgi_json import JsonRequest, endpoint
from rooms.envelope import dump

type Answering = Callable[[JsonRequest], Awaitable[tuple[int, str]]]


def routes(desk: SetupDesk) -> list[URLPattern]:
    """What is below /api/setup."""

    async def get_setup(request: JsonRequest) -> tuple[int, str]:
        return 200, dump(await desk.read())

    async def post_setup(request: JsonRequest) -> tuple[int, str]:
        return 200, dump(await desk.save_command(await _body(request)))

    async def post_check(request: JsonRequest) -> tuple[int, str]:
        issues = await desk.check(await _body(request))
        return 200, dump({"issues": [issue.wire() for issue in issues]})

    async def post_test(request: JsonRequest) -> tuple[int, str]:
        payload = await _body(request)
        return 200, dump(await request.while_connected(desk.try_agent(payload)))

    async def get_pending(request: JsonRequest) -> tuple[int, str]:
        return 200, dump(await desk.pending())

    async def get_launch(request: JsonRequest) -> tuple[int, str]:
        return 200, dump(desk.launch())

    return [
        path("api/setup", endpoint({"GET": get_setup, "POST": post_setup})),
        path("api/setup/check", endpoint({"POST": post_check})),
        path("api/setup/test", endpoint({"POST": post_test})),
        path("api/setup/pending", endpoint({"GET": get_pending})),
        path("api/setup/launch", endpoint({"GET": get_launch})),
    ]


async def _body(request: JsonRequest) -> dict[str, Any]:
    return read_object(await request.body())
