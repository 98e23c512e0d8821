"""Credentials, write-only: a password goes in and never comes back (S10.3)."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.debug import sensitive_post_parameters

from audit.read_only import ReadOnlyAdmin
from sentences.said import worded
from workflows import vault
from workflows.models import Credential, CredentialUse
from workflows.secret import Secret, VaultError


class SecretField(forms.CharField):
    """A password as it is typed, cleaned to a `Secret`; never rendered back, spaces at its ends kept."""

    def __init__(self, **kwargs: Any) -> None:
        widget = forms.PasswordInput(render_value=False, attrs={"autocomplete": "new-password", "size": 40})
        super().__init__(widget=widget, strip=False, max_length=vault.LONGEST, **kwargs)

    def clean(self, value: Any) -> Any:
        return Secret(str(super().clean(value)))


class CredentialForm(forms.ModelForm):
    new_password = SecretField(label=gettext_lazy("Password"))
    new_password_again = SecretField(label=gettext_lazy("Password, once more"))

    class Meta:
        model = Credential
        fields = ("name", "username", "note")
        help_texts = {
            "name": gettext_lazy("What workflows ask for. It cannot be changed later."),
            "note": gettext_lazy("Such as which program it is for. Never the password."),
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance.pk:
            for name in ("new_password", "new_password_again"):
                self.fields[name].required = False
            self.fields["new_password"].help_text = _("It cannot be shown. Leave empty to keep it.")

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        password, again = data.get("new_password"), data.get("new_password_again")
        if password is None or again is None:
            return data
        if password != again:
            self.add_error("new_password_again", _("The two passwords are not the same."))
        elif password and not self.errors:
            self._seal(password)
        return data

    def _seal(self, password: Secret) -> None:
        self.instance.name = self.cleaned_data.get("name", self.instance.name)
        try:
            vault.seal(self.instance, password)
        except VaultError as error:
            raise ValidationError(worded(error)) from error


@admin.register(Credential)
class CredentialAdmin(admin.ModelAdmin):
    """For admins alone: the role's permissions decide."""

    form = CredentialForm
    list_display = ("name", "username", "note", "updated_at", "updated_by")
    list_select_related = ("updated_by",)
    search_fields = ("name", "username", "note")
    fields = ("name", "username", "new_password", "new_password_again", "note")

    def get_readonly_fields(self, request: HttpRequest, obj: Credential | None = None) -> tuple[str, ...]:
        """Workflows know a credential by its name, and its password is encrypted together with it."""
        return ("name",) if obj else ()

    @method_decorator(sensitive_post_parameters("new_password", "new_password_again"))
    def changeform_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        return super().changeform_view(request, *args, **kwargs)

    def save_model(self, request: HttpRequest, obj: Credential, form: Any, change: bool) -> None:
        obj.updated_by = request.user  # type: ignore[assignment]
        super().save_model(request, obj, form, change)


@admin.register(CredentialUse)
class CredentialUseAdmin(ReadOnlyAdmin):
    list_display = ("credential", "reason", "at")
    list_filter = ("credential",)
    search_fields = ("credential", "reason")
