"""The migrations describe the models; nothing is left to make."""

from django.core.management import call_command


def test_models_and_migrations_agree(db):
    call_command("makemigrations", "--check", "--dry-run", verbosity=0)
