"""Messages that leave: a real mail server and a real web server on this machine (S12.10)."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from email import message_from_bytes
from email.header import decode_header, make_header

import pytest
from standardwebhooks import Webhook

from execution.worklists.channels import BadSignature, call, send, to_person, verified, without_secrets_of
from tests.support.post import SECRET, Caught, Mails, free_port


def test_a_mail_arrives(mails: tuple[Mails, str]) -> None:
    server, address = mails
    outcome = send(to_person(address, "anna@example.org"), "The list “Letters” needs a person.", "Row 12.\n\nhttps://x")

    assert (outcome.delivered, outcome.said) == (True, "")
    (envelope,) = server.envelopes
    assert (envelope.mail_from, envelope.rcpt_tos) == ("robot@example.org", ["anna@example.org"])
    assert envelope.content is not None
    mail = message_from_bytes(envelope.content if isinstance(envelope.content, bytes) else envelope.content.encode())
    assert str(make_header(decode_header(mail["Subject"]))) == "The list “Letters” needs a person."
    assert "Row 12." in str(mail.get_payload(decode=True) or mail.get_payload()[0].get_payload(decode=True))


def test_a_mail_that_is_refused_says_so(mails: tuple[Mails, str]) -> None:
    server, address = mails
    server.answer = "554 the mailbox is full"
    outcome = send(to_person(address, "anna@example.org"), "subject", "body")

    assert not outcome.delivered
    assert "failed" in outcome.said


def test_a_server_that_is_away_is_told_without_its_password() -> None:
    server = f"mailto://robot:s3cretword@127.0.0.1:{free_port()}?from=r@example.org&mode=insecure"
    outcome = send(to_person(server, "a@example.org"), "subject", "body")

    assert not outcome.delivered
    assert "s3cretword" not in outcome.said


def test_a_message_reaches_a_web_server(catcher: Caught) -> None:
    assert send(f"json://127.0.0.1:{catcher.server_port}/hook", "subject", "body").delivered
    assert json.loads(catcher.requests[0][1])["title"] == "subject"
    catcher.status = 500
    refused = send(f"json://127.0.0.1:{catcher.server_port}/hook", "subject", "body")
    assert (refused.delivered, "error=500" in refused.said) == (False, True)


@pytest.mark.parametrize("address", ["", "nothing", "unknown://x", "dbus://", "syslog://", "windows://"])
def test_what_is_no_address_of_a_person_is_refused(address: str) -> None:
    outcome = send(address, "subject", "body")

    assert not outcome.delivered
    assert outcome.said


def test_one_person_alone_gets_what_is_for_them() -> None:
    server = "mailtos://u:p@mail.example.org?to=all@example.org&cc=x@example.org&from=r@example.org"

    assert to_person(server, "anna+1@example.org") == (
        "mailtos://u:p@mail.example.org?from=r@example.org&to=anna%2B1@example.org"
    )
    assert to_person("mailtos://h", "a@b.org") == "mailtos://h?to=a@b.org"


@pytest.mark.security
def test_secrets_of_an_address_stay_out_of_what_is_said() -> None:
    address = "slack://T1JJ3T3L2/A1BRTD4JD/TIiajkdnlaz%20kOXrI?pass=hidden"
    said = without_secrets_of(address, "403 from https://x/A1BRTD4JD/TIiajkdnlaz kOXrI with hidden")

    assert "A1BRTD4JD" not in said
    assert "kOXrI" not in said
    assert "hidden" not in said


# --- webhooks --------------------------------------------------------------------------------------------------------
def test_a_webhook_is_signed_and_can_be_verified(catcher: Caught) -> None:
    url = f"http://127.0.0.1:{catcher.server_port}/hook"

    assert call(url, SECRET, message_id="msg_1", payload={"list": "Letters", "é": 1}).delivered
    headers, body = catcher.requests[0]
    assert verified(SECRET, headers, body) == ("msg_1", {"list": "Letters", "é": 1})


@pytest.mark.security
@pytest.mark.parametrize("status", [302, 400, 500])
def test_a_webhook_that_is_not_taken_says_so_and_is_led_nowhere(catcher: Caught, status: int) -> None:
    catcher.status = status
    outcome = call(f"http://127.0.0.1:{catcher.server_port}/hook", SECRET, message_id="m", payload={})

    assert not outcome.delivered
    assert str(status) in outcome.said
    assert len(catcher.requests) == 1


@pytest.mark.parametrize("url", ["http://127.0.0.1:{port}/x", "no address", "http://[::1"])
def test_a_webhook_to_nobody_says_so(url: str) -> None:
    assert not call(url.format(port=free_port()), SECRET, message_id="m", payload={}).delivered


@pytest.mark.security
@pytest.mark.parametrize(
    "change",
    [
        {"webhook-signature": "v1,AAAA"},
        {"webhook-signature": "nonsense"},
        {"webhook-signature": ""},
        {"webhook-timestamp": "soon"},
        {"webhook-id": "another"},
    ],
)
def test_a_webhook_that_is_not_signed_is_refused(change: dict[str, str]) -> None:
    body = b'{"a": 1}'
    good = signed(body, datetime.now(UTC))

    assert verified(SECRET, good, body) == ("msg_1", {"a": 1})
    with pytest.raises(BadSignature):
        verified(SECRET, {**good, **change}, body)
    with pytest.raises(BadSignature):
        verified(SECRET, good, b'{"a": 2}')
    with pytest.raises(BadSignature):
        verified(SECRET, good, b"\xff")


@pytest.mark.security
def test_a_webhook_of_yesterday_is_refused() -> None:
    body = b"{}"

    with pytest.raises(BadSignature):
        verified(SECRET, signed(body, datetime.now(UTC) - timedelta(days=1)), body)


def signed(body: bytes, at: datetime) -> dict[str, str]:
    return {
        "Webhook-Id": "msg_1",
        "webhook-timestamp": str(int(at.timestamp())),
        "webhook-signature": Webhook(SECRET).sign("msg_1", at, body.decode()),
    }
