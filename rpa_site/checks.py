"""System checks of the deployment: what is set in a way that will hurt, and what to do."""

from __future__ import annotations

import os
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, Warning, register

from rpa_site.sqlite import wal_is_safe

READERS = ("rapidocr", "easyocr", "tesseract")


@register(Tags.security)
def no_switch_turns_login_off(**kwargs: Any) -> list[CheckMessage]:
    if not settings.RPA_AUTH_DISABLED:
        return []
    hint = "Remove it from the environment and from .env.local: there is no switch that turns login off."
    return [Warning("RPA_AUTH_DISABLED is set and changes nothing.", hint=hint, id="rpa_site.W001")]


@register(Tags.security)
def hosts_are_named(**kwargs: Any) -> list[CheckMessage]:
    if settings.DEBUG or "*" not in settings.ALLOWED_HOSTS:
        return []
    hint = "Name the hosts in RPA_ALLOWED_HOSTS: with * a page of any site may open the stream."
    return [Error("RPA_ALLOWED_HOSTS contains *.", hint=hint, id="rpa_site.E001")]


@register(Tags.database)
def sqlite_is_opened_safely(**kwargs: Any) -> list[CheckMessage]:
    database = settings.DATABASES["default"]
    if database["ENGINE"] != "django.db.backends.sqlite3":
        return []
    messages: list[CheckMessage] = []
    if database.get("OPTIONS", {}).get("transaction_mode") != "IMMEDIATE":
        hint = "Keep rpa_site.sqlite.options(): deferred transactions fail with “database is locked”."
        messages.append(Error("SQLite is not opened with IMMEDIATE transactions.", hint=hint, id="rpa_site.E002"))
    return messages


@register(Tags.database, deploy=True)
def wal_is_used_where_it_is_safe(**kwargs: Any) -> list[CheckMessage]:
    database = settings.DATABASES["default"]
    if database["ENGINE"] != "django.db.backends.sqlite3" or wal_is_safe():
        return []
    hint = "It is safe and a little slower. SQLite 3.51.3 or later lets the faster journal be used."
    text = "This SQLite has the WAL-reset bug; the TRUNCATE journal is used instead."
    return [Warning(text, hint=hint, id="rpa_site.W002")]


@register()
def reader_is_known(**kwargs: Any) -> list[CheckMessage]:
    if settings.RPA_OCR_ENGINE in READERS:
        return []
    hint = f"Set RPA_OCR_ENGINE to one of: {', '.join(READERS)}."
    return [Error(f"RPA_OCR_ENGINE is “{settings.RPA_OCR_ENGINE}”.", hint=hint, id="rpa_site.E003")]


@register()
def data_directory_takes_files(**kwargs: Any) -> list[CheckMessage]:
    folder = settings.DATA_DIR
    if folder.is_dir() and os.access(folder, os.W_OK):
        return []
    hint = "Make the folder writable, or set RPA_DATA_DIR to another one."
    return [Error(f"The data directory {folder} cannot be written to.", hint=hint, id="rpa_site.E004")]
