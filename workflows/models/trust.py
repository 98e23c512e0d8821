from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from sentences.field import SaidField
from workflows.choices import LearningState


class TrustChange(models.Model):
    """That a workflow is trusted more or less from then on, why, and who said so (S6.8). Written once.

    `by_itself`: no person decided it; `evidence` is what was known then, in a sentence.
    """

    workflow = models.ForeignKey("workflows.Workflow", on_delete=models.CASCADE, related_name="trust_changes")
    was = models.CharField(_("was"), max_length=20, choices=LearningState)
    state = models.CharField(_("learning state"), max_length=20, choices=LearningState)
    by_itself = models.BooleanField(default=False)
    reason = SaidField(_("reason"), blank=True)
    evidence = SaidField(blank=True)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    name = models.CharField(_("who"), max_length=150, blank=True)
    origin = models.CharField(_("from where"), max_length=20, blank=True)
    at = models.DateTimeField(_("when"), default=timezone.now)

    class Meta:
        verbose_name = _("change of trust")
        verbose_name_plural = _("changes of trust")
        ordering = ("-at", "-pk")

    def __str__(self) -> str:
        return f"{self.workflow}: {self.was} → {self.state}"

    @property
    def is_up(self) -> bool:
        order = LearningState.values
        return order.index(self.state) > order.index(self.was)
