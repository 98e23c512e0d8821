from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from rpa_site.models import ApiToken


class Command(BaseCommand):
    help = "List the API tokens, by how they begin; revoke one, or all of a person."

    def add_arguments(self, parser: ArgumentParser) -> None:
        which = parser.add_mutually_exclusive_group()
        which.add_argument("--revoke", metavar="START", help="the token that begins so")
        which.add_argument("--revoke-all-of", metavar="USER", help="every token of this person")

    def handle(self, *args: Any, **options: Any) -> None:
        tokens = ApiToken.objects.select_related("user").order_by("user__username", "created_at")
        if options["revoke"]:
            self._revoke(tokens.filter(start=options["revoke"]))
        elif options["revoke_all_of"]:
            self._revoke(tokens.filter(user__username=options["revoke_all_of"]))
        else:
            for token in tokens:
                used = f"{token.last_used_at:%Y-%m-%d %H:%M}" if token.last_used_at else "never"
                until = f"{token.expires_at:%Y-%m-%d %H:%M}"
                who = token.user.get_username()
                self.stdout.write(f"{token.start}…  {who}  {token.scope}  until {until}  used {used}  {token.name}")

    def _revoke(self, tokens: Any) -> None:
        count, _by_model = tokens.delete()
        if not count:
            raise CommandError("There is no such token.")
        self.stdout.write(f"Revoked: {count}")
