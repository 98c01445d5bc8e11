"""Routes of turns/api.py, below /api/."""

from django.urls import path

from turns import api

urlpatterns = [
    path("history", api.HistoryView.as_view()),
    path("events/<str:event_id>", api.EventView.as_view()),
    path("agents", api.AgentsView.as_view()),
    path("agents/<str:actor_id>/restart", api.AgentRestartView.as_view()),
    path("agents/<str:actor_id>/resume", api.AgentResumeView.as_view()),
    path("agents/<str:actor_id>/fresh-session", api.AgentFreshSessionView.as_view()),
    path("limits/grant", api.LimitsGrantView.as_view()),
    path("preview", api.PreviewView.as_view()),
    path("usage", api.UsageView.as_view()),
    path("turns/<str:turn_id>", api.TurnView.as_view()),
    path("turns/<str:turn_id>/packet", api.TurnPacketView.as_view()),
    path("turns/<str:turn_id>/retry", api.TurnRetryView.as_view()),
]
