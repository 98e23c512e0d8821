"""What a program answers to a user name and a password: told apart by what its screen says (S5.6)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum

from execution.language.fuzzy import words
from execution.language.login import (
    LOG_OUT,
    asks_code,
    is_any,
    names_factor,
    says_broken,
    says_locked,
    says_refused,
    says_waiting,
    says_wrong,
)
from execution.navigation.login_screen import Asks, read_login
from execution.types import ScreenState, TextLine
from sentences.said import say

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
