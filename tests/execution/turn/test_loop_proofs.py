"""S5.9: what was done counts as verified once it was read back, and is never done again because it was not."""

from __future__ import annotations

from typing import Any

import pytest

from execution.choices import ExecutionState, Outcome, PauseReason, PromptKind, ReadBack, Verified
from execution.models import Execution, Step
from execution.turn.position import Position
from execution.turn.ways import Ways
from execution.types import Recognition, ResolveStatus
from sentences.said import from_json, in_words
from tests.doubles.stage import LINE, Killed, edge
from tests.doubles.world import World
from tests.execution.turn.test_loop_rounds import message, paused
from tests.factories import make_published

pytestmark = pytest.mark.django_db

PAUSED, COMPLETED = ExecutionState.PAUSED, ExecutionState.COMPLETED
STOPPED = ExecutionState.STOPPED


class Scoped(World):
    """Screens that are in several workflows are known as those of the one that the run is in, as a matcher does."""

    def recognise(self, state: Any, *, last_node: str | None, expected: str | None) -> Recognition:
        scopes = [self.graph.scope_of(one) for one in (expected, last_node) if one and self.graph.node(one)]
        name = (self.node or "").rsplit("/", 1)[-1]
        if self.node is not None:
            self.node = f"{scopes[0]}/{name}" if scopes and scopes[0] else name
        found = super().recognise(state, last_node=last_node, expected=expected)
        return found if found.match is None or self.graph.node(found.match.node_id) else Recognition(match=None)


def screens(*names: str, entry: str = "a", end: str = "d") -> list[dict[str, Any]]:
    return [
        {**node, "is_entry": node["node_id"] == entry, "is_end": node["node_id"] == end}
        for node in LINE
        if node["node_id"] in names
    ]


def see(edge_id: str, at: str, *texts: str, **fields: Any) -> dict[str, Any]:
    made = edge(edge_id, at, at, action_type="must_see_row", **fields)
    return {**made, "params": {"text": "\n".join(texts)}, "target": None}


# Begins on b, where the act leads; goes to the list on c, looks, and comes back to b.
LOOK = [
    edge("open", "b", "c", effect_class="read"),
    see("see", "c", "{{who}}", order=1),
    edge("back", "c", "b", effect_class="read", order=2),
]
PROOF = {"workflow": "look", "version": 1, "values": {"who": "{{patient}}"}}
OUTER = [edge("save", "a", "b", proof=PROOF), edge("bd", "b", "d", order=1)]
INSIDE = ["save/open", "save/see", "save/back", "save/end/1"]
ALL = ["save", *INSIDE, "bd"]


@pytest.fixture(autouse=True)
def look() -> None:
    make_published(
        workflow_id="look",
        name="Look in the list",
        nodes=screens("b", "c", entry="b", end="b"),
        edges=LOOK,
        variables=[{"name": "who"}],
        already_at_end_is_fine=True,
    )


def proving(stage: Any, mode: str = "automatic", edges: Any = OUTER, **more: Any) -> Any:
    variables = {"variables": [{"name": "patient"}], "values": {"patient": "Ann"}}
    return stage(mode, edges=edges, nodes=screens("a", "b", "d"), world=Scoped, **{**variables, **more})


def act_of(s: Any) -> Step:
    return s.row().steps.filter(edge_id="save").order_by("index").last()


def asked(s: Any, number: int = 0) -> str:
    return in_words(from_json(s.asked[number].message))


def told(step: Step) -> str:
    return str(in_words(from_json(step.message)))


def counters(execution: Execution) -> tuple[int, int]:
    return execution.steps_succeeded, execution.steps_failed


def test_what_held_verifies_the_act_and_says_by_what(stage: Any) -> None:
    s = proving(stage)
    seen: list[tuple[str, str]] = []

    def note(edge_id: str) -> None:
        if edge_id in INSIDE:
            step = act_of(s)
            seen.append((step.verified, step.verification["read_back"]))

    s.world.on_act = note
    assert s.run().state == COMPLETED
    assert s.world.acts == ALL
    open_ = (Verified.CANNOT_TELL, ReadBack.OPEN)
    assert seen == [open_, open_, open_, (Verified.YES, ReadBack.HELD)], "verified when the proof is over, not before"
    act = act_of(s)
    assert (act.outcome, act.verified, act.success) == (Outcome.SUCCEEDED, Verified.YES, True)
    assert told(act) == "Read back by “Look in the list”: it is so."
    assert [reason["sign"] for reason in act.verification["evidence"]] == ["read_back"]


def test_until_then_its_step_says_that_it_is_not_read_back_yet(stage: Any) -> None:
    s = proving(stage)
    s.journal.on_step.append(lambda step: s.leave.set())
    s.loop.run()
    act = act_of(s)
    assert (act.outcome, act.verified, act.verification["read_back"]) == (
        Outcome.SUCCEEDED,
        Verified.CANNOT_TELL,
        ReadBack.OPEN,
    )
    assert "“Look in the list”" in told(act)


@pytest.mark.parametrize("dies_at", [1, 3, 5])
def test_a_run_that_dies_anywhere_in_it_reads_again_and_acts_once(stage: Any, dies_at: int) -> None:
    """Right after an act, before its result is kept; the look that was not kept is done once more."""
    s = proving(stage)
    s.killed_after(dies_at)
    assert s.run().state == COMPLETED
    again = ["save/see"] if ALL[dies_at - 1] == "save/see" else []
    assert s.world.acts == [*ALL[:dies_at], *again, *ALL[dies_at:]]
    assert (act_of(s).verified, act_of(s).verification["read_back"]) == (Verified.YES, ReadBack.HELD)


def not_there(s: Any) -> Any:
    s.world.unresolved["save/see"] = ResolveStatus.NOT_FOUND
    return s


def test_what_does_not_hold_is_asked_about_and_the_act_is_not_done_again(stage: Any) -> None:
    s = not_there(proving(stage))
    assert s.run("stop").state == STOPPED
    assert s.world.acts == ["save", "save/open"]
    assert [prompt.kind for prompt in s.asked] == [PromptKind.IN_DOUBT]
    assert asked(s) == (
        "Was “Click “save”” done? Read back by “Look in the list” it does not prove so. It is not on the screen."
    )
    act = act_of(s)
    assert (act.outcome, act.verified, act.success) == (Outcome.FAILED, Verified.CANNOT_TELL, False)
    assert counters(s.row()) == (1, 1), "the act counts as failed, the step to the list as done"


def test_said_to_be_done_the_run_goes_on_over_the_way_back_and_asks_no_more(stage: Any) -> None:
    s = not_there(proving(stage))
    assert s.run("done").state == COMPLETED
    assert s.world.acts == ["save", "save/open", "save/back", "save/end/1", "bd"]
    act = act_of(s)
    assert (act.outcome, act.verified, act.verification["read_back"]) == (
        Outcome.SUCCEEDED,
        Verified.CANNOT_TELL,
        ReadBack.SAID,
    )
    assert s.row().steps.get(edge_id="save/see").outcome == Outcome.SKIPPED


def test_said_not_to_be_done_the_run_stands_before_it_and_waits_for_its_screen(stage: Any) -> None:
    """It never does by itself what would bring the screen back; a loop that follows stands there as well."""
    s = not_there(proving(stage))
    s.run("retry")
    assert paused(s)[0] == PAUSED
    assert s.world.acts == ["save", "save/open"]
    assert (act_of(s).outcome, act_of(s).verified) == (Outcome.FAILED, Verified.NO)
    place = Position.left(s.row(), Ways(s.world.graph)).place
    assert (place.last, place.back, place.done) == ("a", None, None)
    s.world.node = "a"  # a person brings it
    s.world.unresolved.clear()
    assert s.resume().state == COMPLETED
    assert s.world.acts == ["save", "save/open", *ALL]


def test_a_question_that_the_loop_dies_over_is_asked_again_after_reading_again(stage: Any) -> None:
    s = not_there(proving(stage))

    def die(prompt: Any) -> None:
        raise Killed

    with pytest.raises(Killed):
        s.run(die)
    s.leave.clear()
    s.begin()
    assert s.run("done").state == COMPLETED
    assert s.world.acts.count("save") == 1
    assert [prompt.kind for prompt in s.asked] == [PromptKind.IN_DOUBT] * 2


def test_a_screen_of_the_proof_that_is_not_known_pauses_and_says_what_is_not_read_back(stage: Any) -> None:
    s = proving(stage)

    def lose(edge_id: str) -> None:
        if edge_id == "save/open":
            s.world.effects["save/open"] = ["unclear"]
            s.world.node = None

    s.world.on_act = lose
    s.run()
    assert paused(s) == (PAUSED, PauseReason.NO_MATCH)
    assert "“Click “save”” is done, and not read back by “Look in the list” yet." in message(s)
    assert act_of(s).verification["read_back"] == ReadBack.OPEN


def test_out_of_the_proof_nothing_is_gone_on_with_before_a_person_has_said(stage: Any) -> None:
    s = proving(stage)
    s.left_after(2)
    s.loop._pick("d")  # where the run ends, says a person
    assert s.run("done").state == COMPLETED
    assert s.world.acts == ["save", "save/open"]
    assert [prompt.kind for prompt in s.asked] == [PromptKind.IN_DOUBT]
    assert "it was not read back" in asked(s)


def test_a_reading_that_a_coach_skips_proves_nothing(stage: Any) -> None:
    s = proving(stage, "coaching")
    s.run("accept", "accept", "skip", "accept", "done", "accept")
    assert [prompt.kind for prompt in s.asked][:5] == [PromptKind.COACHING] * 4 + [PromptKind.IN_DOUBT]
    assert "Not all that should be read there was read." in asked(s, 4)
    assert act_of(s).verification["read_back"] == ReadBack.SAID


def test_what_a_person_did_by_hand_is_read_back_as_well(stage: Any) -> None:
    s = proving(stage, "coaching")

    def by_hand(prompt: Any) -> None:
        from execution.actions.decide import decide
        from execution.types import DecisionSource

        s.world.node = "b"
        decide(prompt_id=prompt.pk, choice="manual", source=DecisionSource.PROGRAM)

    assert s.run(by_hand, "accept", "accept", "accept", "accept").state == COMPLETED
    assert s.world.acts == ALL[1:]
    assert (act_of(s).outcome, act_of(s).verified) == (Outcome.MANUAL, Verified.YES)


def test_skipped_it_is_not_read_back(stage: Any) -> None:
    s = proving(stage, "coaching", edges=[{**OUTER[0], "optional": True}, OUTER[1]])

    def come(step: Any) -> None:
        if step.outcome == Outcome.SKIPPED:
            s.world.node = "b"  # a person sees to it that the screen comes

    s.journal.on_step.append(come)
    assert s.run("skip", "accept").state == COMPLETED
    assert s.world.acts == ["bd"]


def test_an_act_that_does_not_show_is_told_by_its_proof_and_not_asked_about(stage: Any) -> None:
    """Without a proof a person would be asked; a message that came is still theirs to read."""
    s = proving(stage)
    s.world.effects["save"] = ["unclear"]
    s.world.on_act = lambda edge_id: setattr(s.world, "node", "b") if edge_id == "save" else None
    assert s.run().state == COMPLETED
    assert not s.asked
    assert act_of(s).verified == Verified.YES


def test_a_message_that_came_is_asked_about_before_anything_is_read_back(stage: Any) -> None:
    s = proving(stage)
    s.world.effects["save"], s.world.said = ["unclear"], "Not saved"
    s.run("stop")
    assert [prompt.kind for prompt in s.asked] == [PromptKind.IN_DOUBT]
    assert s.world.acts == ["save"]


def test_done_for_each_line_each_act_is_read_back_by_itself(stage: Any) -> None:
    """What held for the line before says nothing of this one."""
    from tests.execution.turn.test_loop_rounds import FILES, each, of_list

    edges = [
        of_list("save", "a", "b", **each(), proof={**PROOF, "values": {"who": "{{n}}"}}),
        edge("ad", "a", "d", order=1),
        edge("ba", "b", "a", order=2),
    ]
    s = proving(stage, edges=edges)
    s.world.lists = {"save": list(FILES)}

    def hide(edge_id: str) -> None:
        if edge_id == "save" and s.world.acts.count("save") == 2:
            not_there(s)

    s.world.on_act = hide
    assert s.run("stop").state == STOPPED
    assert s.world.acts.count("save") == 2
    kept = [step.verification["read_back"] for step in s.row().steps.filter(edge_id="save").order_by("index")]
    assert kept == [ReadBack.HELD, ReadBack.SAID]


def test_inside_another_workflow_the_run_stands_before_the_act_and_is_still_inside(stage: Any) -> None:
    """What its proof did leads nowhere any more, for this loop and for one that follows."""
    make_published(
        workflow_id="middle",
        name="Middle",
        nodes=screens("a", "b", "d"),
        edges=[edge("save", "a", "b", proof={**PROOF, "values": {"who": "Ann"}}), edge("bd", "b", "d", order=1)],
        variables=[],
    )
    call = {**edge("it", "a", "d", action_type="call_workflow"), "target": None}
    call["params"] = {"workflow": "middle", "version": 1}
    s = stage("automatic", edges=[call], nodes=screens("a", "d"), world=Scoped)
    s.world.unresolved["it/save/see"] = ResolveStatus.NOT_FOUND
    s.run("retry")
    assert paused(s)[0] == PAUSED
    place = s.loop.at.place
    assert (place.last, place.back is not None) == ("it/a", True)
    assert Position.left(s.row(), Ways(s.world.graph)).place == place
