"""Reading a setting from the environment: what it must be, or a sentence that says what, where and what to do."""

from __future__ import annotations

import logging
import math
from importlib.util import find_spec
from typing import Any
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.core.exceptions import ImproperlyConfigured
from environ import Env

YES, NO = frozenset({"true", "on", "ok", "y", "yes", "1"}), frozenset({"false", "off", "n", "no", "0", ""})
_OF_REDIS = ("redis://", "rediss://", "unix://")
RQ = "execution.behind.rq.RQBackend"
_RQ_PATIENCE = "socket_connect_timeout=1&socket_timeout=1"  # of who asks; the worker waits as it must
_RQ_LONGEST_S = 12 * 3600
WHERE = "Change it in the environment or in .env.local."


def whole(env: Env, name: str, default: int, *, least: int = 1, most: int = 10**9) -> int:
    text = env.str(name, "").strip()
    if not text:
        return default
    try:
        value = int(text)
    except ValueError:
        value = least - 1
    if not least <= value <= most:
        raise ImproperlyConfigured(f"{name} must be a whole number from {least} to {most}, it is “{text}”. {WHERE}")
    return value


def number(env: Env, name: str, default: float, *, above: float = 0.0, most: float = 1.0) -> float:
    text = env.str(name, "").strip()
    if not text:
        return default
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not above < value <= most:
        raise ImproperlyConfigured(
            f"{name} must be a number above {above:g}, at most {most:g}; it is “{text}”. {WHERE}"
        )
    return value


def switch(env: Env, name: str, default: bool) -> bool:
    text = env.str(name, str(default)).strip().lower()
    if text not in YES | NO:
        raise ImproperlyConfigured(f"{name} is a switch: 1 or 0, and not “{text}”. {WHERE}")
    return text in YES


def address(env: Env, name: str) -> str:
    """An http address, or nothing."""
    text: str = env.str(name, "").strip()
    parts = urlsplit(text)
    if text and (parts.scheme not in ("http", "https") or not parts.hostname or _has_bad_port(parts)):
        raise ImproperlyConfigured(f"{name} must be an address such as http://127.0.0.1:11434. {WHERE}")
    return text


def redis(env: Env) -> str:
    """The address of a Redis, or nothing. What is refused is not repeated: it may hold a password."""
    text: str = env.str("REDIS_URL", "").strip()
    if not text:
        return ""
    if find_spec("redis") is None and text.startswith(_OF_REDIS):
        raise ImproperlyConfigured(
            f"REDIS_URL needs what .venv/bin/pip install -r requirements-many.txt brings. {WHERE}"
        )
    if not text.startswith(_OF_REDIS) or not _makes_a_client(text):
        raise ImproperlyConfigured(
            "REDIS_URL must be an address such as redis://127.0.0.1:6379, with nothing in it that its client does not "
            f"know; in a password write %2F for “/”, and so on. {WHERE}"
        )
    return text


def pictures(env: Env) -> dict[str, Any]:
    """Where the pictures lie, as Django's STORAGES takes it. What is refused is not repeated: it may hold a key."""
    text: str = env.str("RPA_PICTURES_URL", "").strip()
    if not text:
        return {"BACKEND": "workflows.picture_files.PictureFiles"}
    parts = urlsplit(text)
    bucket, _slash, folder = parts.path.strip("/").partition("/")
    is_address = parts.scheme in ("http", "https") and parts.hostname and not _has_bad_port(parts)
    if not is_address or not bucket or "@" in parts.netloc or parts.query or parts.fragment:
        raise ImproperlyConfigured(
            "RPA_PICTURES_URL must name your own server and the bucket there, such as "
            "https://pictures.example:9000/surehand: without a server it would be Amazon's, and screens stay in the "
            f"house. The key goes into RPA_PICTURES_KEY_ID and RPA_PICTURES_SECRET. {WHERE}"
        )
    if find_spec("storages") is None or find_spec("boto3") is None:
        raise ImproperlyConfigured(
            f"RPA_PICTURES_URL needs what .venv/bin/pip install -r requirements-many.txt brings. {WHERE}"
        )
    key, secret = env.str("RPA_PICTURES_KEY_ID", ""), env.str("RPA_PICTURES_SECRET", "")
    if not (key and secret):
        raise ImproperlyConfigured(f"RPA_PICTURES_URL needs RPA_PICTURES_KEY_ID and RPA_PICTURES_SECRET. {WHERE}")
    options = {
        "endpoint_url": f"{parts.scheme}://{parts.netloc}",
        "bucket_name": bucket,
        "location": folder,
        "access_key": key,
        "secret_key": secret,
        "region_name": env.str("RPA_PICTURES_REGION", "").strip() or "us-east-1",
    }
    return {"BACKEND": "workflows.picture_bucket.PictureBucket", "OPTIONS": options}


def rq_queues(url: str) -> dict[str, dict[str, Any]]:
    """Django-RQ's setting for tasks on that Redis."""
    if not url or find_spec("django_tasks_rq") is None:
        raise ImproperlyConfigured(
            f"RPA_TASKS_BACKEND={RQ} needs REDIS_URL, and what .venv/bin/pip install -r requirements-many.txt brings. "
            f"{WHERE}"
        )
    patient = url + ("&" if "?" in url else "?") + _RQ_PATIENCE
    return {
        "default": {"URL": patient, "DEFAULT_TIMEOUT": _RQ_LONGEST_S, "SERIALIZER": "rq.serializers.JSONSerializer"}
    }


def _makes_a_client(url: str) -> bool:
    """Whether the client of Redis takes an address; nothing is connected."""
    from redis import Redis

    try:
        client = Redis.from_url(url)
        client.connection_pool.make_connection()  # where it first looks at what stands behind the “?”
        (client.connection_pool.connection_kwargs.get("host") or "").encode("idna")  # as it is looked up
    except Exception:  # noqa: BLE001  whatever it raises, it does not take it
        return False
    return not _has_bad_port(urlsplit(url))


def time_zone(env: Env) -> str:
    name: str = env.str("TZ", "").strip() or "UTC"
    try:
        ZoneInfo(name.removeprefix(":"))
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise ImproperlyConfigured(f"TZ must be a time zone such as Europe/Paris, it is “{name}”. {WHERE}") from None
    return name.removeprefix(":")


def log_level(env: Env) -> str:
    level: str = env.str("RPA_LOG_LEVEL", "").strip().upper() or "INFO"
    known = [name for name in logging.getLevelNamesMapping() if name not in ("NOTSET", "WARN", "FATAL")]
    if level not in known:
        raise ImproperlyConfigured(f"RPA_LOG_LEVEL must be one of {', '.join(known)}, it is “{level}”. {WHERE}")
    return level


def _has_bad_port(parts: Any) -> bool:
    try:
        return parts.port == 0
    except ValueError:
        return True
