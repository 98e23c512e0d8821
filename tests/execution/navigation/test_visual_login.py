"""Logging in by sight: only on a login screen, once, and the password is nowhere but in its field (S5.6, S10.3)."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from execution.desktop import capture
from execution.desktop.base import DesktopLost
from execution.language.login import (
    LoginLabel,
    asks_code,
    label_of,
    names_factor,
    says_broken,
    says_caps_lock,
    says_locked,
    says_wrong,
)
from execution.navigation import handle_visual_login_action, visual_login
from execution.navigation.login_screen import Asks, read_login
from execution.types import ActionStatus, Box, ElementState
from tests.execution.navigation.pages import (
    Clock,
    FormHands,
    Item,
    Page,
    PageHands,
    Role,
    button,
    entry,
    login_of,
    text,
)

CANARY = "canary-77 Xy"

LOGIN = Page(
    (
        text("Ward record", 200, 60),
        text("User name", 200, 110),
        entry(200, 130),
        text("Password", 200, 180),
        entry(200, 200),
        button("Log in", 200, 250),
        Item("Forgotten your password?", Box(200, 300, 200, 14), Role.LINK),
    ),
    title="Ward",
)
USER, PASSWORD = 2, 4
HOME = Page((text("Welcome, Ada", 100, 60), button("Patients", 100, 100), button("Log out", 600, 10)), title="Ward")


def saying(*lines: str, page: Page = LOGIN) -> Page:
    return page.plus(*(text(line, 200, 330 + 20 * i) for i, line in enumerate(lines)))


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    for module in (visual_login, capture):
        monkeypatch.setattr(module, "time", clock.as_time())
    return clock


Make = Callable[..., FormHands]


@pytest.fixture
def make(clock: Clock) -> Make:
    """Hands on a login screen; a click on "Log in" leads to `then`."""

    def make(page: Page = LOGIN, *, then: Page | None = HOME, **fields: Any) -> FormHands:
        hands = FormHands(page=page, clock=clock, logins={"ward": login_of()}, settle_s=2.0, **fields)
        hands.masked = frozenset({PASSWORD})
        if then is not None:
            hands.on["click Log in"] = lambda h, _n: h.show(then)
        return hands

    return make


def log_in(hands: PageHands, name: Any = "ward") -> tuple[ActionStatus, str]:
    result = handle_visual_login_action({"credential": name}, context=hands)
    assert CANARY not in repr(result)
    return result.status, result.message


def typed(hands: PageHands) -> list[str]:
    return [act.removeprefix("type ") for act in hands.done if act.startswith("type ")]


# --- What is a login screen ------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("Password", LoginLabel.PASSWORD),
        ("Password:", LoginLabel.PASSWORD),
        ("Password *", LoginLabel.PASSWORD),
        ("Enter your password", LoginLabel.PASSWORD),
        ("Mot de passe", LoginLabel.PASSWORD),
        ("Votre mot de passe", LoginLabel.PASSWORD),
        ("Motdepasse", LoginLabel.PASSWORD),
        ("Passw0rd", LoginLabel.PASSWORD),
        ("Confirm password", LoginLabel.ANOTHER),
        ("Nouveau mot de passe", LoginLabel.ANOTHER),
        ("Confirmez le mot de passe", LoginLabel.ANOTHER),
        ("User name", LoginLabel.USER),
        ("Usemame", LoginLabel.USER),
        ("E-mail or user name", LoginLabel.USER),
        ("Nom d'utilisateur", LoginLabel.USER),
        ("Identifiant", LoginLabel.USER),
        ("Adresse e-mail", LoginLabel.USER),
        ("Name", LoginLabel.WEAK_USER),
        ("Forgotten your password?", None),
        ("Mot de passe oublié ?", None),
        ("Change password settings", None),
        ("First name", None),
        ("Log in", None),
        ("Your password was changed yesterday", None),
        ("", None),
    ],
)
def test_what_a_label_asks_for(words: str, kind: LoginLabel | None) -> None:
    assert label_of(words) is kind


def test_fields_and_button_are_found() -> None:
    found = read_login(LOGIN.state())
    assert (found.asks, found.user, found.password) == (Asks.BOTH, LOGIN.items[USER].box, LOGIN.items[PASSWORD].box)
    assert found.button == LOGIN.items[5].box


def test_labels_beside_and_inside_their_fields_count_as_well() -> None:
    beside = Page(
        (
            text("Identifiant :", 60, 137),
            entry(200, 130),
            text("Mot de passe :", 60, 187),
            entry(200, 180),
            button("Se connecter", 200, 230),
        )
    )
    inside = Page(
        (
            entry(200, 130, content="Adresse e-mail"),
            entry(200, 180, content="Mot de passe"),
            button("Connexion", 200, 230),
        )
    )
    for page in (beside, inside):
        found = read_login(page.state())
        fields = [i.box for i in page.items if i.role is Role.FIELD]
        assert (found.asks, [found.user, found.password]) == (Asks.BOTH, fields)
        assert found.button == page.items[-1].box


PLAIN = LOGIN.without("Forgotten your password?")
REFUSED = {
    "a password to confirm": (PLAIN.plus(text("Confirm password", 200, 300), entry(200, 320)), "several passwords"),
    "a new password": (PLAIN.plus(text("New password", 200, 300), entry(200, 320)), "several passwords"),
    "a second password": (PLAIN.plus(text("Mot de passe", 200, 300), entry(200, 320)), "several passwords"),
    "a page to register on": (PLAIN.without("Log in").plus(button("Create account", 200, 250)), "register"),
    "several users": (
        Page((text("E-mail", 200, 20), entry(200, 36))).plus(*LOGIN.without("Ward record").items),
        "several fields that could be the user name",
    ),
    "a password that is shown": (LOGIN.plus(text("Hide", 460, 208)), "shows what is typed"),
    "un mot de passe affiché": (LOGIN.plus(text("Masquer", 460, 208)), "shows what is typed"),
    "a locked account": (saying("Your account has been locked after 5 failed attempts."), "is locked"),
}


@pytest.mark.parametrize(("page", "words"), REFUSED.values(), ids=REFUSED)
def test_what_is_no_plain_login_screen_is_refused_before_anything_is_done(page: Page, words: str, make: Make) -> None:
    hands = make(page)
    status, message = log_in(hands)
    assert (status, hands.done) == (ActionStatus.FAILED, [])
    assert words in message


# --- Logging in ------------------------------------------------------------------------------------------------------
def test_it_logs_in(make: Make) -> None:
    hands = make()
    assert log_in(hands) == (ActionStatus.DONE, "Logged in with “ward”.")
    assert hands.done == [
        "open ward",
        "click field",
        "press ctrl+a",
        "press shift+end",
        "type ada.martin",
        "click field",
        "press ctrl+a",
        "press shift+end",
        f"type {CANARY}",
        "click Log in",
    ]


def test_the_vault_is_opened_only_on_a_login_screen(make: Make) -> None:
    hands = make(Page((text("Calculator", 100, 100),)))
    assert log_in(hands)[0] is ActionStatus.FAILED
    assert hands.done == []


def test_a_user_name_that_is_there_is_not_typed_again(make: Make) -> None:
    items = list(LOGIN.items)
    items[USER] = replace(items[USER], text="ada.martin")
    hands = make(replace(LOGIN, items=tuple(items)))
    assert log_in(hands)[0] is ActionStatus.DONE
    assert typed(hands) == [CANARY]


def test_without_a_button_return_sends_it(make: Make) -> None:
    hands = make(LOGIN.without("Log in"))
    hands.on["press enter"] = lambda h, _n: h.show(HOME)
    assert log_in(hands)[0] is ActionStatus.DONE
    assert hands.done[-1] == "press enter"


def test_a_login_screen_that_comes_late_is_waited_for(make: Make) -> None:
    hands = make(Page((text("Starting", 100, 100),)))
    hands.show(LOGIN, after=4)
    assert log_in(hands)[0] is ActionStatus.DONE


def test_the_user_first_and_the_password_on_the_next_page(make: Make) -> None:
    first = Page((text("Sign in", 200, 60), text("E-mail", 200, 110), entry(200, 130), button("Next", 200, 180)))
    second = Page(
        (text("ada.martin", 200, 60), text("Mot de passe", 200, 110), entry(200, 130), button("Se connecter", 200, 180))
    )
    hands = make(first)
    hands.masked = frozenset()

    def turn(h: PageHands, _name: str) -> None:
        assert isinstance(h, FormHands)
        h.masked, h.focus = frozenset({2}), None
        h.show(second, after=1)

    hands.on = {"click Next": turn, "click Se connecter": lambda h, _n: h.show(HOME)}
    assert log_in(hands)[0] is ActionStatus.DONE
    assert typed(hands) == ["ada.martin", CANARY]
    assert hands.done.count("open ward") == 1


def test_a_password_alone_is_only_given_for_the_user_on_the_screen(make: Make) -> None:
    """A locked screen that somebody else left."""
    for who, status in (("ada.martin", ActionStatus.DONE), ("bob", ActionStatus.FAILED)):
        page = Page((text(who, 200, 60), text("Password", 200, 110), entry(200, 130), button("Log in", 200, 180)))
        hands = make(page)
        hands.masked = frozenset({2})
        assert log_in(hands)[0] is status
        assert typed(hands) == ([CANARY] if status is ActionStatus.DONE else [])


# --- What it is answered ---------------------------------------------------------------------------------------------
ANSWERS = [
    (saying("Incorrect password."), "are not right"),
    (saying("Identifiant ou mot de passe incorrect"), "are not right"),
    (saying("Invalid user name or password. Please try again."), "are not right"),
    (saying("The user name or password you entered", "is incorrect."), "are not right"),
    (saying("Échec de la connexion"), "are not right"),
    (saying("Incorrect password. Your account will be locked after 2 more attempts."), "are not right"),
    (saying("Your account is locked. Contact the help desk."), "is locked"),
    (saying("Votre compte a été verrouillé."), "is locked"),
    (saying("Compte bloqué"), "is locked"),
    (saying("Too many attempts. Try again in 15 minutes."), "is locked"),
    (
        Page((text("Enter the verification code", 100, 90), entry(100, 110), button("Verify", 100, 150))),
        "second factor",
    ),
    (Page((text("Saisissez le code à 6 chiffres", 100, 90), entry(100, 110))), "second factor"),
    (Page((text("Two-step verification", 100, 90), text("Approve on your phone", 100, 120))), "second factor"),
    (
        Page((text("New password", 100, 90), entry(100, 110), text("Confirm password", 100, 150), entry(100, 170))),
        "new password is asked for",
    ),
    (Page((text("502 Bad Gateway", 100, 90),)), "answered with an error"),
    (Page((text("Ce site est inaccessible", 100, 90),)), "answered with an error"),
    (Page((text("Logging in…", 100, 90),)), "never answered"),
    (Page((text("Veuillez patienter", 100, 90),)), "never answered"),
    (Page(()), "never answered"),
    (None, "still there without a word"),
]


@pytest.mark.parametrize(("then", "words"), ANSWERS, ids=range(len(ANSWERS)))
def test_answers_are_told_apart_and_nothing_is_tried_again(then: Page | None, words: str, make: Make) -> None:
    hands = make(then=then)
    status, message = log_in(hands)
    assert status is ActionStatus.FAILED
    assert words in message
    assert typed(hands) == ["ada.martin", CANARY]
    assert hands.done.count("click Log in") == 1


def test_a_slow_answer_is_waited_for(make: Make) -> None:
    hands = make(then=Page((text("Connexion en cours…", 100, 90),)))
    hands.on["click Log in"] = lambda h, _n: (h.show(Page(())), h.show(HOME, after=20))[0]
    assert log_in(hands)[0] is ActionStatus.DONE


def test_a_page_of_settings_that_speaks_of_factors_and_failed_logins_is_no_refusal(make: Make) -> None:
    lines = [f"Setting {sign * 3}" for sign in "abcdefghijk"]
    lines += ["Two factors", "Wrong password: lock after three", "Reset the password"]
    page = Page(tuple(text(line, 100, 40 + 30 * i) for i, line in enumerate(lines)))
    assert log_in(make(then=page))[0] is ActionStatus.DONE


def test_a_page_that_flashes_by_is_not_the_answer(make: Make) -> None:
    hands = make()
    wrong = saying("Invalid password")
    hands.on["click Log in"] = lambda h, _n: (h.show(Page((text("Ward", 9, 9),))), h.show(wrong, after=3))[0]
    assert "are not right" in log_in(hands)[1]


def test_a_rule_about_locking_locks_nobody_out(make: Make) -> None:
    assert log_in(make(saying("Accounts are locked after 5 failed attempts.")))[0] is ActionStatus.DONE


def test_a_message_from_before_is_not_taken_for_the_answer(make: Make) -> None:
    hands = make(saying("Incorrect password."))
    assert log_in(hands)[0] is ActionStatus.DONE


def test_a_page_that_is_silent_ends_in_time(make: Make, clock: Clock) -> None:
    hands, began = make(then=None), clock.now
    log_in(hands)
    assert clock.now - began < 75


def test_already_logged_in_is_done_without_opening_the_vault(make: Make) -> None:
    for words in ("Log out", "Déconnexion", "Se déconnecter"):
        hands = make(Page((text("Welcome", 100, 60), button(words, 600, 10))))
        assert log_in(hands) == (ActionStatus.DONE, "Somebody is logged in already.")
        assert hands.done == []


def test_what_is_no_login_screen_is_told_from_being_logged_in(make: Make) -> None:
    status, message = log_in(make(Page((button("Sum", 100, 100), button("Clear", 200, 100)))))
    assert status is ActionStatus.FAILED
    assert message == "This is no login screen: no field for a password is seen. To press there: Sum, Clear."


# --- Before a password is typed --------------------------------------------------------------------------------------
@pytest.mark.parametrize("turn", [1, 2])
@pytest.mark.parametrize("act", ["click field", "press ctrl+a"])
def test_another_window_that_comes_before_something_is_typed_stops_it(act: str, turn: int, make: Make) -> None:
    hands = make()

    def come(h: PageHands, name: str) -> None:
        if h.done.count(name) == turn:
            h.show(replace(h.page, title="Chat"))

    hands.on[act] = come
    assert "Another window came to the front" in log_in(hands)[1]
    assert typed(hands) == ["ada.martin"][: turn - 1]


def test_a_focus_that_goes_elsewhere_stops_it(make: Make) -> None:
    hands = make()
    stolen = list(LOGIN.items)
    stolen[USER] = replace(stolen[USER], states=frozenset({ElementState.FOCUSED}), text="ada.martin")
    hands.on["click field"] = lambda h, _n: h.show(replace(LOGIN, items=tuple(stolen))) if len(h.done) > 4 else None
    assert "gave the focus to another field" in log_in(hands)[1]
    assert CANARY not in typed(hands)


def test_a_password_field_that_is_covered_or_moved_stops_it(make: Make) -> None:
    hands = make()
    moved = Page(tuple(replace(i, box=i.box._replace(y=i.box.y + 90)) for i in LOGIN.items[2:]), title="Ward")
    hands.on["click field"] = lambda h, _n: h.show(moved) if len(h.done) > 4 else None
    assert log_in(hands)[0] is ActionStatus.FAILED
    assert CANARY not in typed(hands)


@pytest.mark.parametrize("words", ["Caps Lock is on", "Verr. Maj activée"])
def test_caps_lock_stops_it(words: str, make: Make) -> None:
    hands = make(saying(words))
    assert "Caps Lock" in log_in(hands)[1]
    assert CANARY not in typed(hands)


def test_a_password_that_can_be_read_is_taken_out_again_and_not_sent(make: Make) -> None:
    hands = make()
    hands.masked = frozenset()
    status, message = log_in(hands)
    assert status is ActionStatus.FAILED
    assert "it was emptied and nothing was sent" in message
    assert hands.done[-2:] == ["press shift+end", "press backspace"]


def test_typing_that_does_not_arrive_stops_it(make: Make) -> None:
    hands = make()
    hands.deaf = True
    assert "Nothing appeared in the field of the user name" in log_in(hands)[1]
    assert CANARY not in typed(hands)


# --- Errors, limits, and where the password must not be --------------------------------------------------------------
@pytest.mark.security
@pytest.mark.parametrize("error", [ValueError(f"cannot type {CANARY}"), DesktopLost(f"lost while typing {CANARY}")])
def test_an_error_while_typing_does_not_tell_what_was_typed(
    error: Exception, make: Make, caplog: pytest.LogCaptureFixture
) -> None:
    hands = make()
    real = hands.type_text

    def fail(words: str) -> None:
        real(words)
        if words == CANARY:
            raise error

    hands.type_text = fail  # type: ignore[method-assign]
    with caplog.at_level(logging.DEBUG):
        status, message = log_in(hands)
    expected = ActionStatus.UNCERTAIN if isinstance(error, DesktopLost) else ActionStatus.FAILED
    assert status is expected
    assert "canary" not in message + caplog.text


@pytest.mark.security
def test_no_outcome_tells_the_password(make: Make, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        for then, _words in [*ANSWERS, (HOME, "")]:
            assert "canary" not in log_in(make(then=then))[1]
    assert "canary" not in caplog.text


def test_an_unknown_credential_fails_with_what_the_vault_says(make: Make) -> None:
    hands = make()
    assert log_in(hands, "erp") == (ActionStatus.FAILED, "There is no credential “erp”.")
    assert typed(hands) == []


@pytest.mark.parametrize("name", ["", None])
def test_without_a_name_nothing_is_done(name: Any, make: Make) -> None:
    hands = make()
    assert "No credential is named" in log_in(hands, name)[1]
    assert hands.done == []


@pytest.mark.parametrize("what", ["observe", "click", "press", "type_text", "credential"])
def test_whatever_goes_wrong_is_not_raised(what: str, make: Make) -> None:
    hands = make()
    hands.fails[what] = RuntimeError("no")
    assert log_in(hands)[0] is ActionStatus.FAILED


@pytest.mark.parametrize("acts", range(8))
def test_a_stop_ends_it_wherever_it_is(acts: int, make: Make) -> None:
    hands = make()
    hands.stop_after = acts
    assert log_in(hands)[0] is ActionStatus.FAILED
    assert len(hands.done) == acts


# --- The sentences ---------------------------------------------------------------------------------------------------
def test_sentences_are_not_taken_for_others() -> None:
    assert not says_locked("Accounts are locked after five attempts that failed, before that you are told")
    assert not says_locked("Lock after ten minutes")
    assert not says_wrong("Password")
    assert not says_wrong("Invalid date")
    assert says_wrong("Mot de passe erroné") and says_wrong("We don't recognize: unknown user")
    assert names_factor("Two-step verification") and names_factor("Double authentification")
    assert asks_code("Mot de passe à usage unique") and asks_code("We sent a verification code")
    assert not asks_code("Postal code") and not asks_code("Code postal")
    assert says_broken("ERR_CONNECTION_REFUSED") and not says_broken("Room 502")
    assert says_caps_lock("Verrouillage Maj activé") and not says_caps_lock("Password")
