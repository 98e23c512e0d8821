"""Sending: a message to an address that an admin entered, by Apprise; webhooks that are signed, out and in (S12.10)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qsl, quote, unquote, urlsplit

import httpx
from standardwebhooks import Webhook, WebhookVerificationError

from sentences.said import say
from workflows.exceptions import DomainError

TIMEOUT = 10.0  # seconds for a webhook: who waits longer is not heard, and is tried again
LONGEST_ANSWER = 300  # characters of the other side's words
_TOLD = frozenset({"WARNING", "ERROR"})  # levels of the library's lines that say why
# Kinds of addresses that run or write something on this machine instead of telling a person.
REFUSED_KINDS = frozenset({"dbus", "gnome", "glib", "kde", "macosx", "qt", "syslog", "windows", "file", "script"})


class BadSignature(DomainError):
    """A webhook that does not come from who it says, or comes too late."""

    status_code = 401
    code = "bad_signature"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of a message; `said` is why it was not delivered, with the other side's words in it."""

    delivered: bool
    said: str = ""


def send(address: str, subject: str, body: str) -> Outcome:
    """Send to an address as Apprise writes them: mailtos://…, ntfys://…, msteams://…"""
    if address.partition(":")[0].strip().lower() in REFUSED_KINDS:
        return Outcome(delivered=False, said=say("notice.refused_address"))
    from apprise import Apprise, AppriseAsset, NotifyFormat  # most of a second, and only who sends needs it

    # One after the other, in this thread, with nothing of it kept on the disk.
    asset = AppriseAsset(
        app_id="Surehand", app_desc="Surehand", app_url="", async_mode=False, plugin_paths=[], result_log_disk_size=0
    )
    client = Apprise(asset=asset)
    if not client.add(address):
        return Outcome(delivered=False, said=say("notice.unknown_address"))
    result = client.notify(body=body, title=subject, body_format=NotifyFormat.TEXT)
    if result:
        return Outcome(delivered=True)
    told = [entry.message for one in result.results for entry in one.logs() if entry.level in _TOLD]
    words = _shortened(without_secrets_of(address, " ".join(told)))
    return Outcome(delivered=False, said=say("notice.not_delivered", words=words or "–"))


def to_person(server: str, mail: str) -> str:
    """The address of a mail server, as an admin entered it, for a message to this mail address alone."""
    base, _, query = server.partition("?")
    kept = [part for part in query.split("&") if part and part.partition("=")[0].lower() not in ("to", "cc", "bcc")]
    return "?".join((base, "&".join([*kept, f"to={quote(mail, safe='@')}"])))


def without_secrets_of(address: str, text: str) -> str:
    """The text without what in the address may be a secret: its user, password, path and options."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return text.replace(address, "…")
    options = [value for _name, value in parse_qsl(parts.query)]
    found = {parts.username or "", parts.password or "", *parts.path.split("/"), *options}
    found |= {address} | {unquote(one) for one in found}
    for one in sorted(found, key=len, reverse=True):
        if len(one) > 3:
            text = text.replace(one, "…")
    return text


# --- webhooks ------------------------------------------------------------------------------------------------------
def call(url: str, secret: str, *, message_id: str, payload: Mapping[str, Any]) -> Outcome:
    """POST a signed webhook (Standard Webhooks); the same message has the same id however often it is tried."""
    body, now = json.dumps(payload, ensure_ascii=False), datetime.now(UTC)
    headers = {
        "content-type": "application/json",
        "webhook-id": message_id,
        "webhook-timestamp": str(int(now.timestamp())),
        "webhook-signature": Webhook(secret).sign(message_id, now, body),
    }
    try:
        answer = httpx.post(url, content=body.encode(), headers=headers, timeout=TIMEOUT, follow_redirects=False)
    except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
        words = _shortened(without_secrets_of(url, str(error)))
        return Outcome(delivered=False, said=say("notice.not_delivered", words=words or type(error).__name__))
    if answer.is_success:
        return Outcome(delivered=True)
    words = _shortened(without_secrets_of(url, f"{answer.status_code} {answer.text[:LONGEST_ANSWER]}"))
    return Outcome(delivered=False, said=say("notice.not_delivered", words=words))


def verified(secret: str, headers: Mapping[str, str], body: bytes) -> tuple[str, Any]:
    """The id and the payload of a webhook that came in. Raises BadSignature.

    The same id is the same message: who keeps it does nothing twice.
    """
    try:
        payload = Webhook(secret).verify(body, dict(headers))
    except (WebhookVerificationError, ValueError, RecursionError) as error:
        raise BadSignature(say("notice.bad_signature")) from error
    return next(value for name, value in headers.items() if name.lower() == "webhook-id"), payload


def _shortened(text: str) -> str:
    return " ".join(text.split())[:LONGEST_ANSWER]
