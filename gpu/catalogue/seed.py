"""An empty catalogue is filled after migrations; whoever wants a model out of it says that it is not in use (S4.1)."""

from __future__ import annotations

import logging
from functools import lru_cache
from pathlib import Path
from typing import Any

from gpu.catalogue.entries import Entry, load, path_of_file
from gpu.catalogue.file import read_file
from gpu.exceptions import CatalogueErrors
from gpu.models import CatalogueModel

log = logging.getLogger(__name__)


def fill_catalogue(sender: Any, using: str = "default", **kwargs: Any) -> None:
    """A file with errors costs the models, not the migration: `manage.py load_catalogue` says what is wrong."""
    if using != "default" or CatalogueModel.objects.exists():
        return
    try:
        load(_read(path_of_file()))
    except CatalogueErrors as error:
        log.error("the catalogue of models stays empty:\n%s", error)


@lru_cache(maxsize=1)
def _read(path: Path) -> tuple[Entry, ...]:
    return read_file(path)
