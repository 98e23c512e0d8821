"""Lessons without a desktop: this run loop reads their pictures, beside whatever it does on its own desktop (S6.16).

They touch no desktop, so they wait for none; a run that is on it goes on meanwhile.
"""

from __future__ import annotations

import logging
import threading

from django.db import DatabaseError, InterfaceError, connections

from execution.actions import mending
from execution.choices import LessonState
from execution.lesson.slides import Slides
from execution.models import Lesson, Robot
from execution.perception.analyzer import ScreenAnalyzer
from execution.record.claims import lessons_on_pictures
from execution.record.patience import let_go_of_broken
from execution.running.lesson_session import LessonSession, is_taken_anew
from execution.running.robots import Pace
from sentences.said import cause, say, told_by
from workflows.exceptions import PictureAway, PictureError
from workflows.pictures import PictureStore

log = logging.getLogger(__name__)

LOOK_EVERY_S = 0.5


class PictureLessons:
    """Gives each that waits, in a thread of its own, until it is over or `stop` is called."""

    def __init__(self, robot: Robot, analyzer: ScreenAnalyzer, store: PictureStore) -> None:
        self._robot, self._analyzer, self._store = robot, analyzer, store
        self._leave, self._pace = threading.Event(), Pace(LOOK_EVERY_S)
        self._given: dict[int, threading.Thread] = {}
        self._watch = threading.Thread(target=self._look, name="picture-lessons", daemon=True)

    def start(self) -> None:
        self._watch.start()

    def stop(self) -> None:
        self._leave.set()
        self._watch.join()
        for thread in self._given.values():
            thread.join()

    def _look(self) -> None:
        try:
            pause_s = LOOK_EVERY_S
            while not self._leave.wait(pause_s):
                let_go_of_broken()
                self._given = {pk: thread for pk, thread in self._given.items() if thread.is_alive()}
                try:
                    waiting = lessons_on_pictures(self._robot)
                    pause_s = self._pace.pause_s()
                except (DatabaseError, InterfaceError) as error:  # it is looked at again in a moment
                    log.warning("nobody can say which pictures are to be read: %s", error)
                    continue
                for lesson in waiting:
                    if lesson.pk not in self._given:
                        self._given[lesson.pk] = thread = threading.Thread(
                            target=self._give, args=(lesson,), name=f"lesson {lesson.lesson_id}", daemon=True
                        )
                        thread.start()
        finally:
            connections.close_all()

    def _give(self, lesson: Lesson) -> None:
        try:
            try:
                desktop = Slides(lesson, self._store)
            except (PictureError, PictureAway, ValueError, KeyError) as error:
                self._away(lesson, say("lesson.pictures_gone", error=told_by(error)))
                return
            LessonSession(lesson, desktop=desktop, analyzer=self._analyzer, store=self._store, leave=self._leave).run()
        except Exception as error:  # whatever ends a lesson ends that lesson alone
            if is_taken_anew(error):  # by the next look that reaches the database
                log.warning("the lesson is taken anew: %s", error, extra={"lesson": lesson.lesson_id})
                return
            log.exception("a lesson on pictures broke off", extra={"lesson": lesson.lesson_id})
            self._away(lesson, cause(error))
        finally:
            connections.close_all()

    def _away(self, lesson: Lesson, why: str) -> None:
        Lesson.objects.open().filter(pk=lesson.pk).update(state=LessonState.AWAY, problem=why)
        mending.over(lesson)
