"""`manage.py load_catalogue [FILE] [--replace]`: the models of a file into the catalogue (S4.1)."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils.translation import gettext as _

from gpu.catalogue import load, path_of_file, read_file
from gpu.exceptions import CatalogueErrors
from sentences.said import worded


class Command(BaseCommand):
    help = (
        "Load the models to choose from. New ones are added; those that are there stay as people have made them, "
        "unless --replace is given. A file with an error in it is refused whole, with every error and its line."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", nargs="?", help="a YAML file; left out: RPA_MODEL_CATALOGUE, or the product's own")
        parser.add_argument("--replace", action="store_true", help="overwrite what people have changed in the admin")

    def handle(self, *args: Any, file: str | None = None, replace: bool = False, **options: Any) -> None:
        path = Path(file) if file else path_of_file()
        try:
            done = load(read_file(path), replace=replace)
        except CatalogueErrors as error:
            raise CommandError("\n".join((*map(worded, error.told), _("Nothing was loaded.")))) from error
        for words, keys in (
            (_("added: %(keys)s"), done.added),
            (_("replaced: %(keys)s"), done.replaced),
            (_("kept as changed here: %(keys)s"), done.kept),
        ):
            if keys:
                self.stdout.write(words % {"keys": ", ".join(keys)})
        if done.kept and not replace:
            self.stdout.write(_("Use --replace to overwrite what was changed here."))
        if not (done.added or done.replaced or done.kept):
            self.stdout.write(_("The catalogue holds all of it already."))
