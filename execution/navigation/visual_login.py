"""The action `visual_login`: recognise a login screen, fill it from the vault, and see what comes of it (S5.6, S10.3).

The password is read when a login screen has been recognised, typed once into a field that is known to be for it, in the
window that was there all the time, and kept nowhere. A wrong one is never tried again: that locks accounts.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from functools import partial
from typing import Any

import numpy as np
from rapidfuzz import fuzz

from execution.desktop.base import CHOOSE_ALL, DesktopError, DesktopLost
from execution.desktop.capture import looks
from execution.language.fuzzy import folded, similarity, words
from execution.language.login import (
    LOG_OUT,
    asks_code,
    is_any,
    names_factor,
    says_broken,
    says_caps_lock,
    says_locked,
    says_refused,
    says_waiting,
    says_wrong,
)
from execution.navigation.finding import what_is_there
from execution.navigation.hands import Hands, Stopped
from execution.navigation.login_screen import Asks, LoginScreen, read_login
from execution.types import ActionResult, ActionStatus, Box, ElementRole, ElementState, ScreenState, TextLine
from sentences.said import by_sentence, say, told_by
from workflows.secret import Login, Secret, VaultError

LIMIT_S = 180.0
APPEARS_S = 10.0  # a login screen is there by then
ANSWERS_S = 60.0  # a server that has not answered a login by then does not answer

_SAME_PLACE = 0.5
_UNREAD_NAME = 50  # of 100: what is read in a field and less alike than this is something else
_TOLD = 3  # characters: a shorter password is not told from noise in a masked field
_EMPTY = 6.0  # grey levels: an empty field has no ink

log = logging.getLogger("surehand.login")


class NotLoggedIn(Exception):
    """It ends here; the message says why and never holds what was typed."""


class Uncertain(NotLoggedIn):
    """The desktop was lost while something was typed or clicked."""


def handle_visual_login_action(params: Mapping[str, Any], *, context: Hands) -> ActionResult:
    """Log in with the credentials named `params["credential"]`; done if somebody is logged in already.

    Never raises: what goes wrong is a failed result with the reason, or `uncertain` if the desktop was lost in the act.
    No result, log line or error holds the password.
    """
    began = time.perf_counter()
    status, message = ActionStatus.FAILED, ""
    try:
        message = _Attempt(context).log_in(str(params.get("credential") or ""))
        status = ActionStatus.DONE
    except Uncertain as error:
        status, message = ActionStatus.UNCERTAIN, told_by(error)
    except (NotLoggedIn, VaultError) as error:
        message = told_by(error)
    except Stopped as error:
        message = told_by(error) or say("login.stopped")
    except Exception as error:  # noqa: BLE001 - S5.1; without its text and values, which may be what was typed
        log.error("visual_login failed: %s", type(error).__name__)
        message = say("login.failed", error=type(error).__name__)
    return ActionResult(status=status, message=message, act_ms=(time.perf_counter() - began) * 1000)


class _Attempt:
    """One try to log in. It is never repeated from within."""

    def __init__(self, hands: Hands) -> None:
        self._hands = hands
        self._until = min(hands.deadline, time.monotonic() + LIMIT_S)

    def log_in(self, name: str) -> str:
        """What was done, in words. Raises NotLoggedIn, VaultError and Stopped."""
        if not name:
            raise NotLoggedIn(say("login.unnamed"))
        state, screen = self._login_screen()
        if screen is None:
            return say("login.done_already")
        self._acceptable(screen)
        if complaint(state, says_locked):
            raise NotLoggedIn(refusal(LoginAnswer.LOCKED, name=name))
        login = self._hands.credential(name)
        if screen.asks is Asks.USER:
            state, screen = self._first_page(login, state, screen)
        elif screen.user is not None:
            state, screen = self._fill_user(login, state, screen, screen.user)
        if screen.user is None:
            self._says_whose(login, state)
        state = self._fill_password(login.password, state, screen)
        del login
        return self._sent(name, state)

    # --- The screen -------------------------------------------------------------------------------------------------
    def _login_screen(self) -> tuple[ScreenState, LoginScreen | None]:
        """The login screen once it is there; None where somebody is logged in. Raises NotLoggedIn where it is none."""
        look = self._hands.observe
        for _look in self._looks(APPEARS_S):
            state = self._look(look)
            screen = read_login(state)
            if screen.asks is not Asks.NOTHING:
                return state, screen
            if is_logged_in(state):
                return state, None
            look = self._hands.settle
        raise NotLoggedIn(say("login.no_login_screen", there=what_is_there(state)))

    def _acceptable(self, screen: LoginScreen) -> None:
        if screen.asks is Asks.UNCLEAR:
            raise NotLoggedIn(say("login.not_plain", why=screen.why))
        if screen.revealed:
            raise NotLoggedIn(say("login.shows_password"))

    def _first_page(self, login: Login, state: ScreenState, screen: LoginScreen) -> tuple[ScreenState, LoginScreen]:
        """Fill the page that asks for the user name alone, and wait for the one that asks for the password."""
        assert screen.user is not None
        before, screen = self._fill_user(login, state, screen, screen.user)
        self._submit(screen)
        for _look in self._looks(ANSWERS_S):
            after = self._look(self._hands.settle)
            following = read_login(after)
            if following.asks in (Asks.BOTH, Asks.PASSWORD, Asks.UNCLEAR):
                self._acceptable(following)
                return after, following
            answer = answer_of(before, after)
            if answer not in (LoginAnswer.STILL_THERE, LoginAnswer.WAITING, LoginAnswer.LOGGED_IN):
                raise NotLoggedIn(self._refusal(answer, after, login.username))
        raise NotLoggedIn(say("login.no_second_page"))

    # --- Filling ----------------------------------------------------------------------------------------------------
    def _fill_user(
        self, login: Login, state: ScreenState, screen: LoginScreen, field: Box
    ) -> tuple[ScreenState, LoginScreen]:
        if similarity(login.username, _text_in(field, state), strict=True) == 1.0:
            return state, screen  # it remembers whom it logged in
        focused = self._focus(field, state, say("login.field_of_user"))
        self._type(Secret(login.username), focused)
        after = self._look(self._hands.settle)
        self._same_window(focused, after)
        read = _text_in(field, after)
        if not _changed(field, focused, after):
            raise NotLoggedIn(say("login.user_not_taken"))
        if read and fuzz.ratio(folded(read), folded(login.username)) < _UNREAD_NAME:
            raise NotLoggedIn(say("login.user_is_another"))
        found = read_login(after)
        if found.asks is not screen.asks:
            raise NotLoggedIn(say("login.changed_meanwhile"))
        return after, found

    def _fill_password(self, password: Secret, state: ScreenState, screen: LoginScreen) -> ScreenState:
        """Type it, and look that the field took it and does not show it. The filled screen."""
        field = screen.password
        if field is None:
            raise NotLoggedIn(say("login.password_field_gone"))
        focused = self._focus(field, state, say("login.field_of_password"))
        if complaint(focused, says_caps_lock):
            raise NotLoggedIn(say("login.caps_lock"))
        now = read_login(focused)
        if now.password is None or now.password.iou(field) < _SAME_PLACE:
            raise NotLoggedIn(say("login.password_field_moved"))
        self._acceptable(now)
        self._type(password, focused)
        after = self._look(self._hands.settle)
        self._hidden(password, field, after)
        if not _changed(field, focused, after) and _is_empty(field, after):
            raise NotLoggedIn(say("login.password_not_taken"))
        self._same_window(state, after)
        return after

    def _hidden(self, password: Secret, field: Box, state: ScreenState) -> None:
        """Raises NotLoggedIn, the field emptied, where the password can be read in it."""
        plain, read = password.reveal(), _text_in(field.grown(2, state.frame.size), state)
        if len(read) >= _TOLD and fuzz.ratio(folded(read), folded(plain)) >= 100 - _UNREAD_NAME / 2:
            for keys in (*CHOOSE_ALL, ("backspace",)):
                self._hands.press(keys)
            raise NotLoggedIn(say("login.password_shown"))

    def _says_whose(self, login: Login, state: ScreenState) -> None:
        """A password without a user's field belongs to whom the screen names."""
        names = {login.username, login.username.split("@")[0]}
        if not any(folded(name) in folded(line.text) for name in names for line in state.texts):
            raise NotLoggedIn(say("login.user_not_named", user=login.username))

    def _focus(self, field: Box, state: ScreenState, what: str) -> ScreenState:
        """Click into the field, and look that the window is the same and no other field took the focus."""
        self._touch(lambda: self._hands.click(field.center))
        after = self._look(self._hands.settle)
        self._same_window(state, after)
        focused = [e.box for e in after.elements if e.role is ElementRole.FIELD and ElementState.FOCUSED in e.states]
        if focused and not any(box.iou(field) > 0 for box in focused):
            raise NotLoggedIn(say("login.another_focus", field=what))
        return after

    def _type(self, text: Secret, focused: ScreenState) -> None:
        """In place of what the field holds, if up to the last moment its window is the one in front."""
        for keys in CHOOSE_ALL:
            self._touch(partial(self._hands.press, keys))
        self._same_window(focused, self._look(self._hands.observe))
        self._touch(lambda: self._hands.type_text(text.reveal()))

    def _touch(self, act: Callable[[], None]) -> None:
        """One act; its errors lose their text, which may quote what was typed."""
        problem, lost = "", False
        try:
            act()
        except Stopped:
            raise
        except Exception as error:  # noqa: BLE001 - told on without its text
            problem, lost = type(error).__name__, isinstance(error, DesktopLost)
        if lost:  # raised here, not above, so that the error is no part of it
            raise Uncertain(say("login.desktop_lost"))
        if problem:
            raise NotLoggedIn(say("login.not_acted", error=problem))

    # --- Sending and what comes of it -------------------------------------------------------------------------------
    def _submit(self, screen: LoginScreen) -> None:
        button = screen.button
        if button is None:
            self._touch(lambda: self._hands.press(("enter",)))
        else:
            self._touch(lambda: self._hands.click(button.center))

    def _sent(self, name: str, filled: ScreenState) -> str:
        """Send the filled screen and wait for the answer."""
        self._submit(read_login(filled))
        seen: LoginAnswer | None = None
        for _look in self._looks(ANSWERS_S):
            state = self._look(self._hands.settle)
            answer = answer_of(filled, state)
            if answer not in (LoginAnswer.WAITING, LoginAnswer.STILL_THERE) and answer is seen:
                break  # said twice: not a page on its way to the next
            seen = answer
        else:
            if answer is LoginAnswer.LOGGED_IN:  # said once, by the last look
                state = self._look(self._hands.settle)
                answer = answer_of(filled, state)
        if answer is LoginAnswer.LOGGED_IN:
            return say("login.done", name=name)
        raise NotLoggedIn(self._refusal(answer, state, name))

    def _refusal(self, answer: LoginAnswer, state: ScreenState, name: str) -> str:
        if answer is LoginAnswer.STILL_THERE and complaint(state, says_refused):
            answer = LoginAnswer.WRONG  # it said so before this attempt as well
        return refusal(answer, name=name)

    def _looks(self, seconds: float) -> Iterator[None]:
        return looks(min(self._until - time.monotonic(), seconds))

    # --- Looking ----------------------------------------------------------------------------------------------------
    def _look(self, how: Callable[[], ScreenState]) -> ScreenState:
        try:
            state = how()
        except (DesktopError, OSError) as error:
            raise NotLoggedIn(say("login.no_picture", error=type(error).__name__)) from error
        if not state.text_method:
            raise NotLoggedIn(say("going.unread", notes=by_sentence(state.notes) or "–"))
        return state

    def _same_window(self, before: ScreenState, now: ScreenState) -> None:
        """Raises NotLoggedIn where another window has come to the front."""
        if _window(before) != _window(now):
            raise NotLoggedIn(say("login.another_window"))


def _window(state: ScreenState) -> tuple[str, str, Box | None] | None:
    return (state.window.app_name, state.window.title, state.window.box) if state.window else None


def _text_in(field: Box, state: ScreenState) -> str:
    return " ".join(line.text for line in state.texts if field.contains(line.box.center))


def _changed(field: Box, before: ScreenState, after: ScreenState) -> bool:
    """Whether the inside of the field looks otherwise."""
    one, two = before.frame.crop(_inside(field)), after.frame.crop(_inside(field))
    return one.shape != two.shape or bool(np.any(one != two))


def _is_empty(field: Box, state: ScreenState) -> bool:
    return float(state.frame.crop(_inside(field)).std()) < _EMPTY


def _inside(field: Box) -> Box:
    return Box(field.x + 3, field.y + 3, max(1, field.w - 6), max(1, field.h - 6))


# What a program answers to a user name and a password: told apart by what its screen says (S5.6).

_MESSAGE_LINES = 12  # a page of so many new lines is another page, one of which may speak of passwords by chance
_CODE_PAGE_LINES = 25  # a page that asks for a code asks for nothing else; one of settings speaks of it among much
_NEXT_LINE = 1.0  # of a line's height: a sentence goes on in a line no farther below


class LoginAnswer(StrEnum):
    LOGGED_IN = "logged_in"
    WRONG = "wrong"
    LOCKED = "locked"
    CODE = "code"
    NEW_PASSWORD = "new_password"  # noqa: S105  # nosec B105  no password
    BROKEN = "broken"
    WAITING = "waiting"
    STILL_THERE = "still_there"


_REFUSALS: Mapping[LoginAnswer, str] = {
    LoginAnswer.WRONG: "login.wrong",
    LoginAnswer.LOCKED: "login.locked",
    LoginAnswer.CODE: "login.code",
    LoginAnswer.NEW_PASSWORD: "login.new_password",
    LoginAnswer.BROKEN: "login.broken",
    LoginAnswer.WAITING: "login.waiting",
    LoginAnswer.STILL_THERE: "login.still_there",
    LoginAnswer.LOGGED_IN: "login.logged_in",
}


def refusal(answer: LoginAnswer, *, name: str) -> str:
    """The answer in a sentence; `name` is the credential's."""
    return say(_REFUSALS[answer], name=name)


def answer_of(before: ScreenState, after: ScreenState) -> LoginAnswer:
    """What the screen after the login was sent says; `before` is the filled login screen."""
    new = new_texts(before, after)
    said = list(_sentences(new))
    asks = read_login(after).asks
    on_login = asks in (Asks.BOTH, Asks.PASSWORD, Asks.USER)
    message = on_login or len(new) <= _MESSAGE_LINES
    if message and any(map(says_locked, said)):
        return LoginAnswer.LOCKED
    if (message and any(map(says_wrong, said))) or (on_login and any(map(says_refused, said))):
        return LoginAnswer.WRONG
    alone = len(new) <= _CODE_PAGE_LINES and not (on_login or _has_log_out(after))
    if alone and (any(map(asks_code, said)) or (message and any(map(names_factor, said)))):
        return LoginAnswer.CODE
    if on_login:
        return LoginAnswer.STILL_THERE
    if asks is Asks.UNCLEAR:
        return LoginAnswer.NEW_PASSWORD
    if any(map(says_broken, said)) and not _has_log_out(after):
        return LoginAnswer.BROKEN
    if not after.texts or (message and any(map(says_waiting, said))):
        return LoginAnswer.WAITING
    return LoginAnswer.LOGGED_IN


def new_texts(before: ScreenState, after: ScreenState) -> list[TextLine]:
    """The lines that say what no line said before, wherever they stand: a message moves the rest."""
    known = {words(line.text).key for line in before.texts}
    return [line for line in after.texts if words(line.text).key not in known]


def complaint(state: ScreenState, says: Callable[[str], bool]) -> str:
    """The first text of the screen that says so, new or not; "" if none does."""
    return next((text for text in _sentences(list(state.texts)) if says(text)), "")


def is_logged_in(state: ScreenState) -> bool:
    """Whether the screen says that somebody is logged in already: it offers to log out."""
    return read_login(state).asks is Asks.NOTHING and _has_log_out(state)


def _has_log_out(state: ScreenState) -> bool:
    return any(is_any(line.text, LOG_OUT) for line in state.texts)


def _sentences(lines: list[TextLine]) -> Iterator[str]:
    """Each line, and each with the one that it goes on in."""
    for line in lines:
        yield line.text
        for following in lines:
            gap = following.box.y - line.box.bottom
            over = following.box.right > line.box.x and following.box.x < line.box.right
            if following is not line and -2 <= gap <= _NEXT_LINE * line.box.h and over:
                yield f"{line.text} {following.text}"
