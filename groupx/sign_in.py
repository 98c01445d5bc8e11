"""The link that signs the person at this machine in to the admin: works once, for SIGN_IN_LINK_SECONDS.

There is one user, `local`, made when its first link is. It has no password, and no form asks for one.
"""

from urllib.parse import urlencode

from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import User
from django.contrib.sessions.backends.db import SessionStore
from sesame.utils import get_token, get_user

from rooms.transactions import durable

USERNAME = "local"
SIGN_IN_PATH = "/admin/sign-in/"


@durable
def new_sign_in_token() -> str:
    """A secret: whoever has it signs in. The next sign-in, with this or another one, ends it."""
    user, _ = User.objects.get_or_create(
        username=USERNAME, defaults={"is_staff": True, "is_superuser": True, "password": make_password(None)}
    )
    return get_token(user)


def sign_in_path(token: str) -> str:
    return f"{SIGN_IN_PATH}?{urlencode({settings.SESAME_TOKEN_NAME: token})}"


@durable
def take_sign_in(token: str) -> User | None:
    """Who may sign in with this link; None when it is used, too old or no link of ours. Uses it up."""
    # One at a time, so that two requests with one link cannot both find it unused.
    User.objects.select_for_update().filter(username=USERNAME).first()
    user: User | None = get_user(token, update_last_login=True)
    SessionStore.clear_expired()
    return user
