from __future__ import annotations

import secrets
from typing import Any

from django.conf import settings
from django.contrib.auth.models import Group, User
from django.core.management.base import BaseCommand

from rpa_site.roles import Role


class Command(BaseCommand):
    help = "Create the first admin; nothing is done where there is one. The password is shown once."

    def handle(self, *args: Any, **options: Any) -> None:
        if User.objects.filter(is_superuser=True).exists():
            return
        password = settings.DASHBOARD_PASSWORD or secrets.token_urlsafe(12)
        user = User.objects.create_superuser("admin", password=password)
        user.groups.add(Group.objects.get(name=Role.ADMIN))
        shown = "DASHBOARD_PASSWORD" if settings.DASHBOARD_PASSWORD else password
        self.stdout.write(f"First admin: user admin, password {shown}")
        if not settings.DASHBOARD_PASSWORD:
            self.stdout.write("It is shown this once; change it under your name in the page.")
