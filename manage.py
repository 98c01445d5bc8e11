#!/usr/bin/env python
"""`python manage.py <verb>`: Django's commands and GroupX's own."""

from groupx.cli import run_django_command

if __name__ == "__main__":
    run_django_command()
