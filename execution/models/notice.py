"""Who is told of lists, and what was told: rules, messages with their outcome, and a mark for each thing told."""

from __future__ import annotations

import secrets
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from execution.choices import MessageState
from execution.exceptions import UnknownNotice
from execution.models.worklist import Worklist
from sentences.field import SaidField
from workflows.models import Address


def new_rule_id() -> str:
    return f"rule_{secrets.token_hex(6)}"


def new_message_id() -> str:
    return f"msg_{secrets.token_hex(10)}"


class NoticeRuleQuerySet(models.QuerySet["NoticeRule"]):
    def by_id(self, rule_id: str) -> NoticeRule:
        try:
            return self.get(rule_id=rule_id)
        except self.model.DoesNotExist:
            raise UnknownNotice(_("There is no rule “%(id)s”.") % {"id": rule_id}) from None


class NoticeRule(models.Model):
    """Who is told what, how and when; without a list it is about all of them."""

    rule_id = models.CharField(max_length=60, unique=True, default=new_rule_id)
    worklist = models.ForeignKey(Worklist, null=True, blank=True, on_delete=models.CASCADE, related_name="notice_rules")
    abouts = models.JSONField(default=list)  # values of `choices.About`
    address = models.ForeignKey(Address, on_delete=models.PROTECT, related_name="+")
    person = models.ForeignKey(  # whose mail it goes to, by the mail server of the address
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.CASCADE, related_name="+"
    )
    zone = models.CharField(max_length=60)
    quiet_from = models.TimeField(null=True, blank=True)
    quiet_until = models.TimeField(null=True, blank=True)
    digest_at = models.TimeField(null=True, blank=True)
    escalate_minutes = models.PositiveIntegerField(null=True, blank=True)
    escalate_to = models.ForeignKey(Address, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    with_values = models.BooleanField(default=False)  # an admin allows values of rows in it
    language = models.CharField(max_length=10, default="en")
    is_on = models.BooleanField(default=True)
    created_at = models.DateTimeField(default=timezone.now)  # of what was before nobody is told
    changed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    changed_at = models.DateTimeField(default=timezone.now)

    objects = NoticeRuleQuerySet.as_manager()

    class Meta:
        ordering = ("pk",)
        verbose_name = gettext_lazy("rule of telling")
        verbose_name_plural = gettext_lazy("rules of telling")

    def __str__(self) -> str:
        return self.rule_id


class NoticeMessageQuerySet(models.QuerySet["NoticeMessage"]):
    def by_id(self, message_id: str) -> NoticeMessage:
        try:
            return self.get(message_id=message_id)
        except self.model.DoesNotExist:
            raise UnknownNotice(_("There is no message “%(id)s”.") % {"id": message_id}) from None

    def due(self, now: datetime) -> NoticeMessageQuerySet:
        return self.filter(state=MessageState.WAITING, next_at__lte=now).order_by("next_at", "pk")


class NoticeMessage(models.Model):
    """What goes to one address, with its outcome. Its text holds no value of a row once it has left."""

    message_id = models.CharField(max_length=60, unique=True, default=new_message_id)
    rule = models.ForeignKey(NoticeRule, null=True, blank=True, on_delete=models.SET_NULL, related_name="messages")
    worklist = models.ForeignKey(Worklist, null=True, blank=True, on_delete=models.CASCADE, related_name="messages")
    address = models.ForeignKey(Address, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    about = models.CharField(max_length=20)
    step = models.CharField(max_length=20)
    subject = models.CharField(max_length=300)
    body = models.TextField(blank=True)
    payload = models.JSONField(default=dict, blank=True)  # of a webhook
    has_values = models.BooleanField(default=False)
    state = models.CharField(max_length=10, choices=MessageState, default=MessageState.WAITING)
    said = SaidField(blank=True)  # why it did not arrive
    tries = models.PositiveSmallIntegerField(default=0)
    made_at = models.DateTimeField(default=timezone.now)
    next_at = models.DateTimeField(null=True, blank=True, default=timezone.now)
    ended_at = models.DateTimeField(null=True, blank=True)

    objects = NoticeMessageQuerySet.as_manager()

    class Meta:
        ordering = ("-made_at", "-pk")
        verbose_name = gettext_lazy("message")
        verbose_name_plural = gettext_lazy("messages")
        constraints = [
            models.CheckConstraint(condition=Q(state__in=MessageState.values), name="notice_message_state_known")
        ]
        indexes = [
            models.Index(fields=("next_at",), condition=Q(state=MessageState.WAITING), name="notice_message_due")
        ]

    def __str__(self) -> str:
        return self.message_id

    def take(self, now: datetime, until: datetime) -> bool:
        """Compare-and-set: whoever does it sends it, until then."""
        mine: Any = NoticeMessage.objects.filter(pk=self.pk, state=MessageState.WAITING, next_at=self.next_at)
        return bool(mine.update(next_at=until, tries=models.F("tries") + 1))


class NoticeMark(models.Model):
    """That one thing was told to one address: the database keeps a second message about it from being made."""

    mark = models.CharField(max_length=400, unique=True)
    message = models.ForeignKey(NoticeMessage, on_delete=models.CASCADE, related_name="marks")
    at = models.DateTimeField(default=timezone.now, db_index=True)

    def __str__(self) -> str:
        return self.mark
