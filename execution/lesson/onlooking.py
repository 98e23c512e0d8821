"""What a person does on the desktop itself becomes steps of the draft, as what comes from the page does (S6.2).

It is done before anybody hears of it, so nothing is held or refused. Of what is typed not a character is written down
before the screen has shown it: what is not echoed there may be a password, and is kept as a secret without its value.
Who types slowly types one text all the same: what goes on is judged again together with what was typed before it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from execution.lesson.acts import Act
from execution.lesson.echo import LEAST, is_echoed
from execution.lesson.recorder import KEYS_WAIT_S, Recorder
from execution.lesson.secrecy import TypedSecrets
from execution.lesson.sight import Seen
from sentences.said import say
from workflows.secret_names import is_secret

IDLE_S = 0.7  # so long after its last key a text is typed to its end, for now
SHORT_IDLE_S = 5.0  # of what is too short to be judged: the rest of it may come
_COPIES = ("ctrl+c", "ctrl+x")
_PASTES = ("ctrl+v", "shift+insert")


@dataclass(slots=True)
class _Typed:
    """What is being typed, in memory alone until it is known whether it may be kept."""

    first: Seen
    at: float
    text: str = ""
    kept: str = ""  # so much of it is in the draft in clear
    secret: str = ""  # the variable that it is the value of


class Onlooker:
    """Called by the one thread of a lesson. `on_told` hears what a person should know of what was not kept."""

    def __init__(
        self, recorder: Recorder, secrets: TypedSecrets, *, on_told: Callable[[str], None] = lambda said: None
    ) -> None:
        self.recorder, self.secrets, self.on_told = recorder, secrets, on_told
        self.next_is_secret = False  # a person said so of what is typed next
        self._typed: _Typed | None = None
        self._judged: _Typed | None = None  # and nothing else was done since
        self._copied = False
        self._coming = self._came = 0  # acts that were done, and those that were heard; each counted by one thread

    def coming(self) -> None:
        """An act was done that `heard` will be told of; called by the thread that hears it first."""
        self._coming += 1

    @property
    def is_typing(self) -> bool:
        """Whether a text is being typed of which nobody knows yet what it is: no screen is kept meanwhile."""
        return self._typed is not None

    def heard(self, act: Act) -> None:
        """An act that a person has done."""
        assert act.seen is not None
        self._came += 1
        recorder = self.recorder
        if recorder.paused:
            self._typed = self._judged = None
            recorder.here.left_unkept()
        elif act.kind == "type_text":
            self._goes_on(act, act.seen)
        elif act.keys == "backspace" and self._takes_back(act.seen):
            return
        else:
            self.settle(act.seen)
            self._keep(act)

    def tick(self) -> None:
        """Now and then: a text that nobody goes on with is typed to its end."""
        typed = self._typed
        if typed is None:
            return
        is_short = not typed.secret and len(typed.text.strip()) < LEAST
        if time.monotonic() - typed.at <= (SHORT_IDLE_S if is_short else IDLE_S):
            return
        self.recorder.sight.wait(KEYS_WAIT_S)
        seen = self.recorder.sight.seen()
        if self._came == self._coming:  # else it shows what comes as well: all of it is judged then
            self._judged = self._judge(seen)

    def settle(self, seen: Seen | None = None) -> None:
        """What was typed becomes a step, and what comes is another text; `seen` is what showed when it was typed to
        its end, now without."""
        self._judge(seen)
        self._judged = None

    def _judge(self, seen: Seen | None) -> _Typed | None:
        """What is being typed as a step: in clear where the screen shows it, else as a secret. Gives it."""
        typed, self._typed = self._typed, None
        if typed is None or (not typed.text and not typed.secret):
            return None
        recorder = self.recorder
        if typed.secret:
            self.secrets.hide({typed.secret: typed.text})
            return typed
        if seen is None:
            recorder.sight.wait(KEYS_WAIT_S)
            seen = recorder.sight.seen()
        before, after = recorder.read(typed.first), recorder.read(seen)
        assert before.state is not None
        assert after.state is not None
        rest = typed.text[len(typed.kept) :]
        act = Act(id="", kind="type_text", text=rest, seen=before)
        hides = self.next_is_secret or is_secret(self._field())
        if not hides and is_echoed(typed.text, before.state, after.state):
            recorder.type_text(act)
            typed.kept = typed.text
            return typed
        self.next_is_secret = False
        recorder.typing.close()
        typed.secret = self.secrets.was_typed(typed.text, self._field())
        if typed.kept:
            self.secrets.was_kept(typed.kept, typed.secret)
            typed.kept = ""
        else:
            recorder.type_text(replace(act, text="{{" + typed.secret + "}}", secret=typed.text))
        said = say("lesson.typed_hidden", name=typed.secret)
        recorder.typing.note(said)
        self.on_told(said)
        return typed

    def _goes_on(self, act: Act, seen: Seen) -> None:
        if self._typed is None:
            self._typed = self._taken_up(seen) or _Typed(first=seen, at=0.0)
        self._typed.text += act.text
        self._typed.at = time.monotonic()

    def _taken_up(self, seen: Seen) -> _Typed | None:
        """What was judged already, where this goes on with it: in the same window, and nothing else was done since."""
        judged, self._judged = self._judged, None
        return judged if judged is not None and _title(judged.first) == _title(seen) else None

    def _takes_back(self, seen: Seen) -> bool:
        """Whether a backspace takes back a character that is in no step in clear."""
        if self._typed is None and self._judged is not None and self._judged.secret:
            self._typed = self._taken_up(seen)
        typed = self._typed
        if typed is None or len(typed.text) <= len(typed.kept):
            return False
        typed.text, typed.at = typed.text[:-1], time.monotonic()
        return True

    def _keep(self, act: Act) -> None:
        recorder = self.recorder
        if act.kind != "press_keys":
            recorder.act(act)
        else:
            recorder.keys(act)
        if not act.keep:
            self.on_told(say("lesson.hand_unknown"))
        if act.keys in _COPIES:
            self._copied = True
        elif act.keys in _PASTES and not self._copied:
            self.on_told(say("lesson.pasted"))

    def _field(self) -> str:
        """What people call the field that was clicked last; empty where that is not known."""
        pending = self.recorder.here.pending
        return str(pending.step.screen.get("label") or "") if pending is not None else ""


def _title(seen: Seen) -> str:
    return seen.window.title if seen.window is not None else ""
