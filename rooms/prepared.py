"""Statements that Django compiles once: for the few on the way of every message.

To build a QuerySet and compile it costs several times what the database needs to run it (docs/decisions.md, "Rules"). A
prepared statement is still an ORM expression, checked against the models, but its SQL is kept after the first use and
only the values change. Joins the caller's transaction like any other query.
"""

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from django.db import connection
from django.db.models import Field, Model, QuerySet, Value
from django.db.models.sql import UpdateQuery

ROWS_PER_INSERT = 500
"""SQLite takes 32,766 values in one statement."""


class _Slot(Value):
    """Stands in a compiled statement for a value that comes with each run."""

    def __init__(self, index: int) -> None:
        super().__init__(index)
        self.index = index

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, list[Any]]:
        return "%s", [self]


def _filled(params: Sequence[Any], values: Sequence[Any]) -> list[Any]:
    return [values[param.index] if isinstance(param, _Slot) else param for param in params]


def _slots(build: Callable[..., Any]) -> list[_Slot]:
    return [_Slot(index) for index in range(len(inspect.signature(build).parameters))]


class PreparedSelect:
    """`build` gives a `values_list` QuerySet for placeholders; its parameters are the values of each run.

    Values reach the database as they are, so they must be plain strings and numbers.
    """

    def __init__(self, build: Callable[..., QuerySet]) -> None:
        self._build = build
        self._compiled: tuple[str, Sequence[Any], list[tuple[int, list[Any], Any]]] | None = None

    def fetch_all(self, *values: Any) -> list[tuple[Any, ...]]:
        sql, params, converters = self._compiled or self._compile()
        with connection.cursor() as cursor:
            cursor.execute(sql, _filled(params, values))
            rows = cursor.fetchall()
        return [_converted(row, converters) for row in rows] if converters else rows

    def fetch_first(self, *values: Any) -> tuple[Any, ...] | None:
        rows = self.fetch_all(*values)
        return rows[0] if rows else None

    def _compile(self) -> tuple[str, Sequence[Any], list[tuple[int, list[Any], Any]]]:
        compiler = self._build(*_slots(self._build)).query.get_compiler(connection=connection)
        sql, params = compiler.as_sql()
        columns = [column for column, _, _ in compiler.select[: compiler.col_count]]
        found = compiler.get_converters(columns)
        self._compiled = sql, params, [(index, *found[index]) for index in found]
        return self._compiled


def _converted(row: tuple[Any, ...], converters: list[tuple[int, list[Any], Any]]) -> tuple[Any, ...]:
    values = list(row)
    for index, functions, expression in converters:
        for function in functions:
            values[index] = function(values[index], expression, connection)
    return tuple(values)


class PreparedUpdate:
    """`build` gives the QuerySet whose rows are changed; `columns` name the fields that each run sets."""

    def __init__(self, build: Callable[..., QuerySet], *columns: str) -> None:
        self._build, self._columns = build, columns
        self._compiled: tuple[str, Sequence[Any], list[Field]] | None = None

    def update_rows(self, *values: Any, **changes: Any) -> int:
        """How many rows were changed."""
        sql, params, fields = self._compiled or self._compile(len(values))
        new = [
            field.get_db_prep_save(changes[name], connection) for name, field in zip(self._columns, fields, strict=True)
        ]
        with connection.cursor() as cursor:
            cursor.execute(sql, _filled(params, [*values, *new]))
            return cursor.rowcount

    def _compile(self, filters: int) -> tuple[str, Sequence[Any], list[Field]]:
        found = self._build(*_slots(self._build))
        fields = [found.model._meta.get_field(name) for name in self._columns]
        query = found.query.chain(UpdateQuery)
        query.add_update_values({name: _Slot(filters + index) for index, name in enumerate(self._columns)})
        sql, params = query.get_compiler(connection=connection).as_sql()
        self._compiled = sql, params, fields
        return self._compiled


class PreparedInsert:
    """Rows of one model, all columns given by the objects; keys that the database makes are not read back."""

    def __init__(self, model: type[Model]) -> None:
        self._fields = [field for field in model._meta.concrete_fields if not field.db_returning]
        quote = connection.ops.quote_name
        names = ", ".join(quote(field.column) for field in self._fields)
        self._sql = f"INSERT INTO {quote(model._meta.db_table)} ({names}) VALUES "
        self._row = "(" + ", ".join(["%s"] * len(self._fields)) + ")"

    def insert_rows(self, objects: Sequence[Model]) -> None:
        for start in range(0, len(objects), ROWS_PER_INSERT):
            some = objects[start : start + ROWS_PER_INSERT]
            values = [
                field.get_db_prep_save(getattr(row, field.attname), connection)
                for row in some
                for field in self._fields
            ]
            with connection.cursor() as cursor:
                cursor.execute(self._sql + ", ".join([self._row] * len(some)), values)
