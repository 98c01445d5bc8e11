"""Lists of tables that grow for ever: counted up to a bound, never as a whole."""

from functools import cached_property

from django.core.paginator import Paginator

MOST_LISTED = 10_000
"""Rows that a list can be paged through; older ones are reached by its dates, filters and search."""


class BoundedPaginator(Paginator):
    @property
    def is_cut(self) -> bool:
        return self._counted > MOST_LISTED

    @cached_property
    def count(self) -> int:
        return min(self._counted, MOST_LISTED)

    @cached_property
    def _counted(self) -> int:
        return int(self.object_list.order_by().values("pk")[: MOST_LISTED + 1].count())
