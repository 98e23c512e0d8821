"""What a merge changes is shown in words and pictures before it is published (S6.4)."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from execution.actions.merging import merge, planned
from execution.models import LearnedCorrection
from execution.pages.merge_diff import Change, changes_of
from sentences.said import say
from tests.support.learned import other_keys, other_screen, shown, ward
from workflows.models import Node, WorkflowVersion

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_folder")]


@pytest.fixture
def version() -> WorkflowVersion:
    return ward()


def change(*rows: LearnedCorrection) -> Change:
    return changes_of(planned([row.pk for row in rows]))[0]


def told(side: Any) -> list[tuple[str, bool, bool]]:
    return [(line.text, line.differs, line.gone) for line in side.lines]


def test_of_a_target_both_looks_with_what_each_is_known_by(version: WorkflowVersion) -> None:
    row = shown(version, state="trusted")
    found = change(row)
    assert (found.says, found.where) == (
        "“Save” may look like this as well; “Keep” stands on it.",
        "On “Save dialog”: Click “Save”",
    )
    assert found.said == ["It has 1 look now, and one more from then on."]
    taught = version.spec().edge("click_save")
    assert taught is not None
    assert taught.target is not None
    assert [one.digest for one in found.before.crops] == [taught.target.picture]
    assert told(found.before) == [("Text “Save”", True, False), ("Picture", False, False)]
    assert [one.digest for one in found.after.crops] == [row.picture]
    assert told(found.after) == [
        ("Text “Keep”", True, False),
        ("Picture", False, False),
        ("Learned on a light screen of 1000 × 600", False, False),
    ]


def test_a_look_that_is_part_of_the_draft_by_now_stands_on_the_side_of_what_is(version: WorkflowVersion) -> None:
    first = shown(version, state="trusted")
    merge([first.pk])
    found = change(shown(version, "Store", seed=31, state="trusted", conditions={"theme": "dark", "size": [800, 600]}))
    assert found.said == ["It has 2 looks now, and one more from then on."]
    assert first.payload["target"]["context"] in [one.digest for one in found.before.crops]
    assert told(found.after)[-1][0] == "Learned on a dark screen of 800 × 600"


def test_of_a_value_what_is_done_and_what_is_done_then(version: WorkflowVersion) -> None:
    found = change(other_keys(version, state="trusted"))
    assert found.says == "At “Press ctrl+s”: Keys is “ctrl+shift+s” instead of “ctrl+s”."
    assert told(found.before) == [("Press ctrl+s", True, False), ("Keys: ctrl+s", True, False)]
    assert told(found.after) == [("Press ctrl+shift+s", True, False), ("Keys: ctrl+shift+s", True, False)]


def test_of_a_screen_its_pictures_and_what_it_is_not_known_by_any_more(version: WorkflowVersion) -> None:
    row = other_screen(version, state="trusted")
    found = change(row)
    node = version.spec().node("empty_note")
    assert node is not None
    assert [one.digest for one in found.before.crops] == [node.picture]
    assert [one.digest for one in found.after.crops] == [row.picture]
    assert [line for line in told(found.before) if line[1]] == [("Text “View”", True, False)]
    assert [line for line in told(found.after) if line[2]] == [("Text “View”", False, True)]


def test_it_is_the_draft_that_is_shown(version: WorkflowVersion) -> None:
    """The name of a screen was changed since, which is in no version yet."""
    Node.objects.filter(workflow=version.workflow, node_id="save_dialog").update(name="Keep it where?")
    assert change(shown(version, state="trusted")).where == "On “Keep it where?”: Click “Save”"


def test_what_it_is_trusted_in_spite_of_is_said(version: WorkflowVersion) -> None:
    broken = [{"run": "r", "step": 1, "about": "place", "verdict": "wrong", "picture": ""}]
    row = shown(version, state="trusted", breaks=broken, why=say("corrections.because", reason="the wards agreed"))
    assert change(row).said[-1] == "It is trusted although it would change 1 answer that was right. “the wards agreed”"


def test_the_page_shows_both_sides_of_each(client: Client, designer: Any, version: WorkflowVersion) -> None:
    rows = [
        shown(version, state="trusted"),
        other_keys(version, state="trusted"),
        other_screen(version, state="trusted"),
    ]
    client.force_login(designer)
    asked = "&".join(f"c={row.pk}" for row in rows)
    page = client.get(f"/learning/corrections/merge?{asked}").content.decode()
    assert page.count('<div class="diff-side">') == 6
    for row in (rows[0], rows[2]):
        assert f"/pictures/{row.picture}/part" in page or row.picture in page
    assert "<del>Text “View”</del>" in page
