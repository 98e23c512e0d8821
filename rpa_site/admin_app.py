from __future__ import annotations

from django.apps import apps
from django.contrib.admin.apps import SimpleAdminConfig
from django.db.models import Field, Model
from django.utils.translation import pgettext_lazy


class SiteAdminConfig(SimpleAdminConfig):
    """Django's admin, behind the product's own roles; its modules are loaded with the URLs, which robots never load."""

    default_site = "rpa_site.admin_site.SurehandAdminSite"

    def ready(self) -> None:
        name_all()
        super().ready()


# Names of columns and records for the admin's readers, where a model gives none.
# Django makes them of the code: `started_at` is “started at”, `StepMetric` is “step metric”. What machines record has
# some two hundred of these; here each becomes a text to be translated, in the contexts “column” and “record”. Nothing
# of it is part of a migration, as a name given in a model would be.

APPS = ("workflows", "gpu", "execution", "analytics", "rpa_site")


def name_all() -> None:
    """To be called once, when all models are there and before forms and admins are made of them."""
    for app in APPS:
        for model in apps.get_app_config(app).get_models():
            _name(model)


def _name(model: type[Model]) -> None:
    options = model._meta
    for attribute in ("verbose_name", "verbose_name_plural"):
        if attribute not in options.original_attrs:
            setattr(options, attribute, pgettext_lazy("record", str(getattr(options, attribute))))
    for field in options.local_fields:
        if not _is_named(field):
            field.verbose_name = pgettext_lazy("column", str(field.verbose_name))


def _is_named(field: Field) -> bool:
    return "verbose_name" in field.deconstruct()[3]
