from __future__ import annotations

import secrets
from typing import Any

from django.conf import settings
from django.contrib.auth.models import Group, User
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from rpa_site.roles import Role

NAME = "admin"


class Command(BaseCommand):
    help = "Create the first admin; nothing is done where there is one. A generated password is shown this once."
    requires_system_checks = ["startup"]

    def handle(self, *args: Any, **options: Any) -> None:
        password = settings.DASHBOARD_PASSWORD or secrets.token_urlsafe(12)
        with transaction.atomic():
            if User.objects.filter(is_superuser=True).exists():
                return
            if User.objects.filter(username=NAME).exists():
                raise CommandError(f"There is a user named {NAME} who is no superuser: rename it, then run this again.")
            user = User.objects.create_superuser(NAME, password=password)
            group, _created = Group.objects.get_or_create(name=Role.ADMIN.value)
            user.groups.add(group)
        if settings.DASHBOARD_PASSWORD:
            self.stdout.write(f"First admin: user {NAME}, with the password that DASHBOARD_PASSWORD holds.")
        else:
            self.stdout.write(f"First admin: user {NAME}, password {password}")
            self.stdout.write("It is shown this once.")
