"""`uv run python -m tests.translations`: renew the catalogues from the sources and compile them; tell what is missing.

Translate in the .po files (groupx/locale/<language>/LC_MESSAGES), then run it again. `--check` changes nothing. Ends
with 1 when something is untranslated, or with `--check` when a file is not as it would be written.
"""

import sys

from tests.translations.catalogues import (
    DOMAINS,
    LANGUAGES,
    as_po,
    compiled,
    compiled_path,
    is_translated,
    po_path,
    renewed,
)


def main(*, writes: bool) -> int:
    faults = 0
    for language in LANGUAGES:
        for domain in DOMAINS:
            catalogue = renewed(language, domain)
            path = po_path(language, domain)
            for message in catalogue:
                if message.id and not is_translated(message):
                    faults += 1
                    print(f"{path}: {'look again at' if message.fuzzy else 'translate'} {message.id!r}")
            files = {path: as_po(catalogue, domain), compiled_path(language, domain): compiled(catalogue, domain)}
            for file, content in files.items():
                if file.is_file() and file.read_bytes() == content:
                    continue
                if writes:
                    file.parent.mkdir(parents=True, exist_ok=True)
                    file.write_bytes(content)
                else:
                    faults += 1
                    print(f"{file} is not up to date; run `python -m tests.translations`")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(writes="--check" not in sys.argv[1:]))
