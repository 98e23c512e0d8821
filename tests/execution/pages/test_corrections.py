"""The cards of corrections: what each says, how it did, what may be decided of it; fast with many (S6.4)."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from execution.models import CorrectionUse, LearnedCorrection
from execution.pages.crops import crop
from tests.execution.actions.test_corrections_decided import BROKEN, HERE, THERE, look
from tests.factories import make_picture, make_published
from tests.support.learned import run_of
from workflows.actions.publish import publish
from workflows.models import Target

pytestmark = pytest.mark.django_db


@pytest.fixture
def shown(own_folder: Any) -> LearnedCorrection:
    """One that was learned of a step with a picture."""
    version = make_published()
    run = run_of(version)
    step = run.steps.get(edge_id="click_save")
    step.picture_before = make_picture(width=1200, height=700, seed=3).digest
    step.suggestion = {"box": THERE}
    step.save()
    picture = make_picture(width=1200, height=700, seed=4).digest
    fields = {"execution_id": run.execution_id, "step": step.index, "learned_by_name": "<i>zoe</i>"}
    return look(version, picture=picture, **fields)


def test_a_card_says_what_it_is_from_where_and_how_it_did(client: Client, viewer: Any, shown: Any) -> None:
    client.force_login(viewer)
    run = run_of(shown.pack.workflow.versions.get())
    for step, outcome in zip(run.steps.order_by("index"), ("right", "right", "wrong"), strict=False):
        CorrectionUse.objects.create(correction=shown, step=step, part="place", acted=True, outcome=outcome)
    CorrectionUse.objects.create(
        correction=shown, step=run_of(run.version).steps.first(), part="place", ordered=True, outcome="wrong"
    )
    page = client.get("/learning/corrections").content.decode()
    for said in (
        "“Save” may look like this as well; “Keep” stands on it.", "&lt;i&gt;zoe&lt;/i&gt;", "Used 3 times since",
        f'href="/learning/corrections/{shown.pk}?outcome=right#uses">2 right', "?outcome=wrong#uses\">1 wrong",
        f"/runs/{shown.execution_id}/steps/{shown.step}", "Seen, and what was suggested", "Chosen by the coach",
    ):  # fmt: skip
        assert said in page, said
    assert page.count("<rect ") == 2
    right = client.get(f"/learning/corrections/{shown.pk}?outcome=right")
    assert [use.outcome for use in right.context["page"]] == ["right", "right"]
    for use in right.context["page"]:
        assert f"/runs/{run.execution_id}/steps/{use.step.index}" in right.content.decode()


def test_a_card_says_on_what_screens_it_is_trusted_and_why_no_run_goes_by_it(client, designer, shown) -> None:
    client.force_login(designer)
    light, dark = ({"theme": theme, "size": [1000, 600]} for theme in ("light", "dark"))
    proved = [{**dark, "runs": 1, "trusted": False}, {**light, "runs": 4, "trusted": True}]
    LearnedCorrection.objects.update(proved=proved, state="trusted")
    page = client.get("/learning/corrections").content.decode()
    assert (
        "Trusted on a light screen of 1000 × 600. On trial on a dark screen of 1000 × 600 (right in 1 of 2 runs). "
        "On a screen of another theme or size it is on trial."
    ) in page
    assert 'name="c"' in page
    Target.objects.filter(workflow=shown.pack.workflow, target_id="save_button").update(text="Archive")
    publish(workflow=shown.pack.workflow, user=None)
    page = client.get("/learning/corrections").content.decode()
    assert "That was taught anew since: runs of version 2 do not go by it." in page
    assert 'name="c"' not in page, "it can be no part of the next version either"
    LearnedCorrection.objects.update(taught_as="")
    assert "Nobody knows any more how that was taught then" in client.get("/learning/corrections").content.decode()


def test_those_who_look_are_offered_nothing_and_change_nothing(client: Client, operator: Any, shown: Any) -> None:
    client.force_login(operator)
    page = client.get("/learning/corrections").content.decode()
    assert "Switch it off" not in page
    answer = client.post(f"/learning/corrections/{shown.pk}/rule", {"state": "off", "was": "on_trial"})
    assert answer.status_code == 403
    shown.refresh_from_db()
    assert shown.state == "on_trial"


def test_a_designer_decides_and_comes_back_to_where_he_was(client: Client, designer: Any, shown: Any) -> None:
    client.force_login(designer)
    page = client.get("/learning/corrections?state=on_trial")
    assert "Switch it off" in page.content.decode()
    said = {"state": "off", "was": "on_trial", "back": page.context["here"]}
    answer = client.post(f"/learning/corrections/{shown.pk}/rule", said, follow=True)
    assert answer.redirect_chain == [("/learning/corrections?state=on_trial", 302)]
    assert answer.context["cards"] == []
    again = client.post(f"/learning/corrections/{shown.pk}/rule", {**said, "back": "//else.where/"}, follow=True)
    assert answer.wsgi_request.get_host() == "testserver"
    assert again.redirect_chain == [("/learning/corrections", 302)]
    assert "look again" in again.content.decode()


def test_what_would_break_is_shown_as_a_pair_and_trusting_it_asks_why(client, designer, shown) -> None:
    client.force_login(designer)
    broken = [{**BROKEN[0], "picture": shown.picture}]
    LearnedCorrection.objects.filter(pk=shown.pk).update(breaks=broken, checked_on=7, state="needs_person")
    page = client.get("/learning/corrections").content.decode()
    for said in ("Tried on 7 stored pictures: it would break 1 answer.", "Right before", "Trust it in spite of that"):
        assert said in page
    answer = client.post(f"/learning/corrections/{shown.pk}/rule", {"state": "trusted", "was": "needs_person"})
    shown.refresh_from_db()
    assert (answer.status_code, shown.state) == (302, "needs_person")


def test_two_that_contradict_each_other_stand_side_by_side(client: Client, designer: Any, shown: Any) -> None:
    client.force_login(designer)
    other = look(shown.pack.workflow.versions.get(), THERE)
    page = client.get("/learning/corrections").content.decode()
    assert f"Correction {other.pk} contradicts it." in page
    client.post(f"/learning/corrections/{other.pk}/choose", {"was": "on_trial"})
    shown.refresh_from_db()
    assert shown.state == "off"
    assert "contradicts it" not in client.get("/learning/corrections").content.decode()


def test_a_crop_is_around_the_place_and_inside_the_picture(own_folder: Any) -> None:
    digest = make_picture(seed=5).digest
    found = crop(digest, [0.9, 0.95, 0.1, 0.05])
    assert found is not None
    assert found.part == "0.70000,0.80000,0.30000,0.20000"
    assert found.rect == ("66.67", "75.00", "33.33", "25.00")
    assert crop("") is None
    gone = crop("0" * 64, HERE)
    assert gone is not None
    assert gone.digest == ""
    whole = crop(digest, "nonsense")
    assert whole is not None
    assert (whole.part, whole.rect) == ("", None)
