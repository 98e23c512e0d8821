"""Style sheets, scripts and icons as `manage.py collectstatic` keeps them: compressed, and kept by browsers for ever.

Each is named after its content, and scripts import each other by those names. Where nothing was collected, in tests and
while developing, pages name the files as they lie in the tree, and they are served from there.
"""

from __future__ import annotations

import filecmp
from pathlib import Path

from django.contrib.staticfiles.apps import StaticFilesConfig
from django.contrib.staticfiles.finders import get_finders
from django.contrib.staticfiles.storage import ManifestFilesMixin, staticfiles_storage
from whitenoise.storage import CompressedManifestStaticFilesStorage


class OwnStaticFilesConfig(StaticFilesConfig):
    """Leaves out what no page loads: extensions of htmx (they import what is not there), other viewers of the API."""

    ignore_patterns = [*StaticFilesConfig.ignore_patterns, "hx-*.js", "redoc", "swagger-ui-es-*", "swagger-ui.js*"]


class StaticFiles(CompressedManifestStaticFilesStorage):
    support_js_module_import_aggregation = True
    max_post_process_passes = 10  # as deep as scripts import each other

    def stored_name(self, name: str) -> str:
        """The name with the hash; the name itself for what was not collected, which whitenoise finds in the tree."""
        return str(super().stored_name(name)) if self.hash_key(self.clean_name(name)) in self.hashed_files else name


def stale() -> list[str]:
    """Names of collected files that are not those of this code; empty where nothing was collected."""
    if not isinstance(staticfiles_storage, ManifestFilesMixin) or not staticfiles_storage.hashed_files:
        return []
    found: dict[str, Path] = {}
    for finder in get_finders():
        for name, storage in finder.list(OwnStaticFilesConfig.ignore_patterns):
            found.setdefault(name, Path(storage.path(name)))
    return sorted(name for name, path in found.items() if not _same(path, Path(staticfiles_storage.path(name))))


def _same(path: Path, copy: Path) -> bool:
    return copy.is_file() and filecmp.cmp(path, copy, shallow=False)
