"""System checks of the deployment: what is set in a way that will hurt, and what to do."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.checks import CheckMessage, Error, Info, Tags, Warning, register
from django.core.exceptions import ImproperlyConfigured
from django.db import DatabaseError
from django.urls import URLPattern, URLResolver, get_resolver

from execution.desktop.window_providers import known_name, load_provider
from execution.exceptions import UnknownWindowProvider
from execution.perception.config import PerceptionConfig
from execution.worklists.looking import worker_missing
from gpu import GPUResourceConfig
from gpu.catalogue import path_of_file, read_file
from gpu.exceptions import GPUError
from rpa_site.sqlite import wal_is_safe
from sentences.said import worded
from workflows.exceptions import PictureAway
from workflows.pictures import PictureStore

STARTUP = "startup"  # the tag of what every service asks before it begins; the rest judges the code
SQLITE = "django.db.backends.sqlite3"
MOUNTS = Path("/proc/mounts")
PERCEPTION = {
    "RPA_OCR_ENGINE": "rpa_site.E003",
    "RPA_OCR_LANGUAGES": "rpa_site.E007",
    "RPA_MODELS_DIR": "rpa_site.E008",
    "RPA_EMBEDDER": "rpa_site.E009",
    "RPA_CLIP_MODEL": "rpa_site.E010",
    "RPA_CLIP_WEIGHTS": "rpa_site.E011",
    "RPA_UI_DETECTOR": "rpa_site.E012",
}
PROVIDERS = "rpa_site.E020"
NETWORK_FILE_SYSTEMS = frozenset({"nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "fuse.sshfs"})


@register(Tags.security, STARTUP)
def no_switch_turns_login_off(**kwargs: Any) -> list[CheckMessage]:
    if not settings.RPA_AUTH_DISABLED:
        return []
    hint = "Remove it from the environment and from .env.local: there is no switch that turns login off."
    return [Warning("RPA_AUTH_DISABLED is set and changes nothing.", hint=hint, id="rpa_site.W001")]


@register(Tags.security, STARTUP)
def hosts_are_named(**kwargs: Any) -> list[CheckMessage]:
    if settings.DEBUG or "*" not in settings.ALLOWED_HOSTS:
        return []
    hint = "Name the hosts in RPA_ALLOWED_HOSTS: with * a page of any site may open the stream."
    return [Error("RPA_ALLOWED_HOSTS contains *.", hint=hint, id="rpa_site.E001")]


@register(Tags.database, STARTUP)
def sqlite_is_opened_safely(**kwargs: Any) -> list[CheckMessage]:
    database = settings.DATABASES["default"]
    if database["ENGINE"] != SQLITE or database.get("OPTIONS", {}).get("transaction_mode") == "IMMEDIATE":
        return []
    hint = "Keep rpa_site.sqlite.options(): deferred transactions fail with “database is locked”."
    return [Error("SQLite is not opened with IMMEDIATE transactions.", hint=hint, id="rpa_site.E002")]


@register(Tags.database, deploy=True)
def wal_is_used_where_it_is_safe(**kwargs: Any) -> list[CheckMessage]:
    if settings.DATABASES["default"]["ENGINE"] != SQLITE or wal_is_safe():
        return []
    hint = "It is safe and a little slower. SQLite 3.51.3 or later lets the faster journal be used."
    text = "This SQLite has the WAL-reset bug; the TRUNCATE journal is used instead."
    return [Info(text, hint=hint, id="rpa_site.I001")]


@register(STARTUP)
def perception_can_be_built(**kwargs: Any) -> list[CheckMessage]:
    """Names of readers, models and languages, and the files that they need (S2.8, S2.10)."""
    problems = PerceptionConfig.from_settings(settings).problems()
    return [Error(problem.text, hint=problem.hint, id=PERCEPTION[problem.setting]) for problem in problems]


@register(STARTUP)
def window_providers_can_be_called(**kwargs: Any) -> list[CheckMessage]:
    """Every name of RPA_WINDOW_PROVIDERS leads to code that can be called, and the default is one of them (S2.7)."""
    hint = "Write RPA_WINDOW_PROVIDERS as name=dotted.path, with commas between."
    found: list[CheckMessage] = []
    for name, path in settings.RPA_WINDOW_PROVIDERS.items():
        try:
            works = callable(load_provider(name))
        except Exception as error:  # noqa: BLE001  importing a deployment's own module may raise anything
            found.append(Error(f"The window provider {name} ({path}) is not there: {error}", hint=hint, id=PROVIDERS))
        else:
            if not works:
                found.append(Error(f"The window provider {name} ({path}) cannot be called.", hint=hint, id=PROVIDERS))
    try:
        known_name(settings.RPA_WINDOW_INFO_PROVIDER)
    except UnknownWindowProvider as error:
        found.append(Error(f"RPA_WINDOW_INFO_PROVIDER: {error}", hint=hint, id=PROVIDERS))
    return found


@register(STARTUP)
def helpers_can_be_built(**kwargs: Any) -> list[CheckMessage]:
    """What is said of the GPU and the models, before the first run asks for them."""
    found: list[CheckMessage] = []
    for read, code in ((GPUResourceConfig.from_settings, "rpa_site.E020"), (_catalogue, "rpa_site.E021")):
        try:
            read()
        except (ImproperlyConfigured, GPUError) as error:
            found.append(Error(str(error), hint="Change it in the environment or in .env.local.", id=code))
    return found


def _catalogue() -> None:
    read_file(path_of_file())


@register(STARTUP)
def data_directory_takes_files(**kwargs: Any) -> list[CheckMessage]:
    folder = settings.DATA_DIR
    if not (folder.is_dir() and os.access(folder, os.W_OK)):
        hint = "Make the folder writable, or set RPA_DATA_DIR to another one."
        return [Error(f"The data directory {folder} cannot be written to.", hint=hint, id="rpa_site.E004")]
    kind = file_system_of(folder)
    if kind not in NETWORK_FILE_SYSTEMS:
        return []
    hint = "Set RPA_DATA_DIR to a folder on a disk of this machine: locks over a network do not hold."
    return [Error(f"The data directory {folder} is on a network file system ({kind}).", hint=hint, id="rpa_site.E005")]


def file_system_of(folder: Path) -> str:
    """The kind of file system that holds `folder`; empty where this system does not say."""
    if not MOUNTS.exists():
        return ""
    mounts = (line.split() for line in MOUNTS.read_text().splitlines())
    kinds = {Path(fields[1].replace("\\040", " ")): fields[2] for fields in mounts if len(fields) > 2}
    return next((kinds[path] for path in (folder, *folder.parents) if path in kinds), "")


@register(deploy=True)
def run_loop_has_a_display(**kwargs: Any) -> list[CheckMessage]:
    if sys.platform in ("win32", "darwin") or os.environ.get("DISPLAY"):
        return []
    hint = "The web process needs none. For the run loop set DISPLAY, or start Xvfb and name its display."
    return [Warning("There is no display for a run loop here.", hint=hint, id="rpa_site.W003")]


@register(Tags.security)
def api_views_declare_permissions(**kwargs: Any) -> list[CheckMessage]:
    return [
        Error(
            f"{view.__module__}.{view.__name__} does not declare `{name}`.",
            hint=f"Name the permission that it takes, as in `{name} = execution.permissions.VIEW`.",
            id="rpa_site.E006",
        )
        for view in sorted(set(api_views(get_resolver().url_patterns)), key=lambda v: v.__name__)
        for name in undeclared(view)
    ]


def api_views(patterns: list[Any]) -> Iterator[type[Any]]:
    """The classes of all API views that have a route."""
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            yield from api_views(pattern.url_patterns)
        elif isinstance(pattern, URLPattern) and hasattr(pattern.callback, "cls"):
            yield pattern.callback.cls


def undeclared(view: type[Any]) -> list[str]:
    """Which of its two permissions an API view lacks, of those that its methods ask for."""
    from rpa_site.api import READS, DeclaredPermission  # the views have loaded it

    if DeclaredPermission not in view.permission_classes:
        return ["permission_classes"]
    methods = {name.upper() for name in view.http_method_names if hasattr(view, name)} - {"OPTIONS"}
    needed = {"read_permission" if method in READS else "write_permission" for method in methods}
    return sorted(name for name in needed if not getattr(view, name, None))


# System checks of where the pictures lie: in this house, and does it answer?

AMAZON = (".amazonaws.com", ".amazonaws.com.cn", ".amazonaws.eu")


@register(Tags.security, STARTUP)
def pictures_stay_in_the_house(**kwargs: Any) -> list[CheckMessage]:
    """S10.4: what is seen on screens goes to nobody else's servers, and over no network in clear."""
    if not (options := settings.STORAGES["pictures"].get("OPTIONS")):
        return []
    parts = urlsplit(options.get("endpoint_url") or "")
    if not parts.hostname or f".{parts.hostname}".endswith(AMAZON):
        hint = "Name a server of your own in RPA_PICTURES_URL, such as https://pictures.example:9000/surehand."
        return [Error("Pictures of screens would go to Amazon.", hint=hint, id="rpa_site.E022")]
    if parts.scheme == "https" or _is_here(parts.hostname):
        return []
    hint = "Give the server a certificate, and write https:// in RPA_PICTURES_URL."
    return [Warning("Pictures of screens go over the network in clear.", hint=hint, id="rpa_site.W004")]


@register(deploy=True)
def pictures_are_taken(**kwargs: Any) -> list[CheckMessage]:
    """Whether the store of the pictures answers, and what it says where it does not take ours."""
    try:
        PictureStore().answer()
    except PictureAway as error:
        hint = "Until then runs pause before they act, and pages show no pictures. See docs/many.md."
        return [Error(worded(error), hint=hint, id="rpa_site.E023")]
    return []


@register(deploy=True)
def a_worker_looks_at_the_clock(**kwargs: Any) -> list[CheckMessage]:
    """Whether somebody begins lists at their times and tells people, where there is anything to begin or to tell."""
    try:
        problem = worker_missing()
    except DatabaseError:
        return []  # its tables are not there yet
    hint = "`make run` and deploy/surehand-work.service start one. See docs/worklists.md."
    return [Warning(worded(problem), hint=hint, id="rpa_site.W005")] if problem else []


def _is_here(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
