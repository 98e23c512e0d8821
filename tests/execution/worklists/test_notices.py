"""Who is told what, and when: at most one message for one thing (S12.10)."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.utils import translation
from hypothesis import given
from hypothesis import strategies as st

from execution.choices import About
from execution.worklists.notices import (
    BACKOFF,
    GIVEN_UP_AFTER,
    Event,
    Message,
    Rule,
    Step,
    body,
    messages,
    next_try,
    subject,
)
from sentences.said import say

PARIS = ZoneInfo("Europe/Paris")
RULE = Rule(abouts=frozenset(About), channel="team", zone="Europe/Paris")


def paris(day: int, hour: int, minute: int = 0) -> datetime:
    return datetime(2026, 6, day, hour, minute, tzinfo=PARIS).astimezone(UTC)


NEEDED = Event(
    key="row:7:12", about=About.PERSON_NEEDED, list_id="7", list_name="Letters", workflow_id="wf", at=paris(5, 3),
    link="https://example.org/lists/7/", rows=(12,),
)  # fmt: skip
FINISHED = replace(NEEDED, key="list:7:end", about=About.FINISHED, rows=(), at=paris(5, 5))


def told(rules: list[Rule], events: list[Event], now: datetime, *before: str) -> list[tuple[str, str, list[str]]]:
    return [
        (one.channel, str(one.step), [event.key for event in one.events])
        for one in messages(rules, events, set(before), now)
    ]


def test_what_happened_is_told_once() -> None:
    assert told([RULE], [NEEDED], paris(5, 3)) == [("team", "first", ["row:7:12"])]
    (message,) = messages([RULE], [NEEDED], (), paris(5, 3))
    assert told([RULE], [NEEDED], paris(5, 4), *message.marks) == []


def test_two_rules_of_one_channel_tell_a_thing_once() -> None:
    both = [RULE, replace(RULE, lists=frozenset({"7"})), replace(RULE, channel="boss")]

    assert told(both, [NEEDED], paris(5, 3)) == [("team", "first", ["row:7:12"]), ("boss", "first", ["row:7:12"])]


@pytest.mark.parametrize(
    ("changes", "is_told"),
    [
        ({}, True),
        ({"abouts": frozenset({About.FINISHED})}, False),
        ({"lists": frozenset({"7"})}, True),
        ({"lists": frozenset({"8"})}, False),
        ({"workflows": frozenset({"wf"})}, True),
        ({"workflows": frozenset({"other"})}, False),
    ],
)
def test_a_rule_is_about_its_kinds_lists_and_workflows(changes: dict[str, Any], is_told: bool) -> None:
    assert bool(told([replace(RULE, **changes)], [NEEDED], paris(5, 3))) is is_told


def test_in_quiet_hours_nothing_comes_and_all_of_it_at_their_end() -> None:
    quiet = replace(RULE, quiet_from=time(22), quiet_until=time(6, 30))

    assert told([quiet], [NEEDED, FINISHED], paris(5, 6)) == []
    assert told([quiet], [NEEDED, FINISHED], paris(5, 6, 30)) == [("team", "first", ["row:7:12", "list:7:end"])]
    by_day = replace(NEEDED, at=paris(5, 12))
    assert told([quiet], [by_day], paris(5, 12)) == [("team", "first", ["row:7:12"])]
    assert told([replace(RULE, quiet_from=time(2), quiet_until=time(4))], [NEEDED], paris(5, 3, 59)) == []


def test_a_digest_comes_once_a_day() -> None:
    digest = replace(RULE, digest_at=time(7))
    events = [NEEDED, FINISHED, replace(FINISHED, key="list:8:end", at=paris(5, 9))]

    assert told([digest], events, paris(5, 6, 59)) == []
    assert told([digest], events, paris(5, 7)) == [("team", "first", ["row:7:12", "list:7:end"])]
    assert told([digest], events, paris(6, 7)) == [
        ("team", "first", ["row:7:12", "list:7:end"]),
        ("team", "first", ["list:8:end"]),
    ]


def test_without_an_answer_others_are_told_once() -> None:
    rule = replace(RULE, escalate_after=timedelta(minutes=30), escalate_to="boss")

    assert told([rule], [NEEDED], paris(5, 3, 29)) == [("team", "first", ["row:7:12"])]
    late = told([rule], [NEEDED], paris(5, 3, 30))
    assert late[1:] == [("boss", "escalation", ["row:7:12"])]
    marks = [mark for message in messages([rule], [NEEDED], (), paris(5, 3, 30)) for mark in message.marks]
    assert told([rule], [NEEDED], paris(5, 9), *marks) == []
    answered = replace(NEEDED, answered_at=paris(5, 3, 20))
    assert told([rule], [answered], paris(5, 3, 30)) == [("team", "first", ["row:7:12"])]
    assert len(told([rule], [replace(FINISHED, at=paris(5, 3))], paris(5, 9))) == 1


def test_after_quiet_hours_an_escalation_counts_from_the_message() -> None:
    rule = replace(
        RULE, quiet_from=time(22), quiet_until=time(6), escalate_after=timedelta(minutes=30), escalate_to="boss"
    )

    assert told([rule], [NEEDED], paris(5, 6, 29)) == [("team", "first", ["row:7:12"])]
    assert told([rule], [NEEDED], paris(5, 6, 30))[1:] == [("boss", "escalation", ["row:7:12"])]


def test_what_was_answered_before_the_message_is_not_told() -> None:
    quiet = replace(RULE, quiet_from=time(22), quiet_until=time(6))

    assert told([quiet], [replace(NEEDED, answered_at=paris(5, 4))], paris(5, 7)) == []


@given(
    st.lists(st.integers(1, 120), min_size=1, max_size=20),
    st.sets(st.sampled_from(list(About)), min_size=1),
    st.booleans(),
    st.booleans(),
)
def test_however_often_the_clock_looks_nobody_is_told_twice(minutes, abouts, is_quiet, is_digest) -> None:
    rule = replace(
        RULE,
        abouts=frozenset(abouts),
        quiet_from=time(22) if is_quiet else None,
        quiet_until=time(6),
        digest_at=time(7) if is_digest else None,
        escalate_after=timedelta(minutes=30),
        escalate_to="boss",
    )
    events = [replace(NEEDED, key=f"{about}", about=about) for about in About]
    marks: list[str] = []
    now = paris(5, 2)
    for step in [*minutes, 60 * 24]:
        now += timedelta(minutes=step)
        marks += [mark for message in messages([rule, rule], events, set(marks), now) for mark in message.marks]

    assert len(set(marks)) == len(marks)
    assert len([mark for mark in marks if mark.startswith("team|first|")]) == len(abouts)


# --- words ---------------------------------------------------------------------------------------------------------
def message(*events: Event, **more: Any) -> Message:
    return Message(channel="team", step=more.pop("step", Step.FIRST), events=events, **more)


def test_a_message_says_what_happened_which_rows_and_where_to_look() -> None:
    assert subject(message(NEEDED)) == "The list “Letters” needs a person."
    assert body(message(NEEDED)) == ("The list “Letters” needs a person. Row 12.\n\nhttps://example.org/lists/7/")
    assert subject(message(NEEDED, step=Step.ESCALATION)).startswith("Not answered yet: ")
    assert subject(message(NEEDED, FINISHED)) == "2 messages about lists"
    assert body(message(NEEDED, FINISHED)).count("\n") == 3
    many = body(message(*[replace(NEEDED, key=str(number)) for number in range(25)]))
    assert "And 5 more." in many
    with translation.override("fr"):
        assert subject(message(NEEDED)) == "La liste «\u00a0Letters\u00a0» a besoin d’une personne."


@pytest.mark.security
def test_no_value_of_a_row_is_in_a_message_unless_an_admin_allows_it() -> None:
    said = replace(NEEDED, reason=say("intake.reference_in_list", reference="0012345"), values="Durand, 0012345")
    free = replace(said, reason="Durand was not found")

    for one in (said, free):
        assert "0012345" not in subject(message(one)) + body(message(one))
        assert "Durand" not in body(message(one))
    assert "The list has a row" in body(message(said))
    allowed = body(message(said, with_values=True)) + body(message(free, with_values=True))
    assert "“0012345”" in allowed
    assert "Durand was not found" in allowed


def test_a_message_that_failed_is_tried_again_ever_later_and_given_up_after_a_day() -> None:
    first = now = paris(5, 3)
    waits = []
    for tries in range(1, 100):
        again = next_try(tries, first, now)
        if again is None:
            break
        waits.append((again - now) // timedelta(minutes=1))
        now = again

    assert waits[: len(BACKOFF)] == list(BACKOFF)
    assert waits == sorted(waits)
    assert now - first <= GIVEN_UP_AFTER
    assert len(waits) < 30
