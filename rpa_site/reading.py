"""Reading a setting from the environment: what it must be, or a sentence that says what, where and what to do."""

from __future__ import annotations

import logging
import math
from typing import Any
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.core.exceptions import ImproperlyConfigured
from environ import Env

YES, NO = frozenset({"true", "on", "ok", "y", "yes", "1"}), frozenset({"false", "off", "n", "no", "0", ""})
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
