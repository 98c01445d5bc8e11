"""Django's settings, derived from the run's configuration and nothing else."""

import os
import secrets
from pathlib import Path

import django

from groupx.bus_home import bus_home
from groupx.kernel.environment import inherited, value_of
from groupx.languages import offered_languages
from groupx.page_files import A_YEAR_SECONDS, files_version, never_changes
from groupx.run_config import current_run, is_configured

RUN = current_run()

SIGN_IN_LINK_SECONDS = 600

_PACKAGE = Path(__file__).resolve().parent
_FILES = _PACKAGE / "_files"  # in a wheel; in a checkout templates and static lie beside the packages
FILES_DIR = _FILES if _FILES.is_dir() else _PACKAGE.parent


def _secret_key() -> str:
    """Made once per room by the parent; a process without a room gets one for its lifetime."""
    path = RUN.state_dir / "secret_key"
    return path.read_text().strip() if path.is_file() else secrets.token_urlsafe(48)


SECRET_KEY = _secret_key()
DEBUG = False
ALLOWED_HOSTS = ["127.0.0.1", "localhost", "[::1]"]
ROOT_URLCONF = "groupx.urls"
ASGI_APPLICATION = "groupx.asgi.application"

INSTALLED_APPS = [
    "django.contrib.admin.apps.SimpleAdminConfig",  # groupx/urls.py names our site; nothing is discovered
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "rest_framework",
    "channels",
    "django_eventstream",
    "groupx",
    "rooms",
    "turns",
    "memory",
    "assistant",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django.middleware.csp.ContentSecurityPolicyMiddleware",
    "groupx.middleware.SignInForTheAdminOnly",
    "groupx.middleware.SayThatTheStoreIsUnavailable",
    "groupx.middleware.RefuseMethodsInOneShape",
    # Last and sync only: Django then runs the whole chain in one thread hop instead of one per middleware.
    "groupx.middleware.keep_the_chain_sync",
]

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [FILES_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]

DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": RUN.database_path if is_configured() else ":memory:",
        # IMMEDIATE: a read-then-write transaction that upgrades fails at once, whatever the timeout.
        "OPTIONS": {
            "timeout": 10,
            "transaction_mode": "IMMEDIATE",
            "init_command": (
                "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; "
                "PRAGMA cache_size=-16000; PRAGMA temp_store=MEMORY; "
                # The server checkpoints beside the writers (rooms/checkpoints.py); without one, a commit has to.
                "PRAGMA wal_autocheckpoint=10000; PRAGMA journal_size_limit=4194304;"
            ),
        },
        # A file: threads and processes of a test see one database.
        "TEST": {"NAME": Path(value_of("TMPDIR") or "/tmp") / f"groupx-test-{os.getpid()}.db"},
    }
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

CHANNEL_LAYERS = {"default": {"BACKEND": "channels.layers.InMemoryChannelLayer"}}

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [],
    "DEFAULT_PERMISSION_CLASSES": [],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "groupx.http.AlwaysJson",
    "DEFAULT_PARSER_CLASSES": ["groupx.http.StrictJSONParser"],
    "UNAUTHENTICATED_USER": None,
    "EXCEPTION_HANDLER": "groupx.http.exception_handler",
}

LANGUAGE_CODE = "en"
LOCALE_PATHS = [_PACKAGE / "locale"]
LANGUAGES = offered_languages(LOCALE_PATHS[0])
LANGUAGE_COOKIE_NAME = "groupx_language"  # a cookie of 127.0.0.1 is seen by the programs of all its ports
LANGUAGE_COOKIE_AGE = A_YEAR_SECONDS
LANGUAGE_COOKIE_HTTPONLY = True
LANGUAGE_COOKIE_SAMESITE = "Lax"
USE_TZ = True
TIME_ZONE = "UTC"

STATICFILES_DIRS = [FILES_DIR / "static"]
STATIC_URL = (
    f"/static/{files_version(STATICFILES_DIRS[0], django.__version__)}/"  # relative imports of modules stay inside it
)
WHITENOISE_USE_FINDERS = True
WHITENOISE_MAX_AGE = A_YEAR_SECONDS
WHITENOISE_IMMUTABLE_FILE_TEST = never_changes

SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
SECURE_CSP = {
    "default-src": ["'none'"],
    "script-src": ["'self'"],
    "style-src": ["'self'"],
    "img-src": ["'self'", "data:"],
    "font-src": ["'self'"],
    "connect-src": ["'self'"],
    "base-uri": ["'none'"],
    "form-action": ["'self'"],
    "frame-ancestors": ["'none'"],
}
DATA_UPLOAD_MAX_MEMORY_SIZE = 2 * 1024 * 1024 + 1

LOGGING_CONFIG = None

# The admin: signed in by a link that works once, in a session of its own. There is no password.
AUTHENTICATION_BACKENDS = ["sesame.backends.ModelBackend"]
SESAME_TOKENS = ["sesame.tokens_v2"]
SESAME_TOKEN_NAME = "token"
SESAME_ONE_TIME = True
SESAME_MAX_AGE = SIGN_IN_LINK_SECONDS
SESAME_SIGNATURE_SIZE = 16  # bytes
# Cookies know no ports: two rooms on this machine would take each other's.
SESSION_COOKIE_NAME = f"groupx_admin_{RUN.config.server.port}"
CSRF_COOKIE_NAME = f"groupx_csrf_{RUN.config.server.port}"
SESSION_COOKIE_PATH = CSRF_COOKIE_PATH = "/admin/"
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Strict"
SESSION_COOKIE_HTTPONLY = CSRF_COOKIE_HTTPONLY = True
SESSION_COOKIE_AGE = 12 * 60 * 60
MESSAGE_STORAGE = "django.contrib.messages.storage.session.SessionStorage"
# Their middleware is in groupx.middleware.SignInForTheAdminOnly; the admin's views check CSRF themselves.
SILENCED_SYSTEM_CHECKS = ["admin.E408", "admin.E409", "admin.E410"]

# The file bus: where its rooms lie.
BUS_HOME = bus_home(RUN.config.bus, inherited())

# Agents' cards and the file bus; nothing is stored, both are always read anew.
EVENTSTREAM_STORAGE_CLASS = "groupx.event_channels.NothingStored"
EVENTSTREAM_CHANNELMANAGER_CLASS = "groupx.event_channels.PageChannels"
