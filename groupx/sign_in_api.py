"""POST /api/admin/sign-in: a fresh link to the admin, for the room's page and for `groupx signin` (edge).

Who can write to the room from this machine may have it. Pages of others cannot: the guard refuses their Origin, and
anything but JSON. Nothing is stored, so it is no command of the room.
"""

from typing import TypedDict

from django.conf import settings
from django.urls import path
from pydantic import with_config
from rest_framework.request import Request
from rest_framework.response import Response

from groupx.kernel.answers import ANSWER
from groupx.kernel.shapes import OwnShape, parse
from groupx.sign_in import new_sign_in_token, sign_in_path
from rooms.api import JsonView


class SignInRequest(OwnShape):
    """`{}`"""


@with_config(ANSWER)
class SignInLink(TypedDict):
    path: str
    """Below this room's own origin; a secret."""
    expiresInSeconds: int


class SignInView(JsonView):
    """201 `{path, expiresInSeconds}`: one address of this room that signs in once."""

    def post(self, request: Request) -> Response:
        parse(SignInRequest, request.data)
        body: SignInLink = {
            "path": sign_in_path(new_sign_in_token()),
            "expiresInSeconds": settings.SIGN_IN_LINK_SECONDS,
        }
        return Response(body, status=201, headers={"Cache-Control": "no-store"})


urlpatterns = [path("sign-in", SignInView.as_view())]
