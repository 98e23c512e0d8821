"""One step by itself: what is done, how often, and what is recorded and asked after it (S1.5, S1.7, S1.16, S9)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from execution.actions import control
from execution.choices import PromptKind, StepPhase, Wish
from execution.desktop.base import DesktopLost
from execution.models import Execution, Prompt, Step
from execution.navigation.hands import Stopped
from execution.turn.coach import CoachAnswer
from execution.turn.performing import MOST_CHANGES, Done
from execution.turn.readiness import FRESH_S, NotReady, Ready
from execution.types import (
    Answer,
    Choice,
    Decision,
    DecisionSource,
    Reason,
    ScreenState,
    Suggestion,
    Verification,
)
from execution.verification.facts import TYPED
from tests.doubles.stage import EDGES, Stage, edge, say_so
from workflows.graph import ProofSpec

pytestmark = pytest.mark.django_db

SAVED = {"texts": ["Saved"]}
AUTO = Decision(choice=Choice.ACCEPT, source=DecisionSource.AUTO)
BY_PERSON = Decision(choice=Choice.ACCEPT, source=DecisionSource.COACH)


class Scene:
    """A run at its first step, about to do the edge `ab`; what is waited for passes at once and is kept."""

    def __init__(self, stage: Any, monkeypatch: pytest.MonkeyPatch, **fields: Any) -> None:
        self.stage: Stage = stage(edges=[edge("ab", "a", "b", **fields), *EDGES[1:]])
        self.world, self.journal = self.stage.world, self.stage.journal
        self.performer = self.stage.loop.performer
        self.waited: list[float] = []
        monkeypatch.setattr(self.stage.leave, "wait", self._passes)
        self.state = self.world.observe()
        spec = self.journal.graph.edge("ab")
        assert spec is not None
        self.suggestion = self.world.suggest(spec, "a", self.state)
        found = self.world.recognise(self.state, last_node=None, expected=None)
        self.step = self.journal.open_step(self.state, found, self.suggestion, match_ms=1)

    def _passes(self, seconds: float) -> bool:
        if seconds:
            self.waited.append(seconds)
        return self.stage.leave.is_set()

    def does(self, *effects: str) -> None:
        self.world.effects["ab"] = list(effects)

    def perform(self, *answers: str | dict[str, Any], decision: Decision | None = AUTO) -> Done:
        self.stage.answers = [say_so(answer) for answer in answers]
        return self.performer.perform(self.step, self.state, self.suggestion, CoachAnswer(decision))

    def recover(self, *answers: str) -> Done:
        self.stage.answers = [say_so(answer) for answer in answers]
        return self.performer.recover(self.step)

    def kept(self) -> Step:
        return Step.objects.get(pk=self.step.pk)


Scenes = Callable[..., Scene]


@pytest.fixture
def scene(stage: Any, monkeypatch: pytest.MonkeyPatch) -> Scenes:
    return lambda **fields: Scene(stage, monkeypatch, **fields)


def wish(s: Scene, what: Wish) -> None:
    Execution.objects.filter(pk=s.stage.execution.pk).update(wish=what)


# --- what was done --------------------------------------------------------------------------------------------------
def test_what_is_seen_to_be_done_is_behind_us(scene: Scenes) -> None:
    """S1.12, S1.16: once, with what it took and what was seen of it."""
    s = scene()
    assert s.perform() == Done(passed=True)
    kept = s.kept()
    assert (kept.outcome, kept.phase, kept.retries, s.world.acts) == ("succeeded", "closed", 0, ["ab"])
    assert (kept.act_ms, kept.verified, kept.message) == (1.0, "yes", "Seen.")
    assert kept.picture_after and kept.picture_after != kept.picture_before


@pytest.mark.parametrize(
    ("fields", "effect", "enough"),
    [
        ({"expect": SAVED, "effect_class": "observable"}, "done", True),
        ({"expect": SAVED, "effect_class": "idempotent"}, "done", True),
        ({"expect": SAVED, "effect_class": "observable"}, "nothing", False),
        ({"expect": SAVED, "effect_class": "opaque"}, "done", None),
        ({"effect_class": "idempotent"}, "done", None),
    ],
    ids=["seen", "seen of what is harmless", "nothing has changed", "never repeated", "nothing is declared"],
)
def test_what_is_declared_and_seen_ends_the_wait(
    scene: Scenes, fields: dict[str, Any], effect: str, enough: bool | None
) -> None:
    s = scene(**fields)
    s.does(effect)
    s.perform("done")
    assert s.world.enough[0] is enough


def test_what_stood_there_before_the_act_ends_no_wait(scene: Scenes, monkeypatch: pytest.MonkeyPatch) -> None:
    """The program has not drawn anything since."""
    s = scene(expect=SAVED, effect_class="observable")
    s.does("nothing")
    monkeypatch.setattr(s.world, "judge", lambda *_, **__: Verification(answer=Answer.YES, message="Seen."))
    s.perform()
    assert s.world.enough[0] is False


@pytest.mark.parametrize(("retries", "acts"), [(0, 1), (1, 2), (2, 3), (3, 4)])
def test_it_is_tried_again_as_often_as_the_edge_says_and_no_more(scene: Scenes, retries: int, acts: int) -> None:
    """S1.16: each time after a longer wait, and told with its number."""
    s = scene(effect_class="idempotent", retries=retries, retry_backoff_ms=200)
    s.does(*["nothing"] * 9)
    done = s.perform()
    assert (s.world.acts, s.kept().retries) == (["ab"] * acts, retries)
    assert s.waited == pytest.approx([0.2 * n for n in range(1, acts)])
    assert (done.passed, done.retry, done.stop, done.unanswered, done.unready) == (False,) * 5
    assert done.failure == "“ab” did not work. Not seen." and done.after is not None
    assert (s.kept().outcome, s.kept().message) == ("failed", "Not seen.")


def test_what_was_never_sent_says_why(scene: Scenes) -> None:
    """S1.16: without any input there is nothing to be in doubt about."""
    s = scene(retries=1)
    s.does("refused", "refused")
    assert s.perform().failure == "“ab” did not work. There is no such key."
    assert (s.kept().outcome, s.kept().message, s.stage.asked) == ("failed", "There is no such key.", [])
    assert s.world.acts == ["ab", "ab"]


def test_each_failed_attempt_takes_its_intent_back(scene: Scenes) -> None:
    """S9.1: between two attempts nothing is in doubt."""
    s = scene(retries=1)
    s.does("refused", "done")
    phases: list[str] = []
    s.world.on_glance = lambda world: phases.append(f"{s.kept().phase} {s.kept().message}".strip())
    assert s.perform().passed
    assert phases == ["planned", "intent", "planned There is no such key.", "intent There is no such key."]
    assert s.kept().retries == 1


def test_nothing_is_sent_before_the_intent_is_on_record_and_the_run_is_ours(scene: Scenes) -> None:
    """S9.1, S9.4"""
    s = scene()
    seen: list[str] = []
    s.performer.hold.may_act = lambda: seen.append(f"asked {s.kept().phase}")
    s.world.on_act = lambda edge_id: seen.append(f"acts {s.kept().phase}")
    s.perform()
    assert seen == ["asked planned", "acts intent"]


def changes_while_written(s: Scene, *, times: int) -> list[int]:
    """Another screen is there once the intent is on record, so often; and the first one again at the next turn.

    Gives how many of these times are left.
    """
    left = [times]

    def look(world: Any) -> None:
        intended = s.kept().phase == StepPhase.INTENT
        world.node = "c" if intended and left[0] > 0 else "a"
        left[0] -= intended

    s.world.on_glance = look
    s.world.on_observe = lambda world: None if s.kept().phase == StepPhase.INTENT else setattr(world, "node", "a")
    return left


def test_what_comes_while_the_intent_is_written_down_is_seen_before_the_act(scene: Scenes) -> None:
    """S9.1, S9.6: writing takes time, and a dialog may come in it; the place is looked at once more."""
    s = scene()
    changes_while_written(s, times=1)
    phases: list[str] = []
    s.world.on_act = lambda edge_id: phases.append(f"{s.world.node} {s.kept().phase}")
    assert s.perform().passed
    assert phases == ["a intent"]


def test_a_screen_that_changes_at_every_intent_is_left_alone(scene: Scenes) -> None:
    s = scene()
    left = changes_while_written(s, times=99)
    done = s.perform()
    assert (done.unready, s.world.acts, s.kept().outcome) == (True, [], "interrupted")
    assert left == [99 - MOST_CHANGES]
    assert "changed before the action" in done.failure


def test_after_an_attempt_such_a_screen_is_asked_about(scene: Scenes) -> None:
    """S1.16: the change may be what the first attempt did."""
    s = scene(effect_class="idempotent", retries=1)
    s.does("nothing", "done")
    s.world.on_act = lambda edge_id: changes_while_written(s, times=99)
    s.perform("stop")
    assert s.world.acts == ["ab"]
    assert [prompt.kind for prompt in s.stage.asked] == [PromptKind.IN_DOUBT]


def test_what_a_lost_desktop_did_is_for_the_next_loop_to_see(scene: Scenes) -> None:
    """S9.2"""
    s = scene()
    s.does("lost")
    with pytest.raises(DesktopLost, match="The display is gone"):
        s.perform()
    assert s.kept().phase == StepPhase.INTENT


def test_the_next_action_waits_as_long_as_the_person_said(scene: Scenes) -> None:
    """S1.10"""
    s = scene()
    s.perform(decision=replace(BY_PERSON, correction={"wait_after": 1.5}))
    assert s.waited[-1] == 1.5


# --- asked to stop --------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("what", "said"),
    [(Wish.PAUSE, "Not done: the run was asked to pause."), (Wish.STOP, "Not done: the run was asked to stop.")],
)
def test_a_wish_comes_before_the_action(scene: Scenes, what: Wish, said: str) -> None:
    """S1.7"""
    s = scene()
    wish(s, what)
    assert s.perform() == Done()
    assert (s.kept().outcome, s.kept().message, s.world.acts) == ("interrupted", said, [])


def test_going_on_is_no_reason_to_leave_it(scene: Scenes) -> None:
    """S1.7"""
    s = scene()
    wish(s, Wish.RESUME)
    assert s.perform().passed


def test_a_wish_comes_before_another_attempt(scene: Scenes) -> None:
    """S1.7, S1.16"""
    s = scene(effect_class="idempotent")
    s.does("nothing", "done")
    s.world.on_act = lambda edge_id: wish(s, Wish.STOP)
    assert s.perform() == Done()
    assert (s.kept().outcome, s.world.acts) == ("interrupted", ["ab"])


@pytest.mark.parametrize("touched", [True, False])
def test_what_was_broken_off_is_in_doubt_only_where_something_was_touched(scene: Scenes, touched: bool) -> None:
    """S9.2: whoever goes on looks first; where nothing was touched there is nothing to look for."""
    s = scene()

    def broken_off(*args: Any) -> Any:
        stopped = Stopped()
        stopped.touched = touched
        raise stopped

    s.world.act = broken_off  # type: ignore[method-assign]
    assert s.perform() == Done(unanswered=touched)
    kept = s.kept()
    assert kept.phase == (StepPhase.INTENT if touched else StepPhase.CLOSED)
    assert kept.outcome == ("" if touched else "interrupted")
    assert touched or kept.message == "Not done: the run loop was asked to leave."


# --- may it be done now ---------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("decision", "anew", "by_hand"),
    [
        (AUTO, False, False),
        (None, True, False),
        (BY_PERSON, True, False),
        (replace(BY_PERSON, correction={"target": {"point": [0.1, 0.1]}}), True, True),
        (replace(AUTO, correction={"target": {}}), False, False),
    ],
)
def test_what_a_person_thought_about_is_looked_at_anew(
    scene: Scenes, monkeypatch: pytest.MonkeyPatch, decision: Decision | None, anew: bool, by_hand: bool
) -> None:
    """S5.2: the picture they decided on is old; where they pointed to is not searched for."""
    s = scene()
    told: list[dict[str, bool]] = []

    def ready(state: ScreenState, suggestion: Suggestion, **how: bool) -> Ready:
        told.append(how)
        return Ready(state=state, suggestion=suggestion)

    monkeypatch.setattr(s.performer.readiness, "ready", ready)
    s.perform(decision=decision)
    assert told == [{"anew": anew, "by_hand": by_hand}]


def test_after_an_attempt_and_after_a_persons_word_it_is_looked_at_anew(
    scene: Scenes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S1.16, S9.6"""
    s = scene(effect_class="idempotent")
    s.does("nothing", "done")
    told: list[bool] = []
    answers = iter(["ready", "asks", "ready"])

    def ready(state: ScreenState, suggestion: Suggestion, *, anew: bool, by_hand: bool) -> Ready | NotReady:
        told.append(anew)
        if next(answers) == "ready":
            return Ready(state=state, suggestion=suggestion)
        return NotReady(message="Another record.", state=state, asks=True)

    monkeypatch.setattr(s.performer.readiness, "ready", ready)
    assert s.perform("retry").passed
    assert told == [False, True, True]


def test_a_first_look_that_fails_leaves_it_undone(scene: Scenes) -> None:
    """S5.2"""
    s = scene()
    s.world.what_changed = lambda *args, **more: "It moved."  # type: ignore[method-assign]
    done = s.perform()
    assert (done.unready, done.passed, s.world.acts) == (True, False, [])
    assert done.failure == s.kept().message and "It moved." in done.failure
    assert done.after is not None and s.kept().picture_after
    assert s.kept().outcome == "interrupted"


@pytest.mark.parametrize(("first", "asked"), [("refused", []), ("nothing", [PromptKind.IN_DOUBT])])
def test_a_screen_that_changed_after_an_attempt_may_be_its_effect(
    scene: Scenes, first: str, asked: list[PromptKind]
) -> None:
    """S9.1: unless no input was sent."""
    s = scene(effect_class="idempotent")
    s.does(first, "done")
    s.world.what_changed = lambda *args, **more: "It moved." if s.world.acts else ""  # type: ignore[method-assign]
    done = s.perform("stop")
    assert [prompt.kind for prompt in s.stage.asked] == asked
    assert (done.stop, done.unready) == (bool(asked), not asked)
    assert s.world.acts == ["ab"]


IDENTITY = [{"label": "Patient", "value": "Ada"}]


@pytest.mark.parametrize("choice", ["manual", "skip", "reject"])
def test_what_a_person_wants_instead_is_the_loops_to_do(scene: Scenes, choice: str) -> None:
    """S9.6"""
    s = scene(identity=IDENTITY, settle_timeout_ms=0)
    s.performer.answer_timeout_s = 90
    done = s.perform(choice)
    assert done.answer is not None and done.answer.decision is not None
    assert done.answer.decision.choice == choice
    assert "Ada" in done.failure and done.after is not None and not done.unready
    (prompt,) = s.stage.asked
    assert (prompt.kind, prompt.timeout_s, prompt.picture) == (PromptKind.IDENTITY, 90, s.step.picture_before)
    assert s.kept().phase == StepPhase.PLANNED


def test_a_question_that_is_withdrawn_leaves_it_undone(scene: Scenes) -> None:
    """S1.7"""
    s = scene(identity=IDENTITY, settle_timeout_ms=0)
    s.stage.answers = [lambda prompt: wish(s, Wish.PAUSE)]
    done = s.performer.perform(s.step, s.state, s.suggestion, CoachAnswer(AUTO))
    assert done == Done()
    assert (s.kept().outcome, s.kept().message) == ("interrupted", "The question was withdrawn.")


@pytest.mark.parametrize(
    ("seconds", "acts_at_once"), [(FRESH_S + 0.01, False), (FRESH_S - 0.01, True), (FRESH_S, True)]
)
def test_a_screen_that_was_waited_for_too_long_is_looked_at_anew(
    scene: Scenes, monkeypatch: pytest.MonkeyPatch, seconds: float, acts_at_once: bool
) -> None:
    """S9.4, S5.2: the database kept the intent waiting; what it was made for may be gone."""
    s = scene()
    now, intend, messages = [1000.0], s.journal.intend, []
    monkeypatch.setattr("execution.turn.performing.time.monotonic", lambda: now[0])

    def slowly(step: Step, *args: Any, **kwargs: Any) -> None:
        intend(step, *args, **kwargs)
        now[0] += seconds if not messages else 0

    failed = s.journal.attempt_failed
    monkeypatch.setattr(s.journal, "intend", slowly)
    monkeypatch.setattr(
        s.journal, "attempt_failed", lambda step, said, **more: messages.append(said) or failed(step, said, **more)
    )
    assert s.perform().passed
    assert s.world.acts == ["ab"]
    assert bool(messages) is not acts_at_once
    assert s.kept().retries == 0


# --- whether it happened --------------------------------------------------------------------------------------------
@pytest.mark.parametrize("comes", ["before", "after", "never"])
def test_a_dialog_that_hides_what_was_done_is_closed_and_it_is_looked_again(scene: Scenes, comes: str) -> None:
    """S1.5: as it came, or once it is seen that nothing is seen."""
    s = scene()
    settled: list[str] = []
    settle = s.world.settle
    s.world.settle = lambda edge, **more: settled.append("settle") or settle(edge, **more)  # type: ignore[method-assign]
    s.does("unclear" if comes == "after" else "done")

    def clear(state: ScreenState, spec: Any) -> bool:
        settled.append("clear")
        assert spec == s.suggestion.edge
        if comes == "before":
            return settled.count("clear") == 1
        if comes == "after" and settled.count("clear") == 2:
            s.world.node, s.world._seen = "b", 0
            return True
        return False

    s.performer.overlays.clear = clear  # type: ignore[method-assign]
    assert s.perform().passed
    expected = {
        "before": ["settle", "clear", "settle"],
        "after": ["settle", "clear", "clear", "settle"],
        "never": ["settle", "clear"],
    }
    assert settled == expected[comes]
    assert s.kept().verified == "yes"


@pytest.mark.parametrize(
    ("effect_class", "effect", "said", "expect", "asks"),
    [
        ("opaque", "done", "", {}, False),
        ("opaque", "nothing", "", {}, True),
        ("idempotent", "nothing", "", {}, False),
        ("opaque", "refused", "", {}, False),
        ("opaque", "unclear", "", {}, False),
        ("opaque", "unclear", "Nobody knows.", {}, True),
        ("observable", "nothing", "", {"texts": ["Saved"]}, True),
        ("read", "unclear", "Nobody knows.", {}, False),
        ("read", "unclear", "", {"texts": ["Saved"]}, True),
    ],
)
def test_a_person_is_asked_where_nobody_else_can_say(
    scene: Scenes, effect_class: str, effect: str, said: str, expect: dict[str, Any], asks: bool
) -> None:
    """S1.5, S9.3"""
    s = scene(effect_class=effect_class, expect=expect, retries=0, retry_backoff_ms=300)
    s.does(effect)
    s.world.said = said
    done = s.perform("done")
    assert [prompt.kind for prompt in s.stage.asked] == [PromptKind.IN_DOUBT] * asks
    assert s.waited[:1] == ([0.3] if asks else s.waited[:1]), "it is looked at once more before anyone is asked"
    if asks:
        (prompt,) = s.stage.asked
        assert done == Done(passed=True)
        assert said in prompt.message
        assert (prompt.deadline_at, prompt.choices) == (None, ("done", "retry", "stop"))
        assert s.kept().picture_before and s.kept().picture_after
    elif effect == "unclear":
        assert (done.passed, s.kept().verified) == (True, "cannot_tell"), "it goes on, and is counted as not verified"


@pytest.mark.parametrize("said", ["", "Nobody knows."])
def test_what_is_read_back_is_asked_about_before_only_where_a_message_speaks_against_it(
    scene: Scenes, said: str
) -> None:
    """S5.9: its proof tells, and a person is asked where that does not."""
    s = scene(effect_class="opaque", expect={"texts": ["Saved"]}, retries=0)
    proof = ProofSpec(workflow="look", version=1)
    s.suggestion = replace(s.suggestion, edge=replace(s.suggestion.edge, proof=proof, enters=("b",)))
    s.does("unclear")
    s.world.said = said
    assert s.perform("done").passed
    assert [prompt.kind for prompt in s.stage.asked] == [PromptKind.IN_DOUBT] * bool(said)


@pytest.mark.parametrize("effect_class", ["opaque", "idempotent"])
def test_what_shows_a_little_later_is_not_done_again_and_asked_about_by_nobody(
    scene: Scenes, effect_class: str
) -> None:
    """S1.5, S1.16"""
    s = scene(effect_class=effect_class, retry_backoff_ms=300)
    s.does("late")
    assert s.perform().passed
    assert (s.stage.asked, s.waited[0], s.world.acts) == ([], 0.3, ["ab"])


@pytest.mark.parametrize(
    ("choice", "outcome", "done", "said"),
    [
        ("done", "succeeded", Done(passed=True), "program says it was done."),
        ("retry", "failed", Done(retry=True), "program says it was not done: it will be tried again."),
        ("stop", "failed", Done(stop=True), "Stopped by program while in doubt."),
    ],
)
def test_a_persons_word_about_a_step_in_doubt_stands(
    scene: Scenes, choice: str, outcome: str, done: Done, said: str
) -> None:
    """S9.2"""
    s = scene(effect_class="opaque")
    s.does("nothing")
    assert s.perform(choice) == done
    assert (s.suggestion.edge.retries > 0, s.world.acts) == (True, ["ab"]), "an opaque action is never done twice"
    kept = s.kept()
    assert (kept.outcome, kept.message, kept.act_ms, kept.verified) == (outcome, said, 1.0, "no")
    assert kept.picture_after


def test_a_stop_ends_the_doubt(scene: Scenes) -> None:
    """S1.7, S9.2"""
    s = scene(effect_class="opaque")
    s.does("nothing")
    s.stage.answers = [lambda prompt: control.stop(execution_id=s.stage.execution.execution_id) and None]
    done = s.performer.perform(s.step, s.state, s.suggestion, CoachAnswer(AUTO))
    assert (done, s.kept().outcome, s.kept().message) == (Done(stop=True), "failed", "Stopped while in doubt.")


def test_a_doubt_that_nobody_answered_stays(scene: Scenes) -> None:
    """S9.2"""
    s = scene(effect_class="opaque")
    s.does("nothing")
    s.stage.answers = [lambda prompt: wish(s, Wish.PAUSE)]
    done = s.performer.perform(s.step, s.state, s.suggestion, CoachAnswer(AUTO))
    assert (done, s.kept().phase, s.kept().outcome) == (Done(unanswered=True), StepPhase.INTENT, "")
    assert s.kept().picture_after, "who is asked sees what the screen shows now"


@pytest.mark.parametrize("came", [Answer.YES, Answer.NO, Answer.CANNOT_TELL])
def test_the_answer_that_began_it_is_counted_when_it_is_over(scene: Scenes, came: Answer) -> None:
    """S1.13: also where another question came in between."""
    s = scene(effect_class="opaque", expect={"texts": ["Saved"]})
    prompt = s.journal.ask(s.step, PromptKind.COACHING, "?", timeout_s=None)
    say_so("accept")(prompt)
    s.journal.answered(prompt)
    s.does({Answer.YES: "done", Answer.NO: "nothing", Answer.CANNOT_TELL: "unclear"}[came])
    s.perform("done", decision=BY_PERSON)
    assert s.stage.row().accepted == 1


# --- after a crash --------------------------------------------------------------------------------------------------
def in_doubt(s: Scene, *, shows: str) -> None:
    """The loop died after the act; the screen shows that node now."""
    s.journal.intend(s.step, s.suggestion, s.state, attempt=0)
    s.world.node = shows
    s.world._seen = 0


def test_what_is_seen_to_be_done_after_a_crash_is_behind_us(scene: Scenes) -> None:
    """S9.2"""
    s = scene()
    in_doubt(s, shows="b")
    assert s.recover() == Done(passed=True)
    kept = s.kept()
    assert (kept.outcome, kept.message, kept.in_doubt) == ("succeeded", "Interrupted, and seen to be done.", True)
    assert kept.verified == "yes" and kept.picture_after != kept.picture_before


@pytest.mark.parametrize(
    ("effect_class", "shows", "untouched", "again"),
    [
        ("read", "a", False, True),
        ("read", "c", False, True),  # reading elsewhere does no harm either
        ("idempotent", "a", False, True),
        ("idempotent", "c", False, False),
        ("observable", "a", True, True),
        ("observable", "a", False, False),
        ("opaque", "a", True, False),
    ],
)
def test_what_was_seen_not_to_be_done_is_done_again_only_where_it_may_be(
    scene: Scenes, effect_class: str, shows: str, untouched: bool, again: bool
) -> None:
    """S9.2, S9.3: on the very screen it began with; everything else is a person's to say."""
    s = scene(effect_class=effect_class)
    in_doubt(s, shows=shows)
    s.world.untouched = untouched
    done = s.recover("stop")
    assert s.world.acts == []
    if again:
        assert (done, s.stage.asked) == (Done(), [])
        said = "Interrupted, and seen not to be done: it is done again."
        assert (s.kept().outcome, s.kept().message) == ("interrupted", said)
        assert s.kept().verified == "no" and s.kept().picture_after
    else:
        assert (done, [prompt.kind for prompt in s.stage.asked]) == (Done(stop=True), [PromptKind.IN_DOUBT])


ENTERED = "Interrupted: the field is emptied and filled once more."
SET = "Interrupted: it is looked at anew, and set where it is not so."


@pytest.mark.parametrize(
    ("action", "params", "again"),
    [("type_text", {"text": "Ada", "clear": True}, ENTERED), ("set_state", {"state": "on"}, SET)],
)
@pytest.mark.parametrize(
    ("shows", "said", "astray"), [("a", "", False), ("c", "", False), ("a", "In use.", False), ("a", "", True)]
)
def test_a_field_is_filled_once_more_only_on_its_own_screen_and_where_nothing_speaks_against_it(
    scene: Scenes, action: str, params: dict[str, Any], again: str, shows: str, said: str, astray: bool
) -> None:
    """S9.2: however far it came; what was typed is on the screen, which is not as it was."""
    s = scene(action_type=action, params=params, effect_class="idempotent")
    in_doubt(s, shows=shows)
    seen = (Reason(sign=TYPED, score=0.0, note="“Ada” stands elsewhere."),) if astray else ()
    s.world.judge = lambda *args, **more: Verification(answer=Answer.NO, said=said, evidence=seen)  # type: ignore[method-assign]
    s.world.light = True
    done = s.recover("stop")
    if (shows, said, astray) == ("a", "", False):
        assert (done, s.stage.asked, s.kept().message) == (Done(), [], again)
    else:
        assert (done, [prompt.kind for prompt in s.stage.asked]) == (Done(stop=True), [PromptKind.IN_DOUBT])
    assert s.world.acts == []


@pytest.mark.parametrize("effect_class", ["opaque", "read"])
def test_what_is_unknown_to_the_version_is_asked_about_and_not_guessed_at(scene: Scenes, effect_class: str) -> None:
    """S9.2: a program's own action, of which it alone knows what should have come of it."""
    s = scene(effect_class=effect_class)
    s.journal.intend(s.step, s.suggestion, s.state, attempt=0)
    s.step.edge_id = "elsewhere"
    s.step.save()
    assert s.recover("done") == Done(passed=True)
    (prompt,) = s.stage.asked
    assert (prompt.kind, prompt.choices) == (PromptKind.IN_DOUBT, ("done", "retry", "stop"))
    assert (s.world.acts, s.kept().outcome, s.kept().in_doubt) == ([], "succeeded", True)


def test_a_person_says_of_an_unknown_action_that_it_was_not_done(scene: Scenes) -> None:
    """S9.2: the loop goes on from the screen that the step began with."""
    s = scene()
    s.journal.intend(s.step, s.suggestion, s.state, attempt=0)
    s.step.edge_id = "elsewhere"
    s.step.save()
    s.stage.answers = [say_so("retry")]
    s.stage.loop.recover()
    assert (s.stage.loop.at.picked, s.world.acts) == ("a", [])


# --- the defaults of the times in which people answer ---------------------------------------------------------------
@pytest.mark.parametrize(
    ("mode", "kind", "seconds"),
    [("coaching", PromptKind.COACHING, 120), ("supervised", PromptKind.CONFIRMATION, 60)],
)
def test_a_person_has_as_long_as_is_promised(stage: Any, mode: str, kind: PromptKind, seconds: float) -> None:
    """S1.8, S1.9: two minutes for a suggestion, one for a confirmation, where nobody set another time."""
    s = stage(mode)
    s.answers = []
    left: list[Prompt] = []

    def leave(prompt: Prompt) -> None:
        left.append(prompt)
        s.leave.set()

    s.run(leave)
    (prompt,) = left
    assert (prompt.kind, prompt.timeout_s) == (kind, seconds)
