"""The texts of the scripts in the reader's language: Django's JavaScript catalogue, kept until its texts change."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

from django.conf import settings
from django.urls import reverse
from django.utils.translation import get_language
from django.views.decorators.cache import cache_control
from django.views.decorators.gzip import gzip_page
from django.views.i18n import JavaScriptCatalog

A_YEAR = 365 * 24 * 3600

# It is no secret, and holds nothing that anybody sent: compressed it tells nobody anything.
script_catalogue = gzip_page(
    cache_control(private=True, max_age=A_YEAR, immutable=True)(JavaScriptCatalog.as_view(packages=["rpa_site"]))
)


def address() -> str:
    """Where the catalogue of the active language is: another one once its texts are others."""
    return f"{reverse('script_catalogue')}?{_digest(get_language() or settings.LANGUAGE_CODE)}"


@cache
def _digest(language: str) -> str:
    compiled = Path(settings.LOCALE_PATHS[0]) / language / "LC_MESSAGES" / "djangojs.mo"
    texts = compiled.read_bytes() if compiled.exists() else b""  # those of English are in the scripts
    return f"{language}-{hashlib.sha256(texts).hexdigest()[:12]}"
