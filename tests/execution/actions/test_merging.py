"""Corrections become part of a new version, and are laid over no more; refused, nothing has changed (S6.4, S6.17)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import PermissionDenied
from django.test import Client

from audit.models import Entry
from execution.actions.merging import merge, planned
from execution.exceptions import BadDecision
from execution.learning.overlay import overlaid
from execution.models import LearnedCorrection
from execution.record.corrections import as_taught, in_force
from tests.execution.actions.test_corrections_decided import THERE, look
from tests.factories import make_picture, make_published
from tests.support.learned import other_keys, other_screen, shown, ward
from workflows.actions.publish import publish
from workflows.bundle import export_bundle, import_bundle
from workflows.exceptions import InvalidWorkflow
from workflows.models import Edge, Node, Picture, Target, WorkflowVersion
from workflows.pictures import PictureStore
from workflows.specs import graph_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def version(own_folder: Any) -> WorkflowVersion:
    return make_published()


def three(version: WorkflowVersion) -> list[LearnedCorrection]:
    """A look of a target, another value, a look of a screen; all trusted."""
    picture = make_picture(seed=9)
    target = {"target_id": "save_button", "label": "Save", "text": "Keep", "picture": picture.digest}
    typed = version.spec().edge("type_note") or next(e for e in version.spec().edges if e.params)
    name, value = next(iter(typed.params.items()))
    node = next(n for n in version.spec().nodes if n.texts)
    trusted: dict[str, Any] = {"state": "trusted"}
    screen = {"picture": make_picture(seed=10).digest, "gone": []}
    return [
        look(version, payload={"target": target}, **trusted),
        look(version, kind="params", edge_id=typed.edge_id, of={name: value}, payload={"params": {name: "other"}},
             **trusted),
        look(version, kind="node", edge_id="", node_id=node.node_id, of=node.node_id, payload=screen, **trusted),
    ]  # fmt: skip


def test_the_new_version_is_what_runs_went_by_with_them_laid_over(version: WorkflowVersion, designer: Any) -> None:
    rows = three(version)
    Picture.objects.filter(digest=rows[0].payload["target"]["picture"]).delete()  # a run's own picture has no row
    before = overlaid(version.spec(), [as_taught(row) for row in rows]).graph
    made = merge([row.pk for row in rows], user=designer, note="after the update")
    assert made.number == 2
    assert (made.spec().edges, made.spec().nodes) == (before.edges, before.nodes)
    assert in_force(version.workflow.workflow_id) == ()
    for row in rows:
        row.refresh_from_db()
        assert (row.state, row.changed_by) == ("merged", "designer")
    assert set(made.spec().pictures()) <= set(Picture.objects.values_list("digest", flat=True))
    told = Entry.objects.filter(kind="correction").values_list("who", "detail__now", "detail__version")
    assert list(told) == [("designer", "merged", 2)] * 3
    assert Entry.objects.filter(verb="publish", who="designer").count() == 1


def test_the_file_of_the_workflow_takes_them_along(own_folder: Any, settings: Any, tmp_path: Path) -> None:
    """S6.4: what is part of a version goes to other installations with it; what is not stays, whatever it proved."""
    version, trusted = ward(), {"state": "trusted"}
    rows = [shown(version, **trusted), other_keys(version, **trusted), other_screen(version, **trusted)]
    shown(version, "Store", seed=31, box=list(THERE), **trusted)
    made = merge([row.pk for row in rows]).spec()
    data = export_bundle(version.workflow)
    settings.DATA_DIR = tmp_path / "another machine"

    there = publish(workflow=import_bundle(data, user=None, workflow_id="wf_there"), user=None).spec()

    assert (there.edges, there.nodes) == (made.edges, made.nodes)
    save, node = there.edge("click_save"), there.node("empty_note")
    assert save is not None
    assert save.target is not None
    assert [look.text for look in save.target.also] == ["Keep"]
    assert node is not None
    assert rows[2].picture in node.looks
    assert all(PictureStore().get(digest).size for digest in there.pictures())
    assert in_force("wf_there") == ()


def test_where_publishing_is_refused_nothing_has_changed(version: WorkflowVersion, designer: Any) -> None:
    rows = three(version)
    Node.objects.filter(workflow=version.workflow).update(is_entry=False)
    before = graph_of(version.workflow)
    with pytest.raises(InvalidWorkflow):
        merge([row.pk for row in rows], user=designer)
    assert graph_of(version.workflow) == before
    assert version.workflow.versions.count() == 1
    assert set(LearnedCorrection.objects.values_list("state", flat=True)) == {"trusted"}
    assert not Entry.objects.filter(kind="correction").exists()


def test_what_does_not_go_together_or_into_the_draft_is_refused(version: WorkflowVersion) -> None:
    one = look(version, state="trusted")
    for numbers, why in (
        ([], "Choose"),
        ([one.pk, 10**6], "Choose"),
        ([one.pk, look(make_published(), state="trusted").pk], "several"),
        ([one.pk, look(version).pk], "not trusted"),
        ([one.pk, look(version, THERE, state="trusted").pk], "contradict"),
        ([look(version, of="taught_before", state="trusted").pk], "taught anew"),
    ):
        with pytest.raises(BadDecision, match=why):
            planned(numbers)


def test_what_else_the_draft_holds_is_said_before(version: WorkflowVersion, designer: Any, client: Client) -> None:
    row = three(version)[0]
    assert not planned([row.pk]).open_changes
    client.force_login(designer)
    assert "in no version yet" not in client.get(f"/learning/corrections/merge?c={row.pk}").content.decode()
    Edge.objects.filter(workflow=version.workflow, edge_id="click_save").update(retries=7)
    assert planned([row.pk]).open_changes
    page = client.get(f"/learning/corrections/merge?c={row.pk}").content.decode()
    assert "in no version yet" in page
    assert "And like this as well" in page
    answer = client.post("/learning/corrections/merge", {"c": [row.pk], "note": "x"})
    assert answer.headers["Location"] == f"/workflows/{version.workflow.workflow_id}"
    assert version.workflow.versions.count() == 2


def test_who_may_not_publish_merges_nothing(version: WorkflowVersion, operator: Any) -> None:
    with pytest.raises(PermissionDenied):
        merge([look(version, state="trusted").pk], user=operator)


def test_what_else_was_learned_of_a_screen_is_still_of_it(version: WorkflowVersion, designer: Any) -> None:
    """A look that is part of a version takes texts from what its screen is known by; the screen is no other one."""
    *_rest, first = three(version)
    node = version.spec().node(first.node_id)
    assert node is not None
    first.payload = {**first.payload, "gone": [node.texts[0]]}
    first.save()
    other = look(version, kind="node", edge_id="", node_id=node.node_id, of=node.node_id,
                 payload={"picture": make_picture(seed=11).digest, "gone": []})  # fmt: skip
    old = look(version, kind="node", edge_id="", node_id=node.node_id, of=node.node_id, taught_as="else",
               payload={"picture": make_picture(seed=12).digest, "gone": []})  # fmt: skip
    made = merge([first.pk], user=designer)
    other.refresh_from_db()
    assert set(overlaid(made.spec(), [as_taught(other), as_taught(old)]).taught) == {other.key}
    assert set(overlaid(version.spec(), [as_taught(other)]).taught) == set()


def test_what_was_taught_anew_since_is_refused(version: WorkflowVersion, designer: Any) -> None:
    row = three(version)[0]
    Target.objects.filter(workflow=version.workflow, target_id="save_button").update(text="Archive")
    with pytest.raises(BadDecision, match="taught anew since"):
        merge([row.pk], user=designer)


def test_a_look_that_another_installation_has_learned_is_another_one(version: WorkflowVersion, designer: Any) -> None:
    """A workflow comes with looks that were merged elsewhere, under the numbers of there."""
    row = three(version)[0]
    target = Target.objects.get(workflow=version.workflow, target_id="save_button")
    there = {"target_id": f"learned-{row.pk}", "label": "Save", "text": "Store"}
    target.evidence = {**target.evidence, "also": [there]}
    target.save()
    publish(workflow=version.workflow, user=None)
    edge = merge([row.pk], user=designer).spec().edge("click_save")
    assert edge is not None
    assert edge.target is not None
    assert [look.text for look in edge.target.also] == ["Store", "Keep"]
    assert len({look.target_id for look in edge.target.also}) == 2
