"""`python -m groupx <verb>`: how an installed GroupX starts its own processes."""

from groupx.cli import run_django_command

if __name__ == "__main__":
    run_django_command()
