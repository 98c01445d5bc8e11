"""The base of all tables in the admin: to be looked at by who is signed in, changed by nobody."""

from typing import Any

from django.contrib.admin import ModelAdmin, ShowFacets
from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.utils import unquote
from django.contrib.admin.views.main import ChangeList
from django.core.exceptions import ObjectDoesNotExist
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import URLPattern, path

from groupx.admin.paging import BoundedPaginator
from groupx.admin.shown import Shown, as_readable_json


class ReadOnlyList(ChangeList):
    def get_filters(self, request: HttpRequest) -> Any:
        try:
            return super().get_filters(request)
        except (ValueError, OverflowError) as error:  # a year without a next one
            raise IncorrectLookupParameters(error) from error

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        self.result_list = self.model_admin.with_texts(self.result_list)


class ReadOnlyAdmin(ModelAdmin):
    """`page` is what a row's own page shows; `whole` names its long fields, each with an address of its own."""

    page: tuple[Shown, ...] = ()
    whole: tuple[str, ...] = ()
    paginator = BoundedPaginator
    show_full_result_count = False
    show_facets = ShowFacets.NEVER
    list_per_page = 50
    list_max_show_all = 0
    sortable_by: tuple[str, ...] = ()
    change_list_template = "admin/read_only_list.html"
    change_form_template = "admin/read_only_page.html"

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        return ReadOnlyList

    def with_texts(self, rows: QuerySet[Any]) -> QuerySet[Any]:
        """The rows of one page, with what would cost too much for all rows that a list is sorted from."""
        return rows

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        return [(None, {"fields": self.page})]

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return self.page

    def get_urls(self) -> list[URLPattern]:
        name = f"{self.opts.app_label}_{self.opts.model_name}_whole"
        view = self.admin_site.admin_view(self.whole_view)
        unwanted = {f"{self.opts.app_label}_{self.opts.model_name}_{verb}" for verb in ("add", "delete", "history")}
        kept = [known for known in super().get_urls() if known.name not in unwanted]
        return [path("<str:object_id>/whole/<str:field>/", view, name=name), *kept]

    def whole_view(self, request: HttpRequest, object_id: str, field: str) -> HttpResponse:
        """GET …/<id>/whole/<field>/: one long text, whole, as plain text."""
        if field not in self.whole:
            raise Http404
        try:
            value = self.model._default_manager.values_list(field, flat=True).get(pk=unquote(object_id))
        except (ObjectDoesNotExist, ValueError) as error:  # ValueError: a row's number it is not
            raise Http404 from error
        text = value if isinstance(value, str) else as_readable_json(value)
        return HttpResponse(text, content_type="text/plain; charset=utf-8")
