from __future__ import annotations

from typing import Self

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from workflows.models.workflow import text_id


class SecretRow(models.Model):
    """A row with a secret in it; opened by `workflows.vault` alone, with a key that is not in here."""

    ciphertext = models.TextField(editable=False)
    note = models.CharField(_("note"), max_length=500, blank=True)
    updated_at = models.DateTimeField(_("changed"), auto_now=True)
    updated_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        editable=False,
        on_delete=models.SET_NULL,
        related_name="+",
        verbose_name=_("changed by"),
    )

    class Meta:
        abstract = True


class Credential(SecretRow):
    """A user name and an encrypted password."""

    name = models.CharField(_("name"), max_length=100, unique=True, validators=[text_id])
    username = models.CharField(_("user name"), max_length=300)

    class Meta:
        ordering = ("name",)
        verbose_name = _("credential")
        verbose_name_plural = _("credentials")

    def __str__(self) -> str:
        return self.name

    @property
    def sealed_as(self) -> str:
        """What is encrypted together with the secret, so that no other row's can stand in its place."""
        return self.name


class AddressKind(models.TextChoices):
    MESSAGE = "message", _("message")
    WEBHOOK = "webhook", _("signed webhook")
    INCOMING = "incoming", _("webhook that comes in")


class AddressQuerySet(models.QuerySet["Address"]):
    def goes_out(self) -> Self:
        """Those to which something is sent."""
        return self.exclude(kind=AddressKind.INCOMING)


class Address(SecretRow):
    """Where messages to people go, such as a mail server or a channel of Teams; encrypted, as it holds its own key.

    Of a webhook that comes in it is the secret that signs it.
    """

    name = models.CharField(_("name"), max_length=100, unique=True)
    kind = models.CharField(_("kind"), max_length=10, choices=AddressKind, default=AddressKind.MESSAGE)

    objects = AddressQuerySet.as_manager()

    class Meta:
        ordering = ("name",)
        verbose_name = _("address for messages")
        verbose_name_plural = _("addresses for messages")
        constraints = [
            models.CheckConstraint(condition=models.Q(kind__in=AddressKind.values), name="address_kind_known")
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def sealed_as(self) -> str:
        return f"address: {self.name}"


class CredentialUse(models.Model):
    """That a password was asked for, when and what for; written before it is opened and never changed."""

    credential = models.CharField(_("credential"), max_length=100, db_index=True)
    reason = models.CharField(_("reason"), max_length=300)
    at = models.DateTimeField(_("opened"), auto_now_add=True)

    class Meta:
        ordering = ("-at", "-id")
        verbose_name = _("use of a credential")
        verbose_name_plural = _("uses of credentials")

    def __str__(self) -> str:
        return f"{self.credential}: {self.reason}"
