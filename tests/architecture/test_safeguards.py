"""The doctor knows by name what keeps the invariants in the database."""

from django.db import connection

from groupx.doctor.store import SAFEGUARDS


def test_the_safeguards_are_those_of_the_models(db: None):
    """Whoever adds an index, a trigger or a unique constraint names it in groupx/doctor/store.py too."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT name, tbl_name, sql FROM sqlite_master WHERE sql IS NOT NULL")
        declared = [(name, sql) for name, table, sql in cursor.fetchall() if table.startswith(("rooms_", "turns_"))]
    text = " ".join(sql for _name, sql in declared)
    assert [name for name in SAFEGUARDS if f'"{name}"' not in text and f" {name} " not in text] == []
    named = {name for name, sql in declared if not sql.startswith("CREATE TABLE")}
    by_django = {name for name in named if name.startswith(("rooms_", "turns_"))}
    assert named - by_django <= SAFEGUARDS
