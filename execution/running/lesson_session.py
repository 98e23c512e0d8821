"""One lesson on this run loop's desktop: hears its browsers, does what they show, tells them what it sees (S6.1)."""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.utils import timezone, translation

from execution.actions import mending
from execution.choices import LessonState, LessonStepState
from execution.desktop.base import Desktop, DesktopLost, DesktopUnavailable
from execution.desktop.watching import Watch, watch
from execution.exceptions import BadEdit, LeaseLost
from execution.lesson.acts import Act, Acted
from execution.lesson.as_a_run import LessonHold
from execution.lesson.by_robot import RobotHere
from execution.lesson.calling import begin_call, end_call, heard_call, open_call
from execution.lesson.drafting import Draft
from execution.lesson.gestures import Gestures
from execution.lesson.hearing import Unheard, heard_act, heard_look, heard_repeat, heard_setting
from execution.lesson.here import Here
from execution.lesson.known_dialogs import close_dialog
from execution.lesson.lines import repeat_for_each_line
from execution.lesson.mending import Mending, heard_mend
from execution.lesson.onlooking import Onlooker
from execution.lesson.own_pictures import picture_after
from execution.lesson.recorder import Recorder
from execution.lesson.redrawing import NotRedrawn, redraw
from execution.lesson.secrecy import TypedSecrets, typed_before
from execution.lesson.sight import Sight
from execution.lesson.slides import Slides
from execution.lesson.telling import draft_told
from execution.lesson.trying import Trying
from execution.lesson.turning import turn, turn_to
from execution.models import Lesson, LessonStep
from execution.perception.analyzer import ScreenAnalyzer
from execution.permissions import sees_unmasked
from execution.record.hidden import Hidden
from execution.record.patience import let_go_of_broken
from execution.record.redaction import redaction_of
from execution.running.lesson_pointing import Pointing
from execution.running.lesson_proofs import Proofs
from execution.running.live_picture import encoded
from execution.running.teach_clients import Client, Clients
from execution.running.teach_line import line_of_lesson
from execution.types import Frame, Point, ScreenState
from sentences.said import by_sentence, cause, in_words, say, told_by, worded
from workflows.availability import is_away
from workflows.exceptions import PictureAway, PictureNotStored
from workflows.pictures import PictureStore
from workflows.specs import graph_of

log = logging.getLogger(__name__)

HEAR_S = 0.1  # between two looks whether anything else is to be done
LOOK_EVERY_S = 1.0  # whether the lesson is still open; and however much is heard, so often it is told what it holds
PRESENCE_EVERY_S = 5.0

_TOLD_WITH = ("workflow", "robot", "teacher", "execution")  # of which the draft is told

_Message = dict[str, Any]
_NOT_IN_A_CALL = frozenset({"set", "look", "try", "call"})
_ON_A_DESKTOP = frozenset({"set", "try", "call_robot"})


def is_taken_anew(error: Exception) -> bool:
    """Whether a lesson that this ended goes on once the database is there again: what was under way is in doubt."""
    return isinstance(error, LeaseLost) or is_away(error)


class LessonSession:
    """`run` returns when the lesson is over, when nobody is there any more, or when the run loop leaves.

    Where `is_taken_anew` of what it raises, another one goes on from the rows.
    """

    def __init__(
        self,
        lesson: Lesson,
        *,
        desktop: Desktop,
        analyzer: ScreenAnalyzer,
        store: PictureStore,
        leave: threading.Event,
        may_act: Callable[[], None] = lambda: None,
    ) -> None:
        self.lesson, self.desktop, self.leave, self.may_act = lesson, desktop, leave, may_act
        self.redaction = redaction_of(graph_of(lesson.workflow), Hidden(()), typed=typed_before(lesson))
        self._inbox: queue.Queue[Callable[[], None]] = queue.Queue()
        self._clients = Clients(line_of_lesson(lesson), lesson.lesson_id, heard=self._hear, came=self._greet)
        self.sight = Sight(
            desktop,
            analyzer,
            on_frame=self._show,
            on_read=self._was_read,
            on_unread=self._was_not_read,
            on_problem=self._went_wrong,
            by_hand=True,
        )
        here = Here(lesson, Draft(lesson.workflow, store), analyzer, self.redaction)
        hold = LessonHold(lesson, leave=leave, may_act=may_act, is_seen=lambda: self._is_there(self._asked_by))
        self.recorder = Recorder(
            lesson, desktop=desktop, sight=self.sight, here=here, hold=hold,
            on_acted=self._tell_acted, on_change=self._changed,
        )  # fmt: skip
        self.mending = Mending(lesson, here)
        self.secrets = TypedSecrets(self.recorder, self.redaction)
        self._onlooker = Onlooker(self.recorder, self.secrets, on_told=self._tell_text)
        self._gestures = Gestures(self.sight.touched, self._heard_by_hand)
        self._watch: Watch | None = None
        self._proofs = Proofs(lesson, here, found=self._proved)
        self._trying: Trying | RobotHere | None = None
        self._tries: Client | None = None  # who began it
        self._pointing = Pointing(self.recorder.hover)
        self._by_type = self._what_is_heard()
        self._number, self._rev = 0, 0
        self._unmasked, self._showing = False, threading.Lock()
        self._is_dirty, self._told_at = False, time.monotonic()
        self._asked_by: Client | None = None
        self._last_there = time.monotonic()
        self._problem: Exception | None = None

    # --- its life ---------------------------------------------------------------------------------------------------
    def run(self) -> None:
        """Raises DesktopLost; whatever ends it, keys and buttons are up and the draft is whole."""
        mine = Lesson.objects.open().filter(pk=self.lesson.pk)
        if not mine.update(state=LessonState.LIVE, problem="", presence_at=timezone.now()):
            return  # it was closed between being looked for and now
        self.lesson.refresh_from_db()
        self._unmasked = self._shows_unmasked()
        self.recorder.begin()
        self._clients.start()
        self.sight.start()
        self._pointing.start()
        self._watch = self._watched()
        self._proofs.start()
        try:
            self._serve()
        finally:
            self._pointing.end()
            if self._watch is not None:
                self._watch.stop()
            self._proofs.stop()
            self._clients.stop()
            self.sight.stop()
            self._pointing.join()
            self._let_go()
            Lesson.objects.filter(pk=self.lesson.pk, state=LessonState.LIVE).update(state=LessonState.WAITING)

    def _serve(self) -> None:
        looked = presence = time.monotonic()
        while not self.leave.is_set() and self._problem is None:
            try:
                self._inbox.get(timeout=HEAR_S)()
            except queue.Empty:
                self._onlooker.tick()
                self.recorder.tick()
            except DesktopLost:
                raise
            except Exception as error:  # whatever ends a lesson ends that lesson alone: the robot goes on
                if is_taken_anew(error):
                    raise
                log.exception("the lesson failed", extra={"lesson": self.lesson.lesson_id})
                self.lesson.steps.open().update(state=LessonStepState.DOUBT)
                self._end(LessonState.AWAY, cause(error))
                return
            now = time.monotonic()
            if self._clients.all():
                self._last_there = now
                if now - presence > PRESENCE_EVERY_S:
                    Lesson.objects.filter(pk=self.lesson.pk).update(presence_at=timezone.now())
                    mending.keep_waiting(self.lesson)
                    presence = now
            elif now - self._last_there > settings.RPA_TEACH_AWAY_S:
                self._end(LessonState.AWAY, say("lesson.away", n=settings.RPA_TEACH_AWAY_S))
                return
            if now - looked > LOOK_EVERY_S:
                looked = now
                let_go_of_broken()
                if not Lesson.objects.open().filter(pk=self.lesson.pk).exists():
                    return
            if self._is_dirty and (self._inbox.empty() or now - self._told_at > LOOK_EVERY_S):
                self._tell_lesson()
        if self._problem is not None:
            self._end(LessonState.AWAY, say("lesson.desktop_lost", error=told_by(self._problem)))
            raise self._problem

    def _end(self, state: LessonState, why: str) -> None:
        Lesson.objects.open().filter(pk=self.lesson.pk).update(state=state, problem=why)
        mending.over(self.lesson)
        self._tell_lesson()

    def _let_go(self) -> None:
        try:
            try:
                self._onlooker.settle()
                self.recorder.typing.close()
            except (PictureNotStored, PictureAway) as error:
                log.warning("what was typed last has no picture: %s", error)
            finally:
                self.desktop.release_all()
        except DesktopLost as error:
            log.warning("the desktop went away before it could be let go of: %s", error)

    def _went_wrong(self, problem: Exception) -> None:
        """In a thread of the eyes: the lesson ends, and why is told."""
        log.warning("the lesson cannot go on: %r", problem, extra={"lesson": self.lesson.lesson_id})
        self._problem = problem

    # --- what is heard ----------------------------------------------------------------------------------------------
    def _greet(self, client: Client) -> None:
        def tell() -> None:
            if client.watches:
                with translation.override(client.language):
                    client.send(self._lesson_message())
                    client.send(self._screen_message())

        self._inbox.put(tell)

    def _hear(self, client: Client, message: _Message) -> None:
        """In the browser's thread: what the pointer is over is answered aside, all else is done in order."""
        if message.get("type") == "pointer":
            client.taken()
            self._pointing.ask(client, Point(_whole(message.get("x")), _whole(message.get("y"))))
            return
        heard_at = time.perf_counter()
        self._inbox.put(lambda: self._take(client, message, heard_at))

    def _is_there(self, client: Client | None) -> bool:
        """Whether whoever asked still sees what is done: whose line was closed has gone, or may not teach any more."""
        is_open = Lesson.objects.open().filter(pk=self.lesson.pk).exists()
        return is_open and client is not None and client in self._clients.all()

    def _take(self, client: Client, message: _Message, heard_at: float) -> None:
        client.taken()
        if client.watches and not self._is_there(client):
            return
        self._onlooker.settle()
        self._asked_by = client
        try:
            with translation.override(client.language):  # what a thing without a name is called is written once
                self._do(message, heard_at)
        except (Unheard, BadEdit) as error:
            client.refuse(message, error.args[0])
        except LookupError:
            client.refuse(message, say("lesson.reading"))

    def _do(self, message: _Message, heard_at: float) -> None:
        kind = str(message.get("type"))
        if kind in _NOT_IN_A_CALL and open_call(self.lesson) is not None:
            raise Unheard(say("lesson.call_open"))
        if kind in _ON_A_DESKTOP and not self.lesson.has_desktop:
            raise Unheard(say("lesson.needs_desktop"))
        if (do := self._by_type.get(kind)) is None:
            raise Unheard(say("lesson.bad_message"))
        do(message, heard_at)

    def _what_is_heard(self) -> dict[str, Callable[[_Message, float], None]]:
        """What is done with each type of message, and with the moment at which it came."""
        heard: dict[str, Callable[[_Message, float], None]] = {
            **dict.fromkeys(("act", "type", "keys"), self._act),
            "set": self._set,
            "look": self._look,
            "dialog": self._close_dialog,
            "call": lambda message, _at: begin_call(self.recorder, heard_call(message), _id_of(message)),
            "call_done": lambda message, _at: self._end_call(message),
            "call_robot": lambda _message, _at: self._call_robot(),
            "answer": lambda message, _at: self._answer(message),
            "cancel": lambda message, _at: self._cancel(message),
            "try": lambda message, _at: self._try_from(message.get("from")),
            "redraw": lambda message, _at: self._redraw(message),
            "repeat": lambda message, _at: self._repeat(message),
            "insert": lambda message, _at: self._insert(message),
            "undo": lambda message, _at: self._undo(message),
            "mend": lambda message, _at: self._mend(message),
            "draft_changed": lambda _message, _at: self._edited(),
            **dict.fromkeys(
                ("new_screen", "same_screen"), lambda message, _at: self._is_screen(str(message.get("node_id") or ""))
            ),
            **dict.fromkeys(("pause", "go_on"), lambda message, _at: self._pause(message["type"] == "pause")),
        }
        if isinstance(slides := self.desktop, Slides):
            heard["picture"] = lambda message, _at: self._turn(slides, message)
        return heard

    def _act(self, message: _Message, heard_at: float) -> None:
        kind, recorder = message["type"], self.recorder
        self.may_act()
        act = heard_act(message, heard_at, size=self.sight.newest().size)
        if kind == "act" and self._corrects(act):
            return
        self._trying = None  # whoever does something else has ended the trial
        if act.again and isinstance(self.desktop, Slides):
            self.desktop.stay_once()
        if act.secret:
            self.secrets.about_to_type(act)
        {"type": recorder.type_text, "keys": recorder.keys}.get(kind, recorder.act)(act)

    def _set(self, message: _Message, heard_at: float) -> None:
        self.may_act()
        self._trying = None
        self.recorder.act(heard_setting(message, heard_at, size=self.sight.newest().size))

    def _look(self, message: _Message, heard_at: float) -> None:
        act = heard_look(message, heard_at, size=self.sight.newest().size)
        kind = str(message.get("kind") or "text")
        self.recorder.look(act, name=str(message.get("name") or ""), value_kind=kind)

    def _close_dialog(self, message: _Message, heard_at: float) -> None:
        self.may_act()
        close_dialog(self.recorder, str(message.get("press") or ""), _id_of(message), heard_at)

    def _end_call(self, message: _Message) -> None:
        self._trying = None
        end_call(self.recorder, _id_of(message))

    def _call_robot(self) -> None:
        if open_call(self.lesson) is None:
            raise Unheard(say("lesson.no_call"))
        self.may_act()
        self._try(RobotHere(self.recorder))

    def _answer(self, message: _Message) -> None:
        self.may_act()
        values = message.get("values")
        given = values if isinstance(values, dict) else {}
        if self.recorder.answer(str(message.get("question")), str(message.get("choice")), given) is None:
            raise Unheard(say("lesson.no_question"))

    def _cancel(self, message: _Message) -> None:
        if not self.recorder.cancel(str(message.get("question"))):
            raise Unheard(say("lesson.no_question"))

    def _try_from(self, first: object) -> None:
        self._try(Trying(self.recorder, first if isinstance(first, int) else 1))

    def _turn(self, slides: Slides, message: _Message) -> None:
        turn(self.recorder, slides, message)
        self._changed()

    def _mend(self, message: _Message) -> None:
        if (told := heard_mend(self.recorder, self.mending, message)) is not None:
            self._tell(told)
        else:
            self._changed()
            self._tell({"type": "mended"})
            self._tell_screen()

    def _pause(self, paused: bool) -> None:
        self.recorder.paused = paused
        self._changed()

    def _watched(self) -> Watch | None:
        """What a person does on the desktop itself is heard from now on, where it can be (S6.2)."""
        try:
            return watch(self.desktop, self._gestures)
        except DesktopUnavailable as problem:
            log.info("what is done by hand is not recorded: %s", problem, extra={"lesson": self.lesson.lesson_id})
            return None

    def _heard_by_hand(self, act: Act) -> None:
        """In the thread that hears."""
        self._onlooker.coming()
        self._inbox.put(lambda: self._done_by_hand(act))

    def _done_by_hand(self, act: Act) -> None:
        self._trying = self._asked_by = None  # whoever does something else has ended the trial
        self._onlooker.heard(act)

    def _redraw(self, message: _Message) -> None:
        step = self._named(message.get("step"))
        sides = message.get("box") or message.get("at")
        if step is None or not isinstance(sides, list) or len(sides) not in (2, 4):
            raise Unheard(say("lesson.bad_message"))
        if not all(isinstance(n, int | float) and 0 <= n <= 1 for n in sides):
            raise Unheard(say("lesson.bad_message"))
        try:
            redraw(self.recorder.here, step, sides)
        except NotRedrawn as error:
            raise Unheard(error.args[0]) from None
        self._changed()

    def _named(self, index: object) -> LessonStep | None:
        """The step of that number."""
        return self.lesson.steps.filter(index=index).first() if isinstance(index, int) else None

    def _insert(self, message: _Message) -> None:
        """What is done next is put behind a step; without one it is the last one again."""
        recorder, step = self.recorder, self._named(message.get("after"))
        if message.get("after") is not None and (step is None or step.edge is None):
            raise Unheard(say("lesson.bad_message"))
        recorder.typing.close()
        recorder.here.insert_after(step.edge if step else None)
        if step is not None and step.edge is not None and isinstance(self.desktop, Slides):
            turn_to(recorder, self.desktop, picture_after(step.edge, self.lesson))
        self._changed()

    def _repeat(self, message: _Message) -> None:
        step, wanted = heard_repeat(message, self.lesson)
        with translation.override(self._asked_by.language if self._asked_by else None):
            repeat_for_each_line(self.recorder.here, step, wanted)
        self._edited()

    def _try(self, trying: Trying | RobotHere) -> None:
        self._trying, self._tries = trying, self._asked_by
        self._inbox.put(self._try_next)

    def _try_next(self) -> None:
        """The next step of a trial; between two of them everything else is heard."""
        trying = self._trying
        if trying is None or self.recorder.paused or not self._is_there(self._tries):
            self._trying = None
            return
        self.may_act()
        tried = trying.step()
        self._tell_screen()
        if tried is None:
            self._trying = None
            return
        if tried.state == "doing":
            self._inbox.put(self._try_next)
            return
        self._tell({"type": "tried", "index": tried.index, "state": tried.state, "why": tried.why})
        if tried.state == "failed":
            self._tell({"type": "trouble", "text": trying.stopped(tried)})
            self._trying = trying if trying.stuck else None
        elif tried.is_last:
            self._trying = None
        else:
            self._inbox.put(self._try_next)

    def _corrects(self, act: Act) -> bool:
        """Whether a click says where the step is that a trial did not find; it is tried on from there then."""
        trying = self._trying
        if not isinstance(trying, Trying) or trying.stuck is None:
            return False
        if why := trying.means(act):
            self._tell_acted(act.id, Acted(state="refused", why=why))
        else:
            self._tell_acted(act.id, Acted(state="done"))
            self._inbox.put(self._try_next)
        return True

    def _edited(self) -> None:
        """Somebody edited the draft on the page; what is secret by now is hidden before anything else is kept."""
        here = self.recorder.here
        self.recorder.edited()
        if concealed := here.concealed():
            self.secrets.hide(concealed)
            here.look_anew()
        else:
            here.begin()
        self._changed()
        self._tell_screen()

    def _undo(self, message: _Message) -> None:
        count = message.get("n", 1)
        with translation.override(self._asked_by.language if self._asked_by else None):
            told = self.recorder.undo(count if isinstance(count, int) and 0 < count < 1000 else 1)
        if not told:
            raise Unheard(say("lesson.nothing_to_undo"))
        self._tell_text(say("lesson.undone" if self.lesson.has_desktop else "lesson.undone_draft", what=told))
        self._tell_screen()

    def _is_screen(self, node_id: str) -> None:
        """A person says which screen it is: one of the draft, or with "" a new one."""
        self.recorder.typing.close()
        node = self.lesson.workflow.nodes.filter(node_id=node_id).first() if node_id else None
        self.recorder.here.is_screen(node)
        self._changed()
        self._tell_screen()

    def _tell(self, message: _Message) -> None:
        for client in self._clients.all():
            with translation.override(client.language):
                client.send(in_words(message))

    def _tell_text(self, said: str) -> None:
        self._tell({"type": "told", "text": said})

    def _seen(self, state: ScreenState) -> None:
        is_halfway = self._onlooker.is_typing or self._gestures.is_down(time.monotonic())
        if self.sight.current() is state and not is_halfway:
            self.recorder.seen(state)
            self._tell_screen()

    # --- what is told -----------------------------------------------------------------------------------------------
    def _changed(self) -> None:
        self._is_dirty = True
        self._proofs.ask()

    def _proved(self, keep: Callable[[], None]) -> None:
        def kept() -> None:
            keep()
            self._is_dirty = True

        self._inbox.put(kept)

    def _tell_lesson(self) -> None:
        self._is_dirty, self._told_at = False, time.monotonic()
        self.lesson.refresh_from_db(from_queryset=Lesson.objects.select_related(*_TOLD_WITH))
        self._rev += 1
        for client in self._clients.all():
            with translation.override(client.language):
                client.send(self._lesson_message())

    def _lesson_message(self) -> _Message:
        leads_on = isinstance(self.desktop, Slides) and self.desktop.leads_on
        behind = self.recorder.here.inserts_after
        told = draft_told(self.lesson, paused=self.recorder.paused, leads_on=leads_on, inserts_after=behind)
        return {"type": "lesson", "rev": self._rev, "lesson": told}

    def _tell_screen(self) -> None:
        for client in self._clients.all():
            with translation.override(client.language):
                client.send(self._screen_message())

    def _screen_message(self) -> _Message:
        here = self.recorder.here
        now = here.before() if self.lesson.step_index is not None else None
        dialog = self.mending.dialog(now) if now else here.dialog()
        return {"type": "screen", **in_words(here.told()), "dialog": dialog, "window": here.window_box()}

    def _tell_acted(self, act: str, acted: Acted) -> None:
        if self._asked_by is not None:
            self._asked_by.tell_acted(act, acted)

    def _shows_unmasked(self) -> bool:
        """Whether the teacher sees what is masked; that they do is in the log."""
        teacher = self.lesson.teacher
        if teacher is None or not sees_unmasked(teacher):
            return False
        log.info("the desktop of %s is seen unmasked by %s", self.lesson.lesson_id, teacher.get_username())
        return True

    def _was_read(self, state: ScreenState) -> None:
        """In the thread that reads: what could not be shown before it was read may be shown now."""
        self.redaction.seen(state)
        if self.redaction.is_needed and not self._unmasked:
            self._show(self.sight.newest())
        self._inbox.put(lambda: self._seen(state))

    def _was_not_read(self, state: ScreenState) -> None:
        """In the thread that reads: nothing is kept of it, and it is read once more."""
        self._inbox.put(lambda: self._tell_unread(by_sentence(state.notes)))

    def _tell_unread(self, why: str) -> None:
        for client in self._clients.all():
            with translation.override(client.language):
                told = {"node_id": None, "name": "", "why": worded(why), "state": "unread", "dialog": None}
                client.send({"type": "screen", **told})

    def _show(self, frame: Frame) -> None:
        """In the threads of the eyes: what the desktop shows, without what its teacher may not see (S10.4)."""
        with self._showing:
            self._number += 1
            pixels = self.redaction.unmasked(frame) if self._unmasked else self.redaction.live(frame)
            self._clients.show(self._number, frame.taken_at.timestamp(), encoded(pixels))


def _whole(value: Any) -> int:
    return round(value) if isinstance(value, int | float) and not isinstance(value, bool) else 0


def _id_of(message: _Message) -> str:
    return str(message.get("id", ""))[:100]
