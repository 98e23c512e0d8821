from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from workflows import vault, vault_keys
from workflows.secret import VaultError


class Command(BaseCommand):
    help = (
        "Encrypt every saved password anew: with a fresh key in the key file, or with the first of RPA_VAULT_KEYS "
        "where that is set. The run loops may go on meanwhile (S10.3)."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--forget-old",
            action="store_true",
            help="keep the fresh key alone in the key file; older backups of the database cannot be opened any more",
        )

    def handle(self, *args: Any, forget_old: bool = False, **options: Any) -> None:
        if forget_old and vault_keys.in_environment():
            raise CommandError(f"The keys are in {vault_keys.SETTING}: rotate first, then take the old ones out there.")
        try:
            count = vault.rotate(forget_old=forget_old)
        except VaultError as error:
            raise CommandError(f"Nothing was rotated. {error}") from error
        self.stdout.write(f"{count} credentials are encrypted with the current key.")
        if vault_keys.in_environment():
            self.stdout.write(f"The other keys can be taken out of {vault_keys.SETTING} now.")
        elif not forget_old:
            self.stdout.write(f"Older keys stay in {vault_keys.path()} for older backups; --forget-old drops them.")
