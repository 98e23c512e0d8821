"""Logging in: how often, from where, for how long; and nobody locks a ward out (T15)."""

from __future__ import annotations

import logging
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.contrib.sessions.models import Session
from django.db import connections
from django.test import Client
from django.utils import timezone

from rpa_site import throttle
from rpa_site.models import FailedLogin
from tests.conftest import PASSWORD

pytestmark = [pytest.mark.django_db, pytest.mark.security]

WARD = "10.0.0.7"


def attempt(client: Client, name: str, password: str = "wrong", address: str = WARD) -> int:
    """302: in; 200: wrong; 429: not looked at."""
    return client.post("/login", {"username": name, "password": password}, REMOTE_ADDR=address).status_code


def test_guessing_at_one_person_ends_after_five_attempts(viewer: Any) -> None:
    attacker = Client()
    assert [attempt(attacker, "viewer") for _ in range(7)] == [200] * 5 + [429] * 2
    assert attempt(attacker, "viewer", PASSWORD) == 429, "the password is not looked at"
    page = attacker.post("/login", {"username": "viewer", "password": "x"}, REMOTE_ADDR=WARD).content.decode()
    assert "Too many attempts. Wait 15 minutes" in page
    with time_machine.travel(timezone.now() + throttle.WINDOW + timedelta(seconds=1), tick=False):
        assert attempt(attacker, "viewer", PASSWORD) == 302


def test_the_attacker_behind_the_wards_address_locks_nobody_out(make_user: Any) -> None:
    """Those who have logged in before on their browser are counted by themselves; the others by their name."""
    people = {name: make_user(name, "operator") for name in ("ann", "ben", "cem")}
    known = Client()
    assert attempt(known, "ann", PASSWORD) == 302
    known.cookies.pop("sessionid")
    attacker = Client()
    for name in people:
        for _ in range(12):
            attempt(attacker, name)
    for number in range(throttle.MOST_FROM_AN_ADDRESS):
        attempt(attacker, f"nobody{number}")
    assert attempt(known, "ann", PASSWORD) == 302, "the person at her usual browser"
    assert attempt(Client(), "ben", PASSWORD, address="10.0.0.8") == 302, "another address, under the name's own limit"
    assert attempt(Client(), "cem", PASSWORD) == 429, "an unknown browser at the attacked address waits"


def test_one_of_many_names_from_one_address_is_stopped_in_the_end(viewer: Any) -> None:
    attacker = Client()
    told = [attempt(attacker, f"name{n}") for n in range(throttle.MOST_FROM_AN_ADDRESS + 3)]
    assert told == [200] * throttle.MOST_FROM_AN_ADDRESS + [429] * 3


def test_one_name_from_many_addresses_is_stopped_too(viewer: Any) -> None:
    told = [attempt(Client(), "viewer", address=f"10.1.0.{n}") for n in range(throttle.MOST_AT_A_NAME + 2)]
    assert told == [200] * throttle.MOST_AT_A_NAME + [429] * 2


def test_a_known_browser_may_guess_ten_times(viewer: Any) -> None:
    known = Client()
    assert attempt(known, "viewer", PASSWORD) == 302
    known.cookies.pop("sessionid")
    assert [attempt(known, "viewer") for _ in range(11)] == [200] * 10 + [429]


def test_a_cookie_that_was_made_up_or_belongs_to_another_person_is_no_known_browser(make_user: Any) -> None:
    make_user("ann"), make_user("ben")
    browser = Client()
    attempt(browser, "ann", PASSWORD)
    anns = browser.cookies[throttle._cookie("ann")].value
    forged = Client()
    forged.cookies[throttle._cookie("ben")] = anns
    assert [attempt(forged, "ben") for _ in range(6)] == [200] * 5 + [429]
    forged.cookies[throttle._cookie("ben")] = anns[:-2] + "xx"
    assert attempt(forged, "ben") == 429


def test_a_success_begins_the_count_anew(viewer: Any) -> None:
    client = Client()
    for _ in range(4):
        attempt(client, "viewer")
    assert attempt(client, "viewer", PASSWORD) == 302
    assert FailedLogin.objects.count() == 0


@pytest.mark.django_db(transaction=True)
def test_many_at_once_count_as_many(viewer: Any) -> None:
    """An attempt is written before its password is looked at."""

    def guess(number: int) -> int:
        try:
            return attempt(Client(), "viewer")
        finally:
            connections.close_all()

    with ThreadPoolExecutor(8) as pool:
        told = list(pool.map(guess, range(16)))
    assert told.count(200) == 5


@pytest.mark.parametrize(("hops", "seen"), [(0, "10.9.9.9"), (1, "203.0.113.5"), (2, "198.51.100.1"), (3, "10.9.9.9")])
def test_only_proxies_that_are_set_are_believed(settings: Any, hops: int, seen: str) -> None:
    """Else whoever guesses writes another address into each request."""
    settings.RPA_PROXIES = hops
    Client().post(
        "/login",
        {"username": "x", "password": "y"},
        REMOTE_ADDR="10.9.9.9",
        HTTP_X_FORWARDED_FOR="198.51.100.1, 203.0.113.5",
    )
    assert FailedLogin.objects.get().address == seen


def test_an_address_that_is_none_does_no_harm(settings: Any) -> None:
    settings.RPA_PROXIES = 1
    answer = Client().post("/login", {"username": "x", "password": "y"}, HTTP_X_FORWARDED_FOR="'; DROP TABLE x")
    assert answer.status_code == 200
    assert FailedLogin.objects.get().address is None


def test_failures_are_logged_with_the_address_and_neither_name_nor_password(
    viewer: Any, caplog: pytest.LogCaptureFixture
) -> None:
    """People type their password where their name belongs."""
    with caplog.at_level(logging.INFO):
        for _ in range(6):
            attempt(Client(), "My secret pass phrase", "hunter2hunter2")
    told = [record for record in caplog.records if record.name == "rpa_site.throttle"]
    assert [record.getMessage() for record in told] == ["log-in failed"] * 5 + ["log-in refused: too many attempts"]
    assert {record.address for record in told} == {WARD}
    said = " ".join(f"{r.getMessage()} {r.__dict__}" for r in caplog.records)
    kept = str(list(FailedLogin.objects.values()))
    for word in ("hunter2", "secret pass"):
        assert word not in said + kept


def test_what_is_kept_of_attempts_is_dropped_after_the_window(viewer: Any) -> None:
    attempt(Client(), "viewer")
    with time_machine.travel(timezone.now() + throttle.WINDOW + timedelta(seconds=1), tick=False):
        attempt(Client(), "somebody")
    assert FailedLogin.objects.count() == 1


# --- sessions --------------------------------------------------------------------------------------------------------
def test_a_session_ends_after_a_working_day_whatever_is_done_meanwhile(viewer: Any, settings: Any) -> None:
    client = Client()
    begun = timezone.now()
    with time_machine.travel(begun, tick=False) as clock:
        attempt(client, "viewer", PASSWORD)
        for hour in range(1, 11):
            clock.move_to(begun + timedelta(hours=hour))
            client.post("/language", {"language": "fr"})
            session = client.session
            session["touched"] = hour  # a session that is written to does not last longer for it
            session.save()
            assert client.get("/").status_code == 200, hour
        clock.move_to(begun + timedelta(hours=settings.RPA_SESSION_HOURS, seconds=1))
        assert client.get("/").status_code == 302
    assert Session.objects.get().expire_date <= begun + timedelta(hours=settings.RPA_SESSION_HOURS)


def test_logging_out_clears_what_the_browser_keeps(viewer: Any, client_of: Any) -> None:
    answer = client_of(viewer).post("/logout")
    assert answer.headers["Clear-Site-Data"] == '"cache", "storage"'
    assert Session.objects.count() == 0


def test_the_admin_without_the_right_is_a_page_that_says_so(viewer: Any, client_of: Any) -> None:
    """It was a redirect loop."""
    answer = client_of(viewer).get("/admin/", follow=True)
    assert answer.status_code == 403
    assert len(answer.redirect_chain) == 1
    assert "designer" in answer.content.decode()
    assert Client().get("/admin/", follow=True).redirect_chain[-1][0].startswith("/login")
