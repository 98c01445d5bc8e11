"""The doctor knows by name what keeps the invariants in the database."""

from django.apps import apps
from django.db import connection
from django.db.models import UniqueConstraint

from groupx.doctor.repairs import TRIGGERS
from groupx.doctor.store import SAFEGUARDS, SCHEMA, missing_safeguards

MODELS = [
    model for label in ("rooms", "turns", "memory", "assistant") for model in apps.get_app_config(label).get_models()
]


def test_the_safeguards_are_those_of_the_models():
    """Whoever adds an index, a trigger or a unique constraint names it in groupx/doctor/store.py too."""
    unique = {
        constraint.name
        for model in MODELS
        for constraint in model._meta.constraints
        if isinstance(constraint, UniqueConstraint)
    }
    indexes = {index.name for model in MODELS for index in model._meta.indexes}
    assert unique | indexes | TRIGGERS.keys() == SAFEGUARDS


def test_a_database_of_this_version_has_all_of_them(db: None):
    with connection.cursor() as cursor:
        cursor.execute(SCHEMA)
        assert missing_safeguards(sql for (sql,) in cursor.fetchall()) == set()
