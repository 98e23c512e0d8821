"""Logging in and out, and what everybody does with their own account: the password, the tokens of their programs."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth import views
from django.contrib.auth.forms import AuthenticationForm, PasswordChangeForm
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse_lazy
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_http_methods, require_POST
from django.views.generic import FormView

from audit.models import Verb
from audit.recording import record
from rpa_site.models import ApiToken, TokenScope
from rpa_site.roles import Role, permissions_of
from rpa_site.throttle import TooManyAttempts, address_of, checked_again, checked_login, remember_device
from rpa_site.tokens import DAYS, make_token

TOO_MANY = "too_many_attempts"


class LoginForm(AuthenticationForm):
    """Django's form; how often it may be tried is counted."""

    def clean(self) -> dict[str, Any]:
        username, password = self.cleaned_data.get("username"), self.cleaned_data.get("password")
        if username is None or not password or self.request is None:
            return self.cleaned_data
        try:
            self.user_cache = checked_login(self.request, username, password)
        except TooManyAttempts as error:
            raise _refusal(error) from error
        if self.user_cache is None:
            raise self.get_invalid_login_error()
        self.confirm_login_allowed(self.user_cache)
        return self.cleaned_data


class PasswordForm(PasswordChangeForm):
    """Django's form; how often the old password may be tried is counted as when logging in."""

    def __init__(self, user: Any, *args: Any, request: HttpRequest, **kwargs: Any) -> None:
        super().__init__(user, *args, **kwargs)
        self.request = request

    def clean_old_password(self) -> str:
        password: str = self.cleaned_data["old_password"]
        try:
            if checked_again(self.request, password):
                return password
        except TooManyAttempts as error:
            raise _refusal(error) from error
        raise ValidationError(self.error_messages["password_incorrect"], code="password_incorrect")


def _refusal(error: TooManyAttempts) -> ValidationError:
    words = ngettext(
        "Too many attempts. Wait %(n)d minute, then try again.",
        "Too many attempts. Wait %(n)d minutes, then try again.",
        error.minutes,
    )
    return ValidationError(words % {"n": error.minutes}, code=TOO_MANY)


class Counted(FormView):
    """A form that looks at a password: 429 where it was tried too often."""

    def form_invalid(self, form: Any) -> HttpResponse:
        response = super().form_invalid(form)
        if any(form.has_error(name, TOO_MANY) for name in form.errors):
            response.status_code = 429
        return response


class LoginView(Counted, views.LoginView):
    form_class = LoginForm
    redirect_authenticated_user = True

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        response = super().form_valid(form)
        remember_device(response, form.get_user().get_username())
        return response


class LogoutView(views.LogoutView):
    """Nothing of a screen stays in the browser: what it keeps of this site is dropped with the session."""

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        response = super().dispatch(request, *args, **kwargs)
        response.headers["Clear-Site-Data"] = '"cache", "storage"'
        return response


class PasswordView(Counted, views.PasswordChangeView):
    form_class = PasswordForm
    template_name = "registration/password.html"
    success_url = reverse_lazy("account")

    def get_form_kwargs(self) -> dict[str, Any]:
        return {**super().get_form_kwargs(), "request": self.request}

    @transaction.atomic
    def form_valid(self, form: Any) -> HttpResponse:
        who = self.request.user
        record(Verb.CHANGED, user=who, origin="page", kind="person", about=who.get_username(), fields=["password"])
        messages.success(
            self.request, _("Your password is changed. Sessions on other machines have ended, and your tokens.")
        )
        return super().form_valid(form)


class TokenForm(forms.ModelForm):
    days = forms.TypedChoiceField(label=gettext_lazy("It is valid for"), coerce=int, initial=30)

    class Meta:
        model = ApiToken
        fields = ("name", "scope")

    def __init__(self, *args: Any, user: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        held = user.get_all_permissions()
        scopes = [(scope, scope.label) for scope in TokenScope if permissions_of(Role(scope)) <= held]
        self.fields["scope"].choices = scopes  # type: ignore[attr-defined]
        words = [(n, ngettext("%(n)d day", "%(n)d days", n) % {"n": n}) for n in DAYS]
        self.fields["days"].choices = words  # type: ignore[attr-defined]
        for field in self.fields.values():
            field.widget.attrs["class"] = "input"

    @property
    def has_scopes(self) -> bool:
        return bool(self.fields["scope"].choices)  # type: ignore[attr-defined]


@require_http_methods(["GET", "HEAD", "POST"])
def account(request: HttpRequest) -> HttpResponse:
    """One's own tokens; a new one is shown in the answer that makes it, and never again."""
    form, shown = TokenForm(request.POST or None, user=request.user), ""
    if request.method == "POST" and form.is_valid():
        values = form.cleaned_data
        _row, shown = make_token(
            request.user, name=values["name"], scope=TokenScope(values["scope"]), days=values["days"]
        )
        known: dict[str, Any] = {"origin": "page", "kind": "token", "about": str(_row), "address": address_of(request)}
        record(Verb.TOKEN_MADE, user=request.user, **known, scope=_row.scope, until=_row.expires_at.isoformat())
        form = TokenForm(user=request.user)
    tokens = own_tokens(request)
    context = {"form": form, "tokens": tokens, "shown": shown}
    return render(request, "registration/account.html", context, status=422 if form.errors else 200)


@require_POST
def revoke(request: HttpRequest, pk: int) -> HttpResponse:
    """Take back one of one's own tokens; those of others are not touched, and not told of."""
    row = own_tokens(request).filter(pk=pk).first()
    if row is not None and own_tokens(request).filter(pk=pk).delete()[0]:
        record(Verb.TOKEN_REVOKED, user=request.user, origin="page", kind="token", about=str(row))
        messages.success(request, _("The token is revoked."))
    return redirect("account")


def own_tokens(request: HttpRequest) -> QuerySet[ApiToken]:
    assert request.user.is_authenticated  # nobody else gets here
    return ApiToken.objects.filter(user=request.user)
