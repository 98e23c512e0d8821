"""What people do, recorded once and never changed (S10.7): by the ORM's refusal, and by triggers of the database."""

from __future__ import annotations

from typing import Any, NoReturn

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


class Verb(models.TextChoices):
    LOGIN = "login", _("logged in")
    LOGIN_FAILED = "login_failed", _("log-in failed")
    LOGOUT = "logout", _("logged out")
    TOKEN_MADE = "token_made", _("made a token")
    TOKEN_REVOKED = "token_revoked", _("revoked a token")
    START = "start", _("started a run")
    PAUSE = "pause", _("paused a run")
    RESUME = "resume", _("let a run go on")
    STOP = "stop", _("stopped a run")
    CHANGE_VERSION = "change_version", _("let a run go on with another version")
    SET_MODE = "set_mode", _("changed the mode of a run")
    LIFT_DEGRADED = "lift_degraded", _("had a run read in full again")
    SET_CONTINUOUS_CAPTURE = "set_continuous_capture", _("switched continuous capture")
    TAKE_CONTROL = "take_control", _("took control of a run")
    DECIDE = "decide", _("answered a question")
    LOOK = "look", _("looked at the pictures of a run")
    TEACH = "teach", _("began to teach")
    PUBLISH = "publish", _("published a version")
    TRUST = "trust", _("changed how far a workflow is trusted")
    EXPORT = "export", _("exported")
    HOLD = "hold", _("put a run on hold")
    LET_GO = "let_go", _("let go of a held run")
    RETENTION = "retention", _("changed how long runs are kept")
    ADDED = "added", _("added")
    CHANGED = "changed", _("changed")
    DELETED = "deleted", _("deleted")


class NeverChanged(TypeError):
    """An entry is written once."""

    def __init__(self) -> None:
        super().__init__("What people did is recorded once: it is neither changed nor deleted.")


class EntryQuerySet(models.QuerySet["Entry"]):
    def update(self, **kwargs: Any) -> NoReturn:
        raise NeverChanged

    def delete(self) -> NoReturn:
        raise NeverChanged

    def bulk_update(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise NeverChanged


class Entry(models.Model):
    """Who did what to what, when and from where. Names are copied: accounts and runs may go, this stays."""

    at = models.DateTimeField(default=timezone.now, editable=False)
    verb = models.CharField(max_length=30, choices=Verb)
    who = models.CharField(max_length=150, blank=True)
    user_pk = models.BigIntegerField(null=True, blank=True)  # no key: a person who goes changes no entry
    origin = models.CharField(max_length=20, blank=True)
    address = models.GenericIPAddressField(null=True, blank=True)
    kind = models.CharField(max_length=30, blank=True)  # of what it was done to: run, workflow, person, …
    about = models.CharField(max_length=200, blank=True)
    detail = models.JSONField(default=dict, blank=True)

    objects = EntryQuerySet.as_manager()

    class Meta:
        db_table = "audit_entries"
        default_permissions = ("view",)
        ordering = ("-pk",)
        constraints = [models.CheckConstraint(condition=models.Q(verb__in=Verb.values), name="audit_verb_known")]
        indexes = [
            models.Index(fields=("who", "-id"), name="audit_of_person"),
            models.Index(fields=("kind", "about", "-id"), name="audit_of_thing"),
            models.Index(fields=("at",), name="audit_at"),
        ]

    def __str__(self) -> str:
        return f"{self.who} {self.verb} {self.about}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        if self.pk is not None:
            raise NeverChanged
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise NeverChanged
