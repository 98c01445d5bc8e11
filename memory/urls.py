"""Routes of memory/api.py, below /api/."""

from django.urls import path

from memory import api

urlpatterns = [
    path("memory", api.MemoryView.as_view()),
    path("memory/<str:memory_id>", api.MemoryRecordView.as_view()),
    path("memory/<str:memory_id>/supersede", api.MemorySupersedeView.as_view()),
    path("memory/<str:memory_id>/retract", api.MemoryRetractView.as_view()),
    path("identity", api.IdentityView.as_view()),
    path("identity/<str:identity_id>/supersede", api.IdentitySupersedeView.as_view()),
    path("identity/<str:identity_id>/retract", api.IdentityRetractView.as_view()),
    path("search", api.SearchView.as_view()),
]
