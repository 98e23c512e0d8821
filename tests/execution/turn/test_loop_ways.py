"""S1.22 in the loop: no leap ahead or back, nothing done is not success, and a person's word."""

from __future__ import annotations

from typing import Any

import pytest

from execution.actions import control
from execution.choices import ExecutionState, PauseReason
from sentences.said import from_json, in_words
from tests.doubles.stage import EDGES, edge

pytestmark = pytest.mark.django_db

PAUSED = ExecutionState.PAUSED


def after(s: Any, act: str, node: str) -> None:
    """The screen is `node` once the step `act` is behind the run."""
    s.journal.on_step.append(lambda step: setattr(s.world, "node", node) if step.edge_id == act else None)


def paused(s: Any) -> tuple[str, str]:
    return s.row().state, s.row().pause_reason


def test_a_screen_farther_on_is_a_question_with_both_screens_and_what_lies_between(stage: Any) -> None:
    """An empty form was taken for the saved record: six steps would have been passed over."""
    s = stage()
    after(s, "ab", "d")
    execution = s.run()
    assert (paused(s), s.world.acts) == ((PAUSED, PauseReason.LEAP), ["ab"])
    detail = execution.pause_detail
    assert detail["leap"]["last"]["node_id"] == "a"
    assert detail["leap"]["last"]["picture"]
    assert detail["picture"] != detail["leap"]["last"]["picture"]
    assert in_words(detail["leap"]["between"]) == ["Click “bc”", "Click “cd”"]
    assert [c["node_id"] for c in detail["candidates"]] == ["d"]
    assert "“D”" in from_json(detail["message"])
    assert "Click “bc”" in from_json(detail["message"])


def test_a_person_says_go_on_from_there_and_looking_again_is_no_leave(stage: Any) -> None:
    s = stage()
    after(s, "ab", "c")
    s.run()
    assert s.resume().pause_reason == PauseReason.LEAP
    assert s.resume(node_id="c").state == ExecutionState.COMPLETED
    assert s.world.acts == ["ab", "cd"]


def test_one_look_at_another_screen_is_none(stage: Any) -> None:
    """What shows for a moment while a screen is drawn stops nobody."""
    s = stage()
    looks = []

    def flicker(world: Any) -> None:
        if world.acts == ["ab"]:
            looks.append(1)
            world.node = "d" if len(looks) in (3, 4) else "b"

    s.world.on_observe = flicker
    assert s.run().state == ExecutionState.COMPLETED
    assert s.world.acts == ["ab", "bc", "cd"]


OPTIONAL = [edge("ab", "a", "b"), edge("bc", "b", "c", optional=True), EDGES[2]]


@pytest.mark.parametrize(("comes", "acts"), [(True, ["ab", "bc", "cd"]), (False, ["ab", "cd"])])
def test_a_dialog_that_sometimes_comes(stage: Any, comes: bool, acts: list[str]) -> None:
    """S6.13: b is the dialog; where it does not come the run goes on without the step that closes it."""
    s = stage(edges=OPTIONAL)
    after(s, "ab", "b" if comes else "c")
    assert s.run().state == ExecutionState.COMPLETED
    assert s.world.acts == acts


def test_a_dialog_that_comes_once_the_run_has_gone_on_without_it_is_a_leap(stage: Any) -> None:
    """S6.13: what it asks was answered by nobody."""
    s = stage(edges=OPTIONAL)
    after(s, "ab", "c")
    s.world.on_observe = lambda world: setattr(world, "node", "b") if s.row().current_node_id == "c" else None
    s.run()
    assert (paused(s), s.world.acts) == ((PAUSED, PauseReason.LEAP), ["ab"])


def test_a_restarted_loop_keeps_the_rule(stage: Any) -> None:
    s = stage()
    s.left_after(1)
    assert s.world.acts == ["ab"]
    s.world.node = "d"
    s.run()
    assert (paused(s), s.world.acts) == ((PAUSED, PauseReason.LEAP), ["ab"])
    assert s.row().pause_detail["leap"]["last"]["picture"]


def test_a_run_begins_on_its_first_screen_and_not_farther_on(stage: Any) -> None:
    s = stage()
    s.world.node = "c"
    s.run()
    assert (paused(s), s.world.acts) == ((PAUSED, PauseReason.LEAP), [])


def test_who_paused_had_the_desktop_and_the_run_goes_on_from_where_they_left_it(stage: Any) -> None:
    s = stage()
    s.world.on_observe = lambda world: (
        control.pause(execution_id=s.execution.execution_id) if s.row().state == "running" and not world.acts else None
    )
    s.run()
    s.world.on_observe, s.world.node = None, "c"
    assert s.resume().state == ExecutionState.COMPLETED
    assert s.world.acts == ["cd"]


def test_observation_follows_the_person_wherever_they_go(stage: Any) -> None:
    s = stage("observation")
    plan = ["a", "a", "c", "c", "b", "b", "d"]
    s.world.on_observe = lambda world: setattr(world, "node", plan.pop(0) if plan else "d")
    assert s.run().state == ExecutionState.COMPLETED


@pytest.mark.parametrize("mode", ["automatic", "coaching", "observation"])
def test_a_run_that_begins_at_the_end_has_done_nothing_and_says_so(stage: Any, mode: str) -> None:
    s = stage(mode, edges=[*EDGES, edge("ad", "a", "d", optional=True)])
    s.world.node = "d"
    execution = s.run()
    assert paused(s) == (PAUSED, PauseReason.ALREADY_AT_END)
    assert "nothing was done yet" in from_json(execution.pause_detail["message"])
    assert s.resume().pause_reason == PauseReason.ALREADY_AT_END
    assert s.resume(node_id="d").state == ExecutionState.COMPLETED


def test_a_workflow_may_say_that_already_there_is_fine(stage: Any) -> None:
    s = stage(edges=[*EDGES, edge("ad", "a", "d", optional=True)], fields={"already_at_end_is_fine": True})
    s.world.node = "d"
    assert s.run().state == ExecutionState.COMPLETED
    assert s.world.acts == []


FORM = [edge("name", "a", "a"), edge("date", "a", "a", order=1), edge("ab", "a", "b", order=2), *EDGES[1:]]


@pytest.mark.parametrize("fields", [{"effect_class": "read"}, {"action_type": "wait_stable", "target": None}])
def test_what_only_looks_is_done_once_on_its_screen_as_well(stage: Any, fields: dict[str, Any]) -> None:
    """S9.3: a wait between two fields of a form; else it would be waited for for ever."""
    s = stage(edges=[edge("look", "a", "a", **fields), edge("ab", "a", "b", order=1), *EDGES[1:]])
    s.world.on_act = lambda act: s.leave.set() if s.world.acts.count("look") > 2 else None
    s.run()
    assert s.world.acts == ["look", "ab", "bc", "cd"]


def test_again_at_a_persons_word_is_that_step_and_not_those_before_it(stage: Any) -> None:
    """S9.3"""
    s = stage(edges=FORM)
    s.world.effects["date"] = ["unclear", "done"]
    s.world.said = "The result is unknown."
    assert s.run("retry").state == ExecutionState.COMPLETED
    assert s.world.acts == ["name", "date", "date", "ab", "bc", "cd"]


LAST = [*EDGES, edge("read", "d", "d", effect_class="read", order=0), edge("tick", "d", "d", order=1)]


def test_a_restarted_loop_does_on_the_last_screen_what_is_left_there(stage: Any) -> None:
    s = stage(edges=LAST)
    s.left_after(4)
    assert s.world.acts == ["ab", "bc", "cd", "read"]
    assert s.run().state == ExecutionState.COMPLETED
    assert s.world.acts == ["ab", "bc", "cd", "read", "tick"]


def test_a_last_step_that_is_rejected_is_no_end(stage: Any) -> None:
    s = stage("coaching", edges=[*EDGES, edge("tick", "d", "d")])
    s.run("accept", "accept", "accept", "reject")
    assert paused(s) == (PAUSED, PauseReason.REJECTED)
    assert s.world.acts == ["ab", "bc", "cd"]


def test_a_run_that_begins_on_its_last_screen_does_not_begin_with_what_is_done_there(stage: Any) -> None:
    s = stage(edges=[*LAST, edge("ad", "a", "d", optional=True, order=1)])
    s.world.node = "d"
    s.run()
    assert paused(s) == (PAUSED, PauseReason.ALREADY_AT_END)
    assert s.world.acts == []


BACK = [edge("ab", "a", "b"), edge("ad", "a", "d"), edge("bc", "b", "c"), edge("ca", "c", "a")]


@pytest.mark.parametrize(
    ("answers", "acts"), [(["accept"], ["ad"]), (["reject", "accept", "accept"], ["ab", "bc", "ca", "ad"])]
)
def test_what_was_done_there_before_is_not_done_again_unasked(stage: Any, answers: list[str], acts: list[str]) -> None:
    """A menu is open for the second time: to save once more, or to quit, as it was taught."""
    s = stage(edges=BACK)
    execution = s.run(*answers)
    assert (execution.state, s.world.acts) == (ExecutionState.COMPLETED, ["ab", "bc", "ca", *acts])
    assert "did this there" in in_words(execution.prompts.order_by("pk").first().message)


def test_the_only_way_from_a_screen_is_gone_each_time(stage: Any) -> None:
    s = stage(edges=[EDGES[0], EDGES[1], edge("ca", "c", "a"), edge("cd", "c", "d")])
    assert s.run("accept").state == ExecutionState.COMPLETED
    assert s.world.acts == ["ab", "bc", "ca", "ab", "bc", "cd"]


def line(screens: str, ends: str) -> list[dict[str, Any]]:
    """Those screens, begun on “a”."""
    return [{"node_id": n, "name": n.title(), "texts": [n], "is_entry": n == "a", "is_end": n in ends} for n in screens]


# What a run does that goes to its end by itself.
ENDS: dict[str, tuple[dict[str, Any], list[str]]] = {
    "field by field on one screen": ({"edges": FORM}, ["name", "date", "ab", "bc", "cd"]),
    "what stays on the last screen comes before the end": ({"edges": LAST}, ["ab", "bc", "cd", "read", "tick"]),
    "one screen alone": (
        {"nodes": line("a", "a"), "edges": [edge("name", "a", "a"), edge("save", "a", "a", order=1)]},
        ["name", "save"],
    ),
    "come back to where it ends it begins nothing anew": (
        {"nodes": line("abc", "c"),
         "edges": [edge("ab", "a", "b"), edge("bc", "b", "c"), edge("name", "c", "c"), edge("cb", "c", "b", order=1)]},
        ["ab", "bc"],
    ),
    "where it began is where it ends": (
        {"nodes": line("abc", "a"), "edges": [edge("ab", "a", "b"), edge("bc", "b", "c"), edge("ca", "c", "a")]},
        ["ab", "bc", "ca"],
    ),
    "an end on the way, to which it comes back": (
        {"nodes": line("abc", "b"), "edges": [edge("ab", "a", "b"), edge("bc", "b", "c"), edge("cb", "c", "b")]},
        ["ab", "bc", "cb"],
    ),
    "an end from which another way leads on": ({"nodes": line("abcd", "bd"), "edges": EDGES}, ["ab"]),
}  # fmt: skip


@pytest.mark.parametrize(("how", "acts"), ENDS.values(), ids=ENDS)
def test_a_run_does_once_what_is_to_be_done_and_ends(stage: Any, how: dict[str, Any], acts: list[str]) -> None:
    """S1.22, S6.12, S9.3"""
    s = stage(**how)
    assert s.run().state == ExecutionState.COMPLETED
    assert s.world.acts == acts
