"""Does JSON from outside have the form of a frozen dataclass? Says where it has not."""

from __future__ import annotations

import math
import types
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, Union, get_args, get_origin, get_type_hints

from django.utils.translation import gettext as _

MAX_TEXT = 10_000
MAX_ITEMS = 2_000
MAX_DEPTH = 8
MAX_NUMBER = 1e9  # of fractions, scores and times: what is multiplied or rounded stays a number
MAX_NESTED = 12  # forms within each other: a target has looks, which have looks


class WrongShape(ValueError):
    """The message says where and what was expected."""


def check(value: Any, kind: Any, where: str) -> None:
    """Raise WrongShape unless `value`, as JSON gave it, can become a `kind`."""
    if isinstance(kind, type) and is_dataclass(kind):
        _check_dataclass(value, kind, where)
    elif get_origin(kind) in (Union, types.UnionType):
        if value is not None:
            check(value, _kind_of(value, get_args(kind)), where)
    elif get_origin(kind) is tuple:
        _check_tuple(value, get_args(kind), where)
    elif kind is Any or get_origin(kind) is Mapping:
        _check_plain(value, where, depth=0)
        if kind is not Any and not isinstance(value, dict):
            raise _wrong(where, _("an object"))
    else:
        _check_scalar(value, kind, where)


def _kind_of(value: Any, kinds: tuple[Any, ...]) -> Any:
    """Which of the kinds a value is to be: a text where one is given and may be, else the first."""
    given = [kind for kind in kinds if kind is not type(None)]
    return str if isinstance(value, str) and str in given else given[0]


def _check_dataclass(value: Any, kind: type, where: str) -> None:
    if not isinstance(value, dict):
        raise _wrong(where, _("an object"))
    if where.count(".") > MAX_NESTED:
        raise _wrong(where, _("less deep"))
    hints = get_type_hints(kind)
    names = {f.name: f for f in fields(kind)}
    if unknown := sorted(set(value) - set(names)):
        raise WrongShape(
            _("%(where)s: “%(name)s” is not known.") % {"where": where, "name": _printable(unknown[0][:80])}
        )
    for name, field in names.items():
        if name in value:
            check(value[name], hints[name], f"{where}.{name}")
        elif field.default is MISSING and field.default_factory is MISSING:
            raise WrongShape(_("%(where)s: “%(name)s” is missing.") % {"where": where, "name": name})


def _check_tuple(value: Any, args: tuple[Any, ...], where: str) -> None:
    if not isinstance(value, list):
        raise _wrong(where, _("a list"))
    repeated = len(args) == 2 and args[1] is Ellipsis
    if not repeated and len(value) != len(args):
        raise _wrong(where, _("a list of %(count)d") % {"count": len(args)})
    if len(value) > MAX_ITEMS:
        raise _wrong(where, _("a list of at most %(count)d") % {"count": MAX_ITEMS})
    for i, item in enumerate(value):
        check(item, args[0] if repeated else args[i], f"{where}[{i}]")


def _check_plain(value: Any, where: str, *, depth: int) -> None:
    """Any JSON that is not too deep or too large."""
    if depth > MAX_DEPTH:
        raise _wrong(where, _("less deep"))
    if isinstance(value, dict | list):
        if len(value) > MAX_ITEMS:
            raise _wrong(where, _("a list of at most %(count)d") % {"count": MAX_ITEMS})
        for name in value if isinstance(value, dict) else ():
            _check_scalar(name, str, where)
        for item in value.values() if isinstance(value, dict) else value:
            _check_plain(item, where, depth=depth + 1)
    elif isinstance(value, str):
        _check_scalar(value, str, where)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        _check_scalar(value, type(value), where)


def _check_scalar(value: Any, kind: Any, where: str) -> None:
    if kind is str:
        if not isinstance(value, str):
            raise _wrong(where, _("a text"))
        if len(value) > MAX_TEXT or "\0" in value:
            raise _wrong(where, _("a text of at most %(count)d characters") % {"count": MAX_TEXT})
        if value != _printable(value):  # half a character, which neither a file nor the database takes
            raise _wrong(where, _("a text"))
    elif kind is bool:
        if not isinstance(value, bool):
            raise _wrong(where, _("true or false"))
    elif kind is int:
        if not isinstance(value, int) or isinstance(value, bool) or abs(value) > 2**31 - 1:
            raise _wrong(where, _("a whole number"))
    elif kind is float:
        if not isinstance(value, int | float) or isinstance(value, bool) or not _is_number(value):
            raise _wrong(where, _("a number"))
    else:  # a new field of a spec: refuse rather than let it in unchecked
        raise TypeError(f"no check for {kind!r} at {where}")


def _is_number(value: int | float) -> bool:
    return abs(value) < MAX_NUMBER and math.isfinite(value)  # a very large whole number is no float at all


def _printable(text: str) -> str:
    return text.encode(errors="replace").decode()


def _wrong(where: str, expected: str) -> WrongShape:
    return WrongShape(_("%(where)s must be %(expected)s.") % {"where": where, "expected": expected})
