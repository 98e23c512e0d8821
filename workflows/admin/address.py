"""Where messages to people go, write-only: what an admin enters goes in and never comes back (S10.6, S12.10)."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urlsplit

from django import forms
from django.contrib import admin
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.debug import sensitive_post_parameters
from standardwebhooks import Webhook
from standardwebhooks.webhooks import EmptyWebhookSecretError

from sentences.said import worded
from workflows import vault
from workflows.admin.secret import SecretField
from workflows.models import Address, AddressKind
from workflows.secret import Secret, VaultError


class AddressForm(forms.ModelForm):
    new_address = SecretField(
        label=gettext_lazy("Address"),
        required=False,
        help_text=gettext_lazy(
            "A message: as Apprise writes it, such as mailtos://user:password@mail.example.org?from=robot@example.org"
            "&to=ward@example.org. A webhook: https://… One that comes in has none."
        ),
    )
    new_secret = SecretField(
        label=gettext_lazy("Secret that signs the webhook"),
        required=False,
        help_text=gettext_lazy("whsec_ and at least 24 bytes in base64, as the other side gave it."),
    )

    class Meta:
        model = Address
        fields = ("name", "kind", "note")
        help_texts = {"name": gettext_lazy("What people choose it by, such as Duty nurse, Teams. It stays as it is.")}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance.pk:
            self.fields["new_address"].help_text = _("It cannot be shown. Leave empty to keep it.")

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        address, secret, kind = data.get("new_address"), data.get("new_secret"), data.get("kind")
        comes_in = kind == AddressKind.INCOMING
        given = secret if comes_in else address
        if not given:
            field = "new_secret" if comes_in else "new_address"
            if not self.instance.pk:
                self.add_error(field, _("This field is required."))
            elif kind != Address.objects.get(pk=self.instance.pk).kind:
                self.add_error(field, _("Of another kind it needs another address."))
            return data
        is_signed = kind in (AddressKind.WEBHOOK, AddressKind.INCOMING)
        if address and not comes_in and (problem := _problem_of(address, is_webhook=is_signed)):
            self.add_error("new_address", problem)
        if is_signed and (problem := _problem_of_secret(secret)):
            self.add_error("new_secret", problem)
        if not self.errors:
            url = address.reveal() if address and not comes_in else ""
            self._seal(Secret(json.dumps({"url": url, "secret": secret.reveal() if is_signed and secret else ""})))
        return data

    def _seal(self, sealed: Secret) -> None:
        self.instance.name = self.cleaned_data.get("name", self.instance.name)
        try:
            vault.seal(self.instance, sealed)
        except VaultError as error:
            raise ValidationError(worded(error)) from error


def _problem_of(address: Secret, *, is_webhook: bool) -> str:
    try:
        parts = urlsplit(address.reveal())
    except ValueError:
        return _("This is no address.")
    if is_webhook and (parts.scheme not in ("https", "http") or not parts.hostname):
        return _("A webhook begins with https:// and names a server.")
    return "" if "://" in address.reveal() else _("An address begins with its kind, such as mailtos://")


def _problem_of_secret(secret: Secret | None) -> str:
    if not secret:
        return _("A webhook needs the secret that signs it.")
    try:
        Webhook(secret.reveal())
    except (ValueError, EmptyWebhookSecretError):
        return _("This is no secret of a webhook: whsec_ and base64.")
    return ""


@admin.register(Address)
class AddressAdmin(admin.ModelAdmin):
    """For admins alone: nothing is sent anywhere that they did not enter."""

    form = AddressForm
    list_display = ("name", "kind", "note", "updated_at", "updated_by")
    list_select_related = ("updated_by",)
    search_fields = ("name", "note")
    fields = ("name", "kind", "new_address", "new_secret", "note")

    def get_readonly_fields(self, request: HttpRequest, obj: Address | None = None) -> tuple[str, ...]:
        """Its secret is encrypted together with its name."""
        return ("name",) if obj else ()

    @method_decorator(sensitive_post_parameters("new_address", "new_secret"))
    def changeform_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        return super().changeform_view(request, *args, **kwargs)

    def save_model(self, request: HttpRequest, obj: Address, form: Any, change: bool) -> None:
        obj.updated_by = request.user  # type: ignore[assignment]
        super().save_model(request, obj, form, change)
