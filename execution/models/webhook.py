"""Webhooks that come in: another system brings rows into a list, or begins it, and proves by its secret who it is."""

from __future__ import annotations

import secrets

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from execution.exceptions import UnknownWebhook
from execution.models.worklist import Worklist
from workflows.models import Address


def new_hook_id() -> str:
    return f"hook_{secrets.token_hex(10)}"


class IncomingWebhookQuerySet(models.QuerySet["IncomingWebhook"]):
    def by_id(self, hook_id: str) -> IncomingWebhook:
        try:
            return self.select_related("worklist__workflow", "address", "changed_by").get(hook_id=hook_id)
        except self.model.DoesNotExist:
            raise UnknownWebhook(_("There is no webhook “%(id)s”.") % {"id": hook_id}) from None


class IncomingWebhook(models.Model):
    """A list that another system may call. It acts with the rights of whoever changed it last, and `begins` it as
    well; `reason`: why its runs act by themselves though that was not earned."""

    hook_id = models.CharField(max_length=60, unique=True, default=new_hook_id)
    worklist = models.ForeignKey(Worklist, on_delete=models.CASCADE, related_name="webhooks")
    address = models.ForeignKey(Address, on_delete=models.PROTECT, related_name="+")  # whose secret signs the calls
    begins = models.BooleanField(default=False)
    reason = models.CharField(max_length=300, blank=True)
    is_on = models.BooleanField(default=True)
    changed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    changed_at = models.DateTimeField(default=timezone.now)

    objects = IncomingWebhookQuerySet.as_manager()

    class Meta:
        ordering = ("worklist", "pk")
        verbose_name = gettext_lazy("webhook that comes in")
        verbose_name_plural = gettext_lazy("webhooks that come in")

    def __str__(self) -> str:
        return self.hook_id


class WebhookCall(models.Model):
    """A call that was taken, by the id that its sender gave it: called again with it, the same is answered."""

    webhook = models.ForeignKey(IncomingWebhook, on_delete=models.CASCADE, related_name="calls")
    message_id = models.CharField(max_length=255)
    digest = models.CharField(max_length=64)  # of its body
    answer = models.JSONField(default=dict, blank=True)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ("-at", "-pk")
        constraints = [models.UniqueConstraint(fields=("webhook", "message_id"), name="webhook_call_once")]

    def __str__(self) -> str:
        return self.message_id
