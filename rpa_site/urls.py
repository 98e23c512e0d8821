"""Every HTTP route of the product. `manage.py check` and a test see to it that none is open that should not be."""

from __future__ import annotations

from django.contrib import admin
from django.contrib.auth.decorators import login_not_required
from django.urls import include, path
from django.views.i18n import set_language

from rpa_site.account import LoginView, LogoutView, PasswordView, account, revoke
from rpa_site.api_docs import Docs, Schema
from rpa_site.audit_pages import audit, audit_export
from rpa_site.health import health
from rpa_site.script_catalogue import script_catalogue

handler500 = "rpa_site.errors.server_error"
admin.autodiscover()

urlpatterns = [
    path("health", health, name="health"),
    path("login", LoginView.as_view(), name="login"),
    path("logout", LogoutView.as_view(), name="logout"),
    path("account", account, name="account"),
    path("account/password", PasswordView.as_view(), name="account_password"),
    path("account/tokens/<int:pk>/revoke", revoke, name="account_token_revoke"),
    path("audit", audit, name="audit"),
    path("audit/export.<str:kind>", audit_export, name="audit_export"),
    path("catalogue.js", script_catalogue, name="script_catalogue"),
    path("language", login_not_required(set_language), name="set_language"),
    path("admin/", admin.site.urls),
    path("api/schema", Schema.as_view(), name="api_schema"),
    path("api/docs", Docs.as_view(), name="api_docs"),
    path("api/", include("workflows.api")),
    path("api/", include("gpu.api")),
    path("api/", include("execution.api.urls")),
    path("workflows/", include("workflows.urls")),
    path("", include("analytics.urls")),
    path("", include("execution.urls")),
]
