"""What an agent is asked to do outside any turn: to write a summary, in a short session of its own."""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from rooms.models import Actor

from .state import JobKind, JobStatus


class AgentJob(models.Model):
    """Taken by the agent's lane, once; whoever asked waits for its end. A lane that dies leaves it failed."""

    job_id = models.CharField(primary_key=True, max_length=64)
    actor = models.ForeignKey(Actor, on_delete=models.PROTECT, related_name="+")
    """Who is to do it."""
    kind = models.CharField(max_length=12, choices=[(k.value, k.value) for k in JobKind])
    status = models.CharField(
        max_length=10, choices=[(s.value, s.value) for s in JobStatus], default=JobStatus.WAITING.value
    )
    asked_by = models.CharField(max_length=80)
    fingerprint = models.CharField(max_length=64)
    """Of kind and prompt: the answer to the same question is used again."""
    prompt = models.TextField(blank=True)
    """Until it has ended."""
    answer = models.TextField(null=True)
    """For a day; then only its length is left."""
    answer_chars = models.IntegerField(null=True)
    error_code = models.CharField(max_length=64, blank=True)
    message = models.TextField(blank=True)
    is_temporary = models.BooleanField(default=False)
    """Of one that failed: it may work later."""
    retry_after_seconds = models.FloatField(null=True)
    """As the model's service asked for it."""
    usage = models.JSONField(null=True)
    lane_token = models.CharField(max_length=64, blank=True)
    created_at = models.DateTimeField()
    taken_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)
    expires_at = models.DateTimeField()
    """From when on nobody waits for it any more, and no lane takes it."""

    class Meta:
        verbose_name, verbose_name_plural = _("job of an agent"), _("jobs of agents")
        constraints = [
            models.CheckConstraint(
                condition=Q(status__in=sorted(s.value for s in JobStatus)), name="job_status_is_known"
            ),
            models.CheckConstraint(
                condition=Q(status__in=[JobStatus.DONE.value, JobStatus.FAILED.value], ended_at__isnull=False)
                | Q(status__in=[JobStatus.WAITING.value, JobStatus.TAKEN.value], ended_at__isnull=True),
                name="job_ended_exactly_when_over",
            ),
            models.CheckConstraint(
                condition=Q(status=JobStatus.DONE.value, answer_chars__gt=0)
                | (~Q(status=JobStatus.DONE.value) & Q(answer__isnull=True, answer_chars__isnull=True)),
                name="job_has_an_answer_exactly_when_done",
            ),
            models.CheckConstraint(condition=Q(ended_at__isnull=True) | Q(prompt=""), name="job_ended_without_prompt"),
            models.UniqueConstraint(
                fields=["actor"], condition=Q(status=JobStatus.TAKEN.value), name="one_taken_job_per_agent"
            ),
        ]
        indexes = [
            # what a lane asks for every second: few are open at a time, whatever has ended
            models.Index(fields=["actor", "created_at"], condition=Q(ended_at__isnull=True), name="open_jobs_of_agent"),
            models.Index(fields=["fingerprint", "ended_at"], name="job_by_fingerprint"),
            # whose answers are to be forgotten, and what was used on a day
            models.Index(fields=["ended_at"], condition=Q(answer__isnull=False), name="job_with_answer_by_time"),
            models.Index(fields=["ended_at"], condition=Q(usage__isnull=False), name="job_with_use_by_time"),
        ]

    def __str__(self) -> str:
        return self.job_id
