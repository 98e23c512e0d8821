"""S6.13 in the loop: ways by a condition, each line of a list once, and a list that changes under way."""

from __future__ import annotations

from itertools import count
from types import SimpleNamespace
from typing import Any

import pytest

from execution.actions import control
from execution.choices import ExecutionState, Outcome, PauseReason
from execution.desktop import capture
from execution.turn import wheel
from execution.turn.lists import list_kept, rows_of
from execution.types import ElementRole
from sentences.said import from_json, in_words
from tests.doubles.stage import LINE, Stage, edge

pytestmark = pytest.mark.django_db

PAUSED, COMPLETED = ExecutionState.PAUSED, ExecutionState.COMPLETED
VARIABLES = [
    {"name": "amount", "label": "Amount", "kind": "number", "default": "50"},
    {"name": "note", "kind": "text", "required": False},
]


def only_if(value: str, test: str, *to: str) -> dict[str, Any]:
    return {"condition": [{"value": value, "test": test, "to": list(to)}]}


WAYS = [
    edge("ab", "a", "b", **only_if("amount", "more", "100")),
    edge("ac", "a", "c", order=1, **only_if("amount", "less", "{{amount}}")),
    edge("bd", "b", "d", order=2),
    edge("cd", "c", "d", order=3),
]


def each(**fields: Any) -> dict[str, Any]:
    return {"repeat": {"counter": "n", "most": 50, "until": [], "steps": [], **fields}}


def of_list(edge_id: str, source: str, destination: str, *, counter: str = "n", **fields: Any) -> dict[str, Any]:
    target = {
        "target_id": f"t_{edge_id}",
        "label": f"line {{{{{counter}}}}}",
        "role": "text",
        "evidence": {"number": f"{{{{{counter}}}}}"},
    }
    made = edge(edge_id, source, destination, **fields)
    return {**made, "target": {**target, "text": edge_id}}


ROUND = [
    of_list("ab", "a", "b", **each()),
    edge("ad", "a", "d", order=1),
    edge("bc", "b", "c", order=2),
    edge("ca", "c", "a", order=3),
]
FILES = ["one.txt", "two.txt", "three.txt"]
END = ["scroll 1", "scroll 2"]  # a list that does not move
ALL = ["ab", "bc", "ca"] * 3 + [*END, "ad"]


def paused(s: Any) -> tuple[str, str]:
    return s.row().state, s.row().pause_reason


def message(s: Any) -> str:
    return from_json(s.row().pause_detail["message"])


def listed(stage: Any, mode: str = "automatic", edges: Any = ROUND, **more: Any) -> Any:
    s = stage(mode, edges=edges, **more)
    s.world.lists = {"ab": list(FILES)}
    return s


# --- ways -------------------------------------------------------------------------------------------------------


def test_where_no_way_is_open_a_person_is_asked_and_told_why(stage: Any) -> None:
    s = stage(edges=WAYS, variables=VARIABLES, values={"amount": "50"})
    s.run()
    assert (paused(s), s.world.acts) == ((PAUSED, PauseReason.NO_WAY), [])
    said = message(s)
    assert "“Click “ab”” is done only if “Amount” is more than 100." in said
    assert "“Amount” is “50” now." in said
    assert s.resume(node_id="b").state == COMPLETED
    assert s.world.acts == ["bd"]


def test_a_skipped_way_does_not_make_another_one_right(stage: Any) -> None:
    edges = [WAYS[0], edge("ac", "a", "c", order=1), *WAYS[2:]]
    s = stage("coaching", edges=edges, variables=VARIABLES, values={"amount": "150"})
    s.run("skip")
    assert (paused(s), s.world.acts) == ((PAUSED, PauseReason.SKIPPED), [])


def test_a_screen_of_a_way_that_is_shut_is_a_leap(stage: Any) -> None:
    """S1.22: however optional the step that leads there."""
    edges = [{**WAYS[0], "optional": True}, edge("ac", "a", "c", order=1, optional=True), *WAYS[2:]]
    s = stage(edges=edges, variables=VARIABLES, values={"amount": "50"})
    s.world.node = "b"
    s.run()
    assert (paused(s), s.world.acts) == ((PAUSED, PauseReason.LEAP), [])


def reading(edge_id: str, node: str, **fields: Any) -> dict[str, Any]:
    params = {"name": "total", "kind": "number", "label": "Total", "format": "us"}
    return {**edge(edge_id, node, node, action_type="read_value", **fields), "params": params, "target": None}


READ = [
    reading("look", "a"),
    edge("ab", "a", "b", order=1, **only_if("total", "more", "1000")),
    edge("ac", "a", "c", order=2),
    edge("bd", "b", "d", order=3),
    edge("cd", "c", "d", order=4),
]


@pytest.mark.parametrize(("read", "acts"), [("1,250", ["look", "ab", "bd"]), ("999.50", ["look", "ac", "cd"])])
def test_the_way_is_taken_that_says_what_was_read(stage: Any, read: str, acts: list[str]) -> None:
    """As it was understood when it was read: 1,250 is a US number there, and would be two things here."""
    s = stage(edges=READ)
    s.world.reads = {"look": [read]}
    assert s.run().state == COMPLETED
    assert s.world.acts == acts


OF_A_LINE = [
    ROUND[0],
    edge("ad", "a", "d", order=1),
    reading("look", "b", order=2, **only_if("amount", "more", "0")),
    edge("bc", "b", "c", order=3, **only_if("total", "more", "1000")),
    edge("ba", "b", "a", order=4),
    {**edge("ca", "c", "a", order=5, action_type="type_text"), "params": {"text": "{{total}}"}, "target": None},
]


def with_totals(stage: Any, edges: Any = OF_A_LINE) -> Any:
    s = listed(stage, edges=edges, variables=VARIABLES)
    s.world.reads = {"look": ["2000", "10", "3000"]}
    return s


def test_each_line_goes_the_way_of_what_was_read_of_it(stage: Any) -> None:
    s = with_totals(stage)
    assert s.run().state == COMPLETED
    assert s.world.acts == ["ab", "look", "bc", "ca", "ab", "look", "ba", "ab", "look", "bc", "ca", *END, "ad"]


@pytest.mark.parametrize("restarted", [False, True])
def test_what_was_read_of_one_line_is_no_value_of_the_next(stage: Any, restarted: bool) -> None:
    """Line 2 is not read: what its record holds nobody knows, and the total of line 1 is not it."""
    edges = [*OF_A_LINE[:2], {**OF_A_LINE[2], **only_if("n", "less", "2")}, *OF_A_LINE[3:]]
    s = with_totals(stage, edges)
    if restarted:
        s.journal.on_step.append(lambda step: s.leave.set() if step.index == 5 else None)
        s.loop.run()
        s.leave.clear()
        s.world.variables = {**s.world.variables, "total": "2000"}  # as the rows have it that a loop begins with
        s.begin()
    s.run()
    assert (paused(s), s.world.acts) == ((PAUSED, PauseReason.NO_WAY), ["ab", "look", "bc", "ca", "ab"])
    assert "“total” has no value yet" in message(s)


def test_what_was_not_read_is_typed_nowhere(stage: Any) -> None:
    s = with_totals(stage, [*OF_A_LINE[:2], reading("look", "d", order=2), edge("bc", "b", "c", order=3), OF_A_LINE[5]])
    s.run()
    assert (paused(s), s.world.acts) == ((PAUSED, PauseReason.NO_WAY), ["ab", "bc"])


# --- rounds -----------------------------------------------------------------------------------------------------
def test_each_line_is_done_once_and_then_the_list_is_left(stage: Any) -> None:
    s = listed(stage)
    assert s.run().state == COMPLETED
    assert s.world.acts == ALL
    assert [step.suggestion["line"] for step in s.row().steps.filter(edge_id="ab")] == [1, 2, 3]


LAST = [{**node, "is_end": node["node_id"] == "a"} for node in LINE if node["node_id"] != "d"]
ONLY = [edge for edge in ROUND if edge["edge_id"] != "ad"]
EACH_ONCE = ALL[:-1]


def last_of_all(stage: Any, mode: str = "automatic") -> Any:
    """The list is the last thing: nothing leads on from it, and a run ends there."""
    return listed(stage, mode, ONLY, nodes=LAST)


def test_a_run_may_end_on_its_list_once_each_line_is_done(stage: Any) -> None:
    s = last_of_all(stage)
    assert s.run().state == COMPLETED
    assert s.world.acts == EACH_ONCE
    assert not s.asked


@pytest.mark.parametrize("kept", [1, 9])
def test_a_loop_that_is_restarted_ends_on_its_list_after_each_line(stage: Any, kept: int) -> None:
    """S9.2"""
    s = last_of_all(stage)
    s.left_after(kept)
    assert s.run().state == COMPLETED
    assert s.world.acts == EACH_ONCE


def test_a_list_that_is_the_last_thing_and_goes_on_below_is_no_end(stage: Any) -> None:
    s = last_of_all(stage)
    s.world.further = ["four.txt"]
    assert s.run().state == COMPLETED
    assert s.world.acts == [*["ab", "bc", "ca"] * 3, "scroll 1", *["ab", "bc", "ca"], *END]


def test_a_person_may_say_that_a_list_that_is_the_last_thing_is_over(stage: Any) -> None:
    s = last_of_all(stage)
    s.journal.on_step.append(lambda step: s.world.lists.update(ab=FILES[:1]) if step.edge_id == "bc" else None)
    assert s.run("skip").state == COMPLETED
    assert s.world.acts == ["ab", "bc", "ca", *END]


def test_a_line_that_was_begun_and_left_is_asked_about_where_nothing_follows(stage: Any) -> None:
    """S1.22"""
    s = last_of_all(stage)
    s.world.lists = {"ab": FILES[:1]}
    left_in_the_middle_of_line(s, 2)
    s.resume("reject")
    assert s.row().state == PAUSED
    assert UNFINISHED in str([prompt.message for prompt in s.asked]) + message(s)
    assert "bc" in s.world.acts and "ca" not in s.world.acts


def test_a_line_that_was_begun_and_left_is_asked_about_where_a_text_says_that_the_list_is_over(stage: Any) -> None:
    """S1.22"""
    s = listed(stage, edges=[of_list("ab", "a", "b", **each(until=["one.txt"])), *ONLY[1:]], nodes=LAST)
    left_in_the_middle_of_line(s, 2)
    s.world.texts = ("one.txt",)
    s.resume()
    assert paused(s) == (PAUSED, PauseReason.NO_WAY)
    assert UNFINISHED in message(s)


def test_a_run_that_finds_no_line_at_all_asks(stage: Any) -> None:
    s = last_of_all(stage)
    s.world.lists = {"ab": []}
    s.run("reject")
    assert s.row().state == PAUSED
    assert s.world.acts == []


def test_a_text_says_that_there_is_no_other_line(stage: Any) -> None:
    s = listed(stage, edges=[of_list("ab", "a", "b", **each(until=["No more files"])), *ROUND[1:]])
    s.world.texts = ("No more files",)
    assert s.run().state == COMPLETED
    assert s.world.acts == ["ad"]


def test_a_list_whose_end_a_text_would_say_is_not_over_without_it(stage: Any) -> None:
    s = listed(stage, edges=[of_list("ab", "a", "b", **each(until=["No more files"])), *ROUND[1:]])
    s.run("reject", "reject")
    assert s.world.acts == ALL[:-1]
    assert "neither is “No more files”" in str(s.asked[0].message)


def test_a_run_on_whose_first_screen_a_text_says_that_there_is_no_line_has_nothing_to_do(stage: Any) -> None:
    edges = [of_list("ab", "a", "b", **each(until=["No more files"])), edge("ba", "b", "a")]
    nodes = [{"node_id": n, "name": n.title(), "texts": [n], "is_entry": n == "a", "is_end": n == "a"} for n in "ab"]
    s = listed(stage, edges=edges, nodes=nodes)
    s.world.texts = ("No more files",)
    assert s.run().state == COMPLETED
    assert s.world.acts == []


def test_an_empty_list_that_nothing_says_is_empty_is_asked_about(stage: Any) -> None:
    s = listed(stage)
    s.world.unresolved["ab"] = "not_found"
    s.world.lists = {}
    s.run("reject", "accept")
    assert [prompt.kind for prompt in s.asked] == ["target", "confirmation"], "what follows builds on a person's word"
    assert s.world.acts == ["ad"]


def no_line(s: Any) -> Any:
    s.world.unresolved["ab"], s.world.lists, s.world.no_line = "not_found", {}, True
    return s


def test_a_list_that_shows_no_line_is_said_to_be_empty_once(stage: Any) -> None:
    """S6.13: a person says so, and the next run goes on by itself; where nothing was said it asks."""
    s = no_line(listed(stage))
    s.run("reject", "reject")
    assert str(s.asked[0].message) == "The list shows no line today."
    again = no_line(Stage.again(s, "automatic"))
    again.run("skip", "accept")
    assert [prompt.kind for prompt in again.asked] == ["target", "confirmation"]
    assert again.world.acts == ["ad"]
    later = no_line(Stage.again(again, "automatic"))
    assert later.run().state == COMPLETED
    assert (later.asked, later.world.acts) == ([], ["ad"])


def test_a_list_whose_end_a_text_would_say_is_not_empty_without_it(stage: Any) -> None:
    edges = [of_list("ab", "a", "b", **each(until=["No more files"])), *ROUND[1:]]
    s = no_line(listed(stage, edges=edges))
    s.run("skip", "accept")
    again = no_line(Stage.again(s, "automatic"))
    again.run("reject", "reject")
    assert [prompt.kind for prompt in again.asked][:1] == ["target"]


def seen_by(s: Any) -> list[str]:
    """Each line that was opened, as it was read then."""
    begun = s.row().steps.filter(edge_id="ab", outcome=Outcome.SUCCEEDED).order_by("index")
    return [" ".join(rows_of(list_kept(s.screen, s.suggestion["lines"]))[s.suggestion["line"] - 1]) for s in begun]


@pytest.mark.parametrize("restarted", [False, True])
def test_a_list_that_goes_on_below_is_scrolled_and_done_to_its_end(stage: Any, restarted: bool) -> None:
    s, more = listed(stage), ["four.txt", "five.txt", "six.txt"]
    s.world.further = list(more)
    if restarted:  # while the list stands scrolled, before its fifth line
        s.left_after(13)
    assert s.run().state == COMPLETED
    assert (seen_by(s), s.asked) == ([*FILES, *more], [])


def test_a_list_that_is_drawn_anew_from_its_top_each_time_is_done_to_its_end(stage: Any) -> None:
    """Also behind its last line, where nothing that was done last is in sight."""
    s, more = listed(stage), ["four.txt", "five.txt"]
    s.world.further = list(more)
    anew = {"ab": list(s.world.lists["ab"])}

    def drawn(step: Any) -> None:
        if step.edge_id == "bc":
            s.world.lists, s.world.further = {"ab": list(anew["ab"])}, list(more)

    s.journal.on_step.append(drawn)
    assert s.run().state == COMPLETED
    assert (seen_by(s), s.asked) == ([*FILES, *more], [])


def test_a_list_that_leaps_farther_than_it_is_seen_is_asked_about(stage: Any) -> None:
    s = listed(stage)
    s.world.on_scroll = lambda world: world.lists.update(ab=["seven.txt", "eight.txt", "nine.txt"])
    s.run("reject", "reject")
    assert s.world.acts == [*["ab", "bc", "ca"] * 3, "scroll 1"]
    assert "nobody can say whether line 4 follows" in str(s.asked[0].message)


def test_a_list_that_is_scrolled_late_goes_on_below_all_the_same(stage: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the rest of it is left out without a word, where a client is slow."""
    s = listed(stage)
    clock = count(step=0.1)  # by looks, however slow the machine is
    monkeypatch.setattr(wheel, "ANSWERS_S", 1.0)
    monkeypatch.setattr(capture, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    s.world.further, s.world.slow = ["four.txt"], 4
    assert s.run().state == COMPLETED
    assert seen_by(s) == [*FILES, "four.txt"]


@pytest.mark.parametrize(
    ("now", "told"),
    [
        (["three.txt"], "line 2 was “two.txt” and is not there any more"),  # another one went as well
        (["two.txt", "three.txt", "one.txt"], "line 2 was “two.txt” and is “three.txt” now"),  # put to the end
        (["new.txt", *FILES], "line 2 was “two.txt” and is “one.txt” now"),
        (["one.txt"], "line 2 was “two.txt” and is not there any more"),
        (["one.txt", "two.txt"], "line 3 was “three.txt” and is not there any more"),
    ],
)
def test_a_list_that_changed_is_asked_about_before_a_record_is_left_out_or_done_twice(
    stage: Any, now: list[str], told: str
) -> None:
    s = listed(stage)
    s.journal.on_step.append(lambda step: s.world.lists.update(ab=now) if step.edge_id == "bc" else None)
    s.run("reject", "reject")
    assert [act for act in s.world.acts if act not in END] == ["ab", "bc", "ca"]
    assert told in str(s.asked[0].message)


def leaving(stage: Any, *, more: Any = (), lines: Any = FILES, mode: str = "automatic") -> Any:
    """A list that a line leaves once it is done; where it is as long as the view, one of `more` comes up for it."""
    s = listed(stage, mode)
    s.world.lists, coming = {"ab": list(lines)}, list(more)

    def leave(step: Any) -> None:
        if step.edge_id == "bc" and step.outcome == Outcome.SUCCEEDED:
            line = s.row().steps.filter(edge_id="ab").last().suggestion["line"]
            s.world.lists["ab"].pop(line - 1)
            s.world.lists["ab"] += coming[:1]
            del coming[:1]

    s.journal.on_step.append(leave)
    return s


@pytest.mark.parametrize("more", [(), ("four.txt",), ("four.txt", "five.txt")])
def test_a_list_that_lines_leave_once_they_are_done_is_done_to_its_end(stage: Any, more: Any) -> None:
    s = leaving(stage, more=more)
    assert s.run().state == COMPLETED
    assert [a for a in s.world.acts if not a.startswith("scroll")] == ["ab", "bc", "ca"] * (3 + len(more)) + ["ad"]
    assert {step.suggestion["line"] for step in s.row().steps.filter(edge_id="ab")} == {1}
    assert (s.asked, s.world.lists["ab"]) == ([], [])


def test_a_loop_that_is_restarted_goes_on_with_the_line_that_moved_up(stage: Any) -> None:
    s = leaving(stage)
    s.journal.on_step.append(lambda step: s.leave.set() if step.index == 7 else None)
    s.run()
    s.leave.clear()
    leaves = s.journal.on_step[0]
    s.begin()
    s.journal.on_step.append(leaves)
    assert s.run().state == COMPLETED
    assert (s.world.acts, s.world.lists["ab"], s.asked) == (["ab", "bc", "ca"] * 3 + ["ad"], [], [])


def test_a_list_whose_last_line_has_left_is_over_though_nothing_shows_where_it_was(stage: Any) -> None:
    s = listed(stage)
    s.world.lists = {"ab": FILES[:1]}

    def leave(step: Any) -> None:
        if step.edge_id == "bc":
            s.world.lists, s.world.unresolved["ab"] = {}, "not_found"

    s.journal.on_step.append(leave)
    assert s.run().state == COMPLETED
    assert (s.world.acts, s.asked) == (["ab", "bc", "ca", "ad"], [])


def test_lines_that_leave_and_lines_that_stay(stage: Any) -> None:
    """The second cannot be done to its end and stays: the third moves up to it only as far as the first left room."""
    s, done = listed(stage), list[str]()

    def leave(step: Any) -> None:
        if step.edge_id == "bc":
            line = s.row().steps.filter(edge_id="ab").last().suggestion["line"]
            done.append(s.world.lists["ab"][line - 1])
            if done[-1] != "two.txt":
                s.world.lists["ab"].remove(done[-1])

    s.journal.on_step.append(leave)
    assert s.run().state == COMPLETED
    assert (done, s.world.lists["ab"], s.asked) == (FILES, ["two.txt"], [])


def test_a_list_that_lines_leave_is_done_for_no_more_lines_than_it_may(stage: Any) -> None:
    edges = [of_list("ab", "a", "b", **each(most=2)), *ROUND[1:]]
    s = listed(stage, edges=edges)
    s.journal.on_step.append(lambda step: s.world.lists["ab"].pop(0) if step.edge_id == "bc" else None)
    s.run("reject", "reject")
    assert s.world.acts == ["ab", "bc", "ca"] * 2
    assert "more than the 2 lines" in str(s.asked[0].message)


@pytest.mark.parametrize("now", [["one.txt done", *FILES[1:]], [*FILES, "four.txt"]])
def test_what_was_done_may_look_otherwise_and_the_list_may_grow(stage: Any, now: list[str]) -> None:
    s = listed(stage)
    s.journal.on_step.append(lambda step: s.world.lists.update(ab=list(now)) if step.edge_id == "bc" else None)
    assert s.run().state == COMPLETED
    assert s.world.acts == ["ab", "bc", "ca"] * len(now) + [*END, "ad"]


UNKNOWN = "nobody can say whether line 2 follows"


def test_lines_that_are_not_kept_cannot_be_told_apart(stage: Any) -> None:
    """Line 1 goes away once it is done and another one comes at the end; of neither anything is kept."""
    s = listed(stage)
    s.journal.hidden._regions = ((0.0, 0.0, 1.0, 0.999),)
    now = [*FILES[1:], "four.txt"]
    s.journal.on_step.append(lambda step: s.world.lists.update(ab=now) if step.edge_id == "bc" else None)
    s.run("reject", "reject")
    assert s.world.acts == ["ab", "bc", "ca"]
    assert UNKNOWN in str(s.asked[0].message)


def test_lines_that_read_alike_cannot_be_told_apart(stage: Any) -> None:
    s = listed(stage)
    s.world.lists = {"ab": ["Martin"] * 3}
    s.run("reject", "reject")
    assert s.world.acts == ["ab", "bc", "ca"]
    assert UNKNOWN in str(s.asked[0].message)


def test_what_is_not_made_like_a_line_is_asked_about(stage: Any) -> None:
    """A button that stands below a list as if it were a line of it."""
    s = listed(stage)
    s.world.lists = {"ab": ["one.txt", "two.txt", "Delete all"]}
    s.world.below = "Delete all"
    s.run("reject", "accept")
    assert s.world.acts == [*ALL[:6], "ad"]
    assert "Line 3, “Delete all”, is not made like the line before it" in str(s.asked[0].message)


GROUP, FIELD = ElementRole.GROUP, ElementRole.FIELD


@pytest.mark.parametrize("roles", [(GROUP, FIELD, GROUP), (FIELD, FIELD, FIELD)])
def test_a_cell_that_looks_like_a_field_is_a_line_like_the_others(stage: Any, roles: tuple[ElementRole, ...]) -> None:
    """A row below one that is chosen has a frame around it."""
    s = listed(stage)
    s.world.cells = dict(zip(FILES, roles, strict=True))
    assert s.run().state == COMPLETED
    assert s.world.acts == ALL


@pytest.mark.parametrize("role", [FIELD, ElementRole.BUTTON])
def test_a_field_or_a_button_below_a_list_is_no_line_of_it(stage: Any, role: ElementRole) -> None:
    s = listed(stage)
    others = (GROUP, GROUP) if role is ElementRole.BUTTON else ()  # as wide as the lines above it, but a button
    s.world.cells = {**dict(zip(FILES, others, strict=False)), FILES[2]: role}
    s.run("reject", "accept")
    assert s.world.acts == [*ALL[:6], "ad"]
    assert "is not made like the line before it" in str(s.asked[0].message)


def test_a_list_that_changes_right_before_the_click_is_looked_at_anew(stage: Any) -> None:
    """Its line 2 is found on it once more, and is another one."""
    s = listed(stage)

    def goes(world: Any) -> None:
        if world.acts == ["ab", "bc", "ca"]:
            world.lists = {"ab": ["one.txt", "three.txt"]}

    s.world.on_glance = goes
    s.run("reject", "reject")
    assert s.world.acts == ["ab", "bc", "ca"]
    assert "line 2 was “two.txt” and is “three.txt” now" in str(s.asked[0].message)


def test_a_person_may_say_that_it_is_the_right_line_all_the_same(stage: Any) -> None:
    s = listed(stage)
    change = {1: ["one.txt", "three.txt"]}
    s.journal.on_step.append(
        lambda step: s.world.lists.update(ab=change.pop(1)) if step.edge_id == "bc" and change else None
    )
    assert s.run("accept").state == COMPLETED
    assert [prompt.kind for prompt in s.asked] == ["confirmation"]
    assert s.world.acts == ["ab", "bc", "ca"] * 2 + [*END, "ad"]


def test_more_lines_than_it_is_done_for_at_most_are_a_question(stage: Any) -> None:
    s = listed(stage, edges=[of_list("ab", "a", "b", **each(most=2)), *ROUND[1:]])
    s.run("reject", "accept")
    assert s.world.acts == [*ALL[:6], "ad"]
    assert "more than the 2 lines" in str(s.asked[0].message)


def test_a_skipped_line_is_left_out_and_the_next_one_follows(stage: Any) -> None:
    s = listed(stage, "coaching")
    answers = ["accept"] * 3 + ["skip"] + ["accept"] * 4
    assert s.run(*answers).state == COMPLETED
    assert s.world.acts == ALL[3:]
    lines = s.row().steps.filter(edge_id="ab").values_list("suggestion__line", "outcome")
    assert list(lines) == [(1, Outcome.SUCCEEDED), (2, Outcome.SKIPPED), (3, Outcome.SUCCEEDED)]


@pytest.mark.parametrize("kept", [2, 3, 9])
def test_a_loop_that_is_restarted_anywhere_does_each_line_once(stage: Any, kept: int) -> None:
    """S9.2"""
    s = listed(stage)
    s.journal.on_step.append(lambda step: s.leave.set() if step.index == kept else None)
    s.loop.run()
    s.leave.clear()
    if s.row().state != COMPLETED:
        s.begin()
        assert s.run().state == COMPLETED
    assert s.world.acts == ALL


UNFINISHED = "Line 1 of the list was begun and not finished"


def left_in_the_middle_of_line(s: Any, kept: int, at: str = "a") -> None:
    """Somebody pauses the run while its step `kept` is done, and leaves the screen `at` there."""
    asked = list[int]()

    def pauses(step: Any) -> None:
        if step.index == kept and not asked:
            asked.append(step.index)
            control.pause(execution_id=s.row().execution_id)

    s.journal.on_step.append(pauses)
    s.run()
    assert paused(s) == (PAUSED, PauseReason.ASKED)
    s.world.node = at


@pytest.mark.parametrize(("lines", "until"), [(FILES, []), (FILES[:1], []), (FILES[:1], ["one.txt"])])
def test_a_line_that_was_begun_and_left_is_not_left_out_in_silence(stage: Any, lines: list[str], until: Any) -> None:
    """S1.22: whoever had the desktop closed the record and left the list there; nobody has said that it is done."""
    s = listed(stage, edges=[of_list("ab", "a", "b", **each(until=until)), *ROUND[1:]])
    s.world.lists = {"ab": list(lines)}
    left_in_the_middle_of_line(s, 2)
    if until:
        s.world.texts = ("one.txt",)
    s.resume("reject", "reject")
    assert [act for act in s.world.acts if "scroll" not in act] == ["ab", "bc"]
    assert UNFINISHED in str(s.asked[0].message)


def test_a_line_that_was_left_may_be_said_to_be_done(stage: Any) -> None:
    s = listed(stage)
    left_in_the_middle_of_line(s, 2)
    assert s.resume("accept").state == COMPLETED
    assert [prompt.kind for prompt in s.asked] == ["confirmation"]
    assert s.world.acts == ["ab", "bc", *ALL[3:]]


def test_a_line_that_was_left_may_be_gone_on_with(stage: Any) -> None:
    s = listed(stage)
    left_in_the_middle_of_line(s, 2)
    assert s.resume({"choice": "reject", "node_id": "c"}).state == COMPLETED
    assert len(s.asked) == 1
    assert s.world.acts == ALL


@pytest.mark.parametrize("asked_before", [False, True])
def test_a_line_that_was_left_is_remembered_by_the_next_loop(stage: Any, asked_before: bool) -> None:
    """S9.2: whether the loop ends before the question or while it is open."""
    s = listed(stage)
    left_in_the_middle_of_line(s, 2)
    if asked_before:
        s.resume(lambda prompt: s.leave.set())
        s.leave.clear()
        s.begin()
        s.run("reject", "reject")
    else:
        s.leave.clear()
        s.begin()
        s.resume("reject", "reject")
    assert s.world.acts == ["ab", "bc"]
    assert UNFINISHED in str(s.asked[-2].message)


@pytest.mark.parametrize(("kept", "said"), [(3, {}), (9, {"node_id": "a"})])
def test_a_line_that_is_finished_is_not_asked_about(stage: Any, kept: int, said: dict[str, str]) -> None:
    s = listed(stage)
    left_in_the_middle_of_line(s, kept)
    assert s.resume(**said).state == COMPLETED
    assert not s.asked
    assert s.world.acts == ALL


def test_the_middle_of_a_line_that_was_left_as_it_was_is_gone_on_with(stage: Any) -> None:
    s = listed(stage)
    left_in_the_middle_of_line(s, 2, at="c")
    assert s.resume().state == COMPLETED
    assert not s.asked
    assert s.world.acts == ALL


def test_again_at_a_persons_word_is_the_same_line(stage: Any) -> None:
    """S9.3"""
    s = listed(stage)
    s.world.effects["ab"] = ["done", "unclear", "done", "done"]
    s.world.said = "The result is unknown."
    assert s.run("retry").state == COMPLETED
    assert [act for act in s.world.acts if act == "ab"] == ["ab"] * 4
    assert [step.suggestion["line"] for step in s.row().steps.filter(outcome="succeeded", edge_id="ab")] == [1, 2, 3]


def test_nothing_of_a_list_is_scrolled_by_a_run_that_watches(stage: Any) -> None:
    s = stage("observation", edges=ROUND, nodes=LINE)
    s.world.lists = {"ab": []}
    plan = ["a"] * 3 + ["d"]
    s.world.on_observe = lambda world: setattr(world, "node", plan.pop(0) if plan else "d")
    assert s.run().state == COMPLETED
    assert s.world.acts == []
    assert "ad" in in_words(s.row().steps.first().suggestion)["edge_id"]


def test_a_line_that_was_not_there_is_the_same_one_for_the_next_loop(stage: Any) -> None:
    """S9.2: whoever skips what is not there has said that the list is over, not that a line is done."""
    s = listed(stage)
    s.world.unresolved["ab"], s.world.lists = "not_found", {}
    s.run("skip", lambda prompt: s.leave.set())
    s.leave.clear()
    s.begin()
    s.run("reject", "reject")
    assert [step.suggestion["line"] for step in s.row().steps.filter(edge_id="ab")] == [1, 1]


def test_a_line_in_doubt_is_looked_at_as_that_line(stage: Any) -> None:
    """S9.2: what must be seen after it may say {{n}}."""
    s = listed(stage)

    def dies(act: str) -> None:
        if s.world.acts.count("ab") == 2:
            raise InterruptedError

    s.world.on_act = dies
    with pytest.raises(InterruptedError):
        s.run()
    lines = list[str | None]()
    s.world.on_act, s.world.variables = None, {}
    s.world.on_observe = lambda world: lines.append(world.variables.get("n"))
    s.begin()
    s.run("done")
    assert lines[0] == "2"
