"""How people come in: attempts that failed, and the tokens of programs that act for somebody."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


class FailedLogin(models.Model):
    """An attempt that failed, or is being made; kept for the length of the window alone.

    Names are kept as a keyed digest: people type their password where their name belongs.
    """

    name = models.CharField(max_length=64)
    address = models.GenericIPAddressField(null=True)
    device = models.CharField(max_length=64, blank=True)  # of a browser on which this person has logged in before
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        indexes = [models.Index(fields=("name", "at")), models.Index(fields=("address", "at"))]

    def __str__(self) -> str:
        return f"{self.address} {self.at:%Y-%m-%d %H:%M:%S}"


class TokenScope(models.TextChoices):
    """How far a token reaches, by the role whose rights it takes at most; never farther than its person."""

    READ = "viewer", _("read")
    OPERATE = "operator", _("operate runs")
    DESIGN = "designer", _("design workflows")


class ApiToken(models.Model):
    """A program's way into the API for one person. The token itself is shown once and never kept."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="api_tokens")
    name = models.CharField(_("what it is for"), max_length=100)
    start = models.CharField(max_length=12)  # its first letters, to tell one from another
    digest = models.CharField(max_length=64, unique=True)
    scope = models.CharField(_("it may"), max_length=20, choices=TokenScope)
    created_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField(_("expires"))
    last_used_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-created_at",)
        verbose_name, verbose_name_plural = _("API token"), _("API tokens")

    def __str__(self) -> str:
        return f"{self.name} ({self.start}…)"

    @property
    def is_expired(self) -> bool:
        return self.expires_at <= timezone.now()


class TokenUser(User):
    """A person as far as one of their tokens reaches."""

    scope: frozenset[str] = frozenset()

    class Meta:
        proxy = True
        default_permissions = ()

    def has_perm(self, perm: str, obj: Any = None) -> bool:
        return perm in self.scope and super().has_perm(perm, obj)

    def get_all_permissions(self, obj: Any = None) -> set[str]:
        return super().get_all_permissions(obj) & self.scope
