"""Which browser sessions may watch runs: asked when a socket opens and, for all sockets together, while they last."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from importlib import import_module
from typing import Any

from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY, get_user_model
from django.contrib.auth.models import AbstractBaseUser
from django.utils import timezone
from django.utils.crypto import constant_time_compare

from execution.permissions import OPERATE, VIEW
from execution.stream.clients import Refused
from workflows.permissions import DESIGN

NOT_LOGGED_IN = 4401
NO_PERMISSION = 4403


def refusals(session_keys: Collection[str]) -> dict[str, int]:
    """The close code of each session that may not watch runs; those that may are not in it. Three queries for all."""
    users = _users_of(session_keys)
    allowed = _permitted({user.pk for user in users.values()}, VIEW)
    refused = dict.fromkeys(set(session_keys) - set(users), NOT_LOGGED_IN)
    return refused | {key: NO_PERMISSION for key, user in users.items() if user.pk not in allowed}


def allowed(session_key: str, who: Callable[[Collection[str]], Mapping[str, Any]]) -> Any:
    """The key of the person of a session that may do something, as `who` says. Raises Refused."""
    person = who([session_key]).get(session_key)
    if person is None:
        raise Refused(NOT_LOGGED_IN if refusals([session_key]).get(session_key) == NOT_LOGGED_IN else NO_PERMISSION)
    return person


def teachers(session_keys: Collection[str]) -> dict[str, Any]:
    """Of the sessions those that may teach, with the key of who is logged in there."""
    return _holders(session_keys, DESIGN)


def controllers(session_keys: Collection[str]) -> dict[str, Any]:
    """Of the sessions those that may act on a run's desktop, with the key of who is logged in there."""
    return _holders(session_keys, OPERATE)


def operators(session_keys: Collection[str]) -> set[str]:
    """Those of the sessions that may answer what runs ask."""
    return set(_holders(session_keys, OPERATE))


def _holders(session_keys: Collection[str], permission: str) -> dict[str, Any]:
    users = _users_of(session_keys)
    permitted = _permitted({user.pk for user in users.values()}, permission)
    return {key: user.pk for key, user in users.items() if user.pk in permitted}


def _users_of(session_keys: Collection[str]) -> dict[str, AbstractBaseUser]:
    """Who is logged in with each session, by the rules of django.contrib.auth."""
    model = import_module(settings.SESSION_ENGINE).SessionStore.get_model_class()
    rows = model.objects.filter(session_key__in=session_keys, expire_date__gt=timezone.now())
    sessions = {row.session_key: row.get_decoded() for row in rows}
    ids = {data[SESSION_KEY] for data in sessions.values() if SESSION_KEY in data}
    people = {str(user.pk): user for user in get_user_model().objects.filter(pk__in=ids, is_active=True)}
    found = {key: (data, people.get(data.get(SESSION_KEY, ""))) for key, data in sessions.items()}
    return {key: user for key, (data, user) in found.items() if user is not None and _is_genuine(data, user)}


def _is_genuine(data: Mapping[str, Any], user: AbstractBaseUser) -> bool:
    """Whether the session is of a login that still holds: a changed password ends it."""
    if data.get(BACKEND_SESSION_KEY) not in settings.AUTHENTICATION_BACKENDS:
        return False
    sealed = data.get(HASH_SESSION_KEY, "")
    hashes = (user.get_session_auth_hash(), *user.get_session_auth_fallback_hash())
    return any(constant_time_compare(sealed, known) for known in hashes)


def _permitted(user_ids: Collection[Any], permission: str) -> set[Any]:
    # Who is active was asked just before; asked twice, somebody deactivated in between would get the wrong code.
    everybody: Any = None
    backend = settings.AUTHENTICATION_BACKENDS[0]
    holders = get_user_model().objects.with_perm(permission, is_active=everybody, backend=backend)
    return set(holders.filter(pk__in=user_ids).values_list("pk", flat=True))
