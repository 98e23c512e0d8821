from __future__ import annotations

from django.apps import AppConfig
from django.conf import settings
from django.contrib.auth.signals import user_logged_in, user_logged_out, user_login_failed
from django.db.models.signals import post_migrate
from django.utils.translation import gettext_lazy as _


class RpaSiteConfig(AppConfig):
    name = "rpa_site"
    verbose_name = _("Access")

    def ready(self) -> None:
        from django.contrib.auth.models import User

        from rpa_site import checks  # noqa: F401  registers the system checks
        from rpa_site.account import end_after_a_working_day, tell_of_failure, tell_of_login, tell_of_logout
        from rpa_site.file_modes import shut
        from rpa_site.passwords import ending_tokens
        from rpa_site.roles import create_roles

        shut(settings.DATA_DIR)
        # the last app: every permission is there by then, and the work is done once
        post_migrate.connect(create_roles, sender=self, dispatch_uid="rpa_site.create_roles")
        user_logged_in.connect(end_after_a_working_day, dispatch_uid="rpa_site.end_after_a_working_day")
        user_logged_in.connect(tell_of_login, dispatch_uid="rpa_site.tell_of_login")
        user_logged_out.connect(tell_of_logout, dispatch_uid="rpa_site.tell_of_logout")
        User.add_to_class("save", ending_tokens(User.save))
        user_login_failed.connect(tell_of_failure, dispatch_uid="rpa_site.tell_of_failure")
