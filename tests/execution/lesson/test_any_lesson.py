"""Whatever a teacher does in whatever order: a lesson never comes to where nothing goes on (S6.1, S6.10).

`--hypothesis-profile=many` plays ten thousand lessons; what every change must pass plays a few.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from typing import Any

import pytest
from django.db import transaction
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st

from execution.choices import LessonStepState
from execution.lesson import editing, going_on, onlooking, typing
from execution.models import Lesson
from execution.types import Box
from sentences.said import say
from tests.doubles.widgets import Field, TextLabel
from tests.support.played_lesson import PEOPLE, PlayedLesson, analyzer, ward
from tests.support.scripted import publish_line
from workflows.models import Workflow, WorkflowVersion
from workflows.specs import graph_of
from workflows.validation.variables import unused

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_folder")]

EYES = analyzer()
N = st.integers(0, 5)
KEPT = st.booleans().map(lambda no: not no)  # the first that is tried is True
TEXTS = st.sampled_from((PEOPLE[0], "ward 7", "b", "A-1000", "two\nlines"))
KEYS = st.sampled_from(("enter", "escape", "ctrl+a", "backspace", "tab", "b"))
KINDS = st.sampled_from(("click", "click", "click", "double_click", "right_click", "scroll"))
LOOKS = st.sampled_from(("wait_text", "must_see", "must_see_row", "read_value"))


MOVES: dict[str, tuple[st.SearchStrategy[Any], ...]] = {}


def move(*values: st.SearchStrategy[Any]) -> Any:
    """One that is played with any of those values."""

    def of(played: Any) -> Any:
        MOVES[played.__name__] = values
        return played

    return of


class ALesson:
    def __init__(self) -> None:
        workflow = Workflow.objects.create(workflow_id="wf_any", name="Any")
        self.desktop = ward()
        self.played = PlayedLesson(Lesson.objects.create(workflow=workflow), self.desktop, *EYES)
        self.answered: set[str] = set()

    def play(self, moves: Sequence[tuple[Any, ...]]) -> None:
        self.it_can_be_told()
        for name, *values in moves:
            getattr(self, name)(*values)
            self.it_can_be_told()
        self.it_can_be_brought_to_an_end()

    # --- what a teacher does ----------------------------------------------------------------------------------------
    def _place(self, n: int) -> tuple[int, int]:
        widgets = [w for w in self.desktop._screen.widgets if not isinstance(w, TextLabel)]
        box = widgets[n % len(widgets)].box
        return box.center.x, box.center.y

    @move(KINDS, N, KEPT, KEPT)
    def points(self, kind: str, at: int, keep: bool, read: bool) -> None:
        x, y = self._place(at)
        self.played.sight.can_read = read
        self.does(type="act", act=kind, x=x, y=y, keep=keep, **({"dy": 3} if kind == "scroll" else {}))
        self.played.sight.can_read = True

    @move(N)
    def clicks_twice(self, at: int) -> None:
        x, y = self._place(at)
        self.does(type="act", act="click", x=x, y=y)
        self.does(type="act", act="double_click", x=x, y=y, instead_of="1")

    @move(TEXTS, KEPT)
    def types(self, text: str, keep: bool) -> None:
        self.does(type="type", text=text, keep=keep)

    @move(st.integers(0, 1), TEXTS)
    def fills_in(self, at: int, text: str) -> None:
        fields = [w for w in self.desktop._screen.widgets if isinstance(w, Field)]
        if fields:
            box = fields[at % len(fields)].box
            self.does(type="act", act="click", x=box.center.x, y=box.center.y)
            self.answers(0, "")
            self.does(type="type", text=text)

    @move(KEYS, KEPT)
    def presses(self, keys: str, keep: bool) -> None:
        self.does(type="keys", keys=keys, keep=keep)

    @move(LOOKS, N)
    def points_out(self, kind: str, at: int) -> None:
        labels = [w for w in self.desktop._screen.widgets if getattr(w, "text", "")]
        box = labels[at % len(labels)].box
        self.does(type="look", act=kind, x=box.center.x + 4, y=box.center.y + 4)

    @move(N)
    def clicks_by_hand(self, at: int) -> None:
        x, y = self._place(at)
        self.played.by_hand(kind="click", point=Box(x, y, 0, 0).center)

    @move(TEXTS)
    def types_by_hand(self, text: str) -> None:
        self.played.by_hand(kind="type_text", text=text)

    @move(N, st.sampled_from(("", "whose", "n")))
    def answers(self, choice: int, name: str) -> None:
        question = self.played.asked()
        if question is None:
            return
        given = question["answers"][choice % len(question["answers"])]
        values: dict[str, Any] = {"variable": name} if name else {}
        if line := given.get("line"):
            values["line"] = [{"text": line[0]["text"], "variable": name}]
        why = self.does(type="answer", question=question["id"], choice=given["code"], values=values)
        now = self.played.asked()
        assert why or now is None or now["id"] != question["id"], question
        assert why != say("lesson.no_question"), question
        if not why:
            self.answered.add(question["id"])

    @move()
    def lets_be(self) -> None:
        question = self.played.asked()
        if question is not None:
            assert not self.does(type="cancel", question=question["id"])
            now = self.played.asked()
            assert now is None or now["id"] != question["id"], question

    @move(st.integers(1, 3))
    def undoes(self, n: int) -> None:
        self.does(type="undo", n=n)

    @move(KINDS, N, st.sampled_from(("", "ward 7", PEOPLE[0])), st.sampled_from(("", "whose")), st.booleans())
    def tries_and_takes_back(self, kind: str, at: int, text: str, name: str, looks: bool) -> None:
        """Undo brings back what was before."""
        played = self.played
        self.settles()
        self.answers_all()
        before, kept = played.draft(), list(played.lesson.steps.kept())
        x, y = self._place(at)
        self.does(type="act", act=kind, x=x, y=y)
        self.answers(0, name)
        if text:
            self.does(type="type", text=text)
        if looks:
            played.look()
        while len(played.lesson.steps.kept()) > len(kept):
            assert not self.does(type="undo", n=1)
        assert list(played.lesson.steps.kept()) == kept
        assert not differing(before, played.draft())

    @move(st.booleans())
    def does_another_workflow(self, ends: bool) -> None:
        if ends:
            self.does(type="call_done")
        else:
            other = WorkflowVersion.objects.get()
            self.does(type="call", workflow=other.workflow.workflow_id, version=other.number)

    @move(st.integers(-1, 4))
    def says_which_screen(self, which: int) -> None:
        nodes = list(self.played.lesson.workflow.nodes.order_by("pk"))
        node = nodes[which % len(nodes)] if nodes and which >= 0 else None
        self.does(type="same_screen" if node else "new_screen", node_id=node.node_id if node else "")

    @move()
    def pauses(self) -> None:
        self.does(type="pause")
        self.does(type="type", text="paused")
        self.does(type="go_on")

    # --- what a teacher changes of the draft --------------------------------------------------------------------------
    def _step(self, n: int) -> int | None:
        gone = (LessonStepState.UNDONE, LessonStepState.UNKEPT)
        steps = list(self.played.lesson.steps.exclude(state__in=gone).values_list("index", flat=True))
        return steps[n % len(steps)] if steps else None

    def edits(self, change: Any, *args: Any, **more: Any) -> None:
        with suppress(editing.BadEdit):
            change(Lesson.objects.get(pk=self.played.lesson.pk), *args, **more)
        self.does(type="draft_changed")

    @move(N)
    def removes_a_step(self, n: int) -> None:
        if (index := self._step(n)) is not None:
            self.edits(editing.remove_step, index)

    @move(N, st.sampled_from(("fixed", "variable", "secret")))
    def changes_what_is_typed(self, n: int, kind: str) -> None:
        if (index := self._step(n)) is not None:
            self.edits(editing.change_step, index, value={"kind": kind, "name": f"{kind}_value", "text": "other"})

    @move(N, st.sampled_from(("n", "line")), st.integers(1, 3))
    def repeats(self, n: int, counter: str, most: int) -> None:
        if (index := self._step(n)) is not None:
            self.does(type="repeat", step=index, counter=counter, most=most)

    @move(N)
    def repeats_no_more(self, n: int) -> None:
        if (index := self._step(n)) is not None:
            self.edits(editing.change_step, index, repeat=None)

    @move(N, st.booleans())
    def says_where_it_ends(self, n: int, ends: bool) -> None:
        nodes = list(self.played.lesson.workflow.nodes.order_by("pk"))
        if nodes:
            self.edits(editing.change_screen, nodes[n % len(nodes)].node_id, is_end=ends)

    @move(N, st.sampled_from(("accept", "decline")))
    def says_whose_record(self, n: int, said: str) -> None:
        if (index := self._step(n)) is not None:
            self.edits(editing.change_step, index, record=said)

    @move(N, st.booleans())
    def expects_something_else(self, n: int, gone: bool) -> None:
        if (index := self._step(n)) is not None:
            self.edits(editing.change_step, index, **{"gone" if gone else "expect": [PEOPLE[1]]})

    @move(N)
    def draws_anew(self, n: int) -> None:
        if (index := self._step(n)) is not None:
            self.does(type="redraw", step=index, box=[0.56, 0.29, 0.16, 0.08])

    @move(N, st.sampled_from(({"name": "who"}, {"kind": "secret"}, {"example": "x"}, {"kind": "number"})))
    def changes_a_variable(self, n: int, changes: dict[str, str]) -> None:
        names = list(self.played.lesson.workflow.variables.values_list("name", flat=True))
        if names:
            self.edits(editing.change_variable, names[n % len(names)], changes)

    @move(N)
    def deletes_a_variable(self, n: int) -> None:
        names = list(self.played.lesson.workflow.variables.values_list("name", flat=True))
        if names:
            self.edits(editing.remove_variable, names[n % len(names)])

    # --- what happens -------------------------------------------------------------------------------------------------
    @move()
    def shows(self) -> None:
        self.played.look()

    @move()
    def waits_long(self) -> None:
        if self.played.session.recorder.here.pending is not None:
            self.played.session.recorder.here.pending.settled_at = 1e-9

    @move(st.sampled_from(("list", "form", "notice", "saved")))
    def changes_by_itself(self, screen: str) -> None:
        self.played.comes(screen)

    @move(st.booleans())
    def the_run_loop_begins_anew(self, killed: bool) -> None:
        if not killed:
            self.played.session._let_go()
        before = self.played.draft()
        self.played.take_up()
        assert not differing(before, self.played.draft(), but=("looks", "window_title"))

    def settles(self) -> None:
        self.played.session._onlooker.settle()
        self.played.look()

    def answers_all(self) -> None:
        for _ in range(len(self.played.lesson.steps.all())):
            self.answers(0, "")
        assert self.played.asked() is None
        self.played.look()

    # --- what must hold -----------------------------------------------------------------------------------------------
    def does(self, **message: Any) -> str:
        return self.played.send(id="1", **message)

    def it_can_be_told(self) -> None:
        question = self.played.asked()
        assert question is None or (question["answers"] and question["id"] not in self.answered)

    def it_can_be_brought_to_an_end(self) -> None:
        """Every question can be answered; then it is published, or taken back until it is."""
        played = self.played
        self.settles()
        assert played.told()
        self.answers_all()
        while played.why_not_published():
            for variable in unused(graph_of(played.lesson.workflow)):
                self.edits(editing.remove_variable, variable.name)
                assert not played.lesson.workflow.variables.filter(name=variable.name).exists()
            kept = played.lesson.steps.kept().count()
            if not kept:
                break
            assert not self.does(type="undo", n=1)
            assert played.lesson.steps.kept().count() == kept - 1
        else:
            return
        played.comes("list")
        x, y = self._place(0)
        self.does(type="act", act="click", x=x, y=y)
        self.answers(0, "")
        played.look()
        assert not played.why_not_published(), (played.why_not_published(), graph_of(played.lesson.workflow))


@pytest.fixture
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither a person's pauses nor an application's; another workflow is published, too."""
    publish_line("one", "two")
    monkeypatch.setattr(going_on, "_ONCE_S", 0.0)
    monkeypatch.setattr(typing, "IDLE_S", 0.0)
    monkeypatch.setattr(onlooking, "IDLE_S", 0.0)
    monkeypatch.setattr(onlooking, "SHORT_IDLE_S", 0.0)


def differing(before: Mapping[str, Any], after: Mapping[str, Any], *, but: Collection[str] = ()) -> list[str]:
    """What is drawn otherwise, in words; `but`: what whoever looks again may have learnt of a screen that is known."""
    found = []
    for kind, name in (("nodes", "node_id"), ("edges", "edge_id"), ("variables", "name")):
        was, now = ({one[name]: one for one in draft[kind]} for draft in (before, after))
        found += [f"{kind} {key} came" for key in now.keys() - was.keys()]
        found += [f"{kind} {key} is gone" for key in was.keys() - now.keys()]
        for key in was.keys() & now.keys():
            fields = [f for f in was[key] if was[key][f] != now[key][f] and f not in but]
            found += [f"{kind} {key} {f}: {was[key][f]} became {now[key][f]}" for f in fields]
    return found


def lessons() -> st.SearchStrategy[list[tuple[Any, ...]]]:
    return st.lists(st.one_of(*(st.tuples(st.just(name), *values) for name, values in MOVES.items())), max_size=14)


# Explaining traces every line, which takes minutes; of the fixtures nothing stays between two lessons.
@settings(
    phases=(Phase.explicit, Phase.generate, Phase.shrink),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(moves=lessons())
@example(  # the click into a field is deleted while something is typed there
    moves=[
        ("points", "click", 0, False, True),
        ("changes_by_itself", "form"),
        ("fills_in", 0, "LEFEVRE Marie"),
        ("removes_a_step", 0),
    ]
)
def test_no_order_of_acts_answers_edits_and_undos_leads_to_a_dead_end(no_waiting: None, moves: Any) -> None:
    with transaction.atomic():
        ALesson().play(moves)
        transaction.set_rollback(True)
