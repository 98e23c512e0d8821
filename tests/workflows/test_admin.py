"""Editing in depth: forms, checked JSON, pictures, problems in words, publishing (S8.4)."""

from __future__ import annotations

import io
import json
from typing import Any

import numpy as np
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.forms.models import model_to_dict
from django.urls import reverse
from PIL import Image

from tests.factories import EDGES, NODES, make_picture, make_published, make_user, make_workflow
from workflows.admin.forms import EdgeForm, NodeForm, TargetForm, WorkflowForm
from workflows.links import with_back
from workflows.models import Correction, Edge, Node, Picture, Target, Workflow
from workflows.pictures import PictureStore
from workflows.specs import graph_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def as_designer(client):
    client.force_login(make_user("designer"))
    return client


def change_url(row: Any) -> str:
    return reverse(f"admin:workflows_{row._meta.model_name}_change", args=[row.pk])


def fields_of(response: Any) -> dict[str, Any]:
    """What the browser would post back unchanged."""
    form = response.context["adminform"].form
    values = {}
    for bound in form:
        value = bound.value()
        if value is None or value is False or bound.field.widget.needs_multipart_form:
            continue
        values[bound.html_name] = "on" if value is True else value
    return values


def png(width: int = 20, height: int = 10) -> bytes:
    file = io.BytesIO()
    Image.fromarray(np.random.default_rng(7).integers(0, 255, (height, width, 3), dtype=np.uint8)).save(file, "PNG")
    return file.getvalue()


def save(client, row: Any, **changes: Any):
    """Open the page of a row, change some fields, save."""
    url = change_url(row)
    data = {**fields_of(client.get(url)), **changes}
    return client.post(url, {name: value for name, value in data.items() if value is not None})


# --- Who -------------------------------------------------------------------------------------------------------------
@pytest.mark.security
@pytest.mark.parametrize("model", ["workflowversion", "correction", "picture"])
def test_what_machines_and_publishing_made_is_read_only(as_designer, model) -> None:
    """S8.4"""
    version = make_published()
    correction = Correction.objects.create(
        workflow=version.workflow, version_number=1, execution_id="e", step=1, node_id="n", edge_id="x"
    )
    row = {"workflowversion": version, "correction": correction, "picture": make_picture()}[model]

    assert as_designer.get(reverse(f"admin:workflows_{model}_changelist")).status_code == 200
    page = as_designer.get(change_url(row))
    assert page.status_code == 200
    assert b'name="_save"' not in page.content
    assert as_designer.post(change_url(row), {}).status_code == 403
    assert as_designer.get(reverse(f"admin:workflows_{model}_add")).status_code == 403
    assert (
        as_designer.post(reverse(f"admin:workflows_{model}_delete", args=[row.pk]), {"post": "yes"}).status_code == 403
    )


# --- The workflow's page ---------------------------------------------------------------------------------------------
def test_every_list_and_page_opens(as_designer) -> None:
    workflow = make_workflow()
    rows = [
        workflow,
        *workflow.nodes.all()[:1],
        *workflow.edges.all(),
        *workflow.targets.all(),
        *workflow.variables.all(),
    ]

    for row in rows:
        assert as_designer.get(change_url(row)).status_code == 200
        name = row._meta.model_name
        assert as_designer.get(reverse(f"admin:workflows_{name}_changelist"), {"q": "a"}).status_code == 200
        assert as_designer.get(reverse(f"admin:workflows_{name}_add"), {"workflow": workflow.pk}).status_code == 200


def test_the_id_of_what_was_published_stays(as_designer) -> None:
    """S1.4: people and scripts know a workflow by its id."""
    version = make_published()

    form = as_designer.get(change_url(version.workflow)).context["adminform"].form

    assert "workflow_id" not in form.fields


def test_a_new_workflow_can_be_made(as_designer) -> None:
    url = reverse("admin:workflows_workflow_add")
    management = {f"variables-{k}": v for k, v in (("TOTAL_FORMS", 0), ("INITIAL_FORMS", 0))}

    as_designer.post(
        url,
        {"workflow_id": "wf_new", "name": "New", "learning_state": "OBSERVATION", "priority": "1", **management},
    )

    assert Workflow.objects.get(workflow_id="wf_new").name == "New"


# --- Screens ---------------------------------------------------------------------------------------------------------
def test_texts_are_edited_one_a_line(as_designer) -> None:
    node = make_workflow().nodes.get(node_id="empty_note")
    assert ">\nFile\nEdit\nView</textarea>" in as_designer.get(change_url(node)).content.decode()

    save(as_designer, node, texts="File\r\n\r\n  Tools  \r\n{{patient}}", absent="Error")

    node.refresh_from_db()
    assert node.texts == ["File", "Tools", "{{patient}}"]
    assert node.absent == ["Error"]


def test_an_uploaded_picture_is_stored_once_and_shown(as_designer) -> None:
    one, node = make_workflow().nodes.all()[:2]

    for row in (one, node):
        response = save(as_designer, row, new_picture=SimpleUploadedFile("screen.png", png(), "image/png"))
        assert response.status_code == 302

    assert Picture.objects.count() == 1
    node.refresh_from_db()
    assert (node.reference.width, node.reference.height) == (20, 10)
    assert PictureStore().get(node.reference.digest).shape == (10, 20, 3)
    assert node.reference.digest in as_designer.get(change_url(node)).content.decode()


def test_a_picture_can_be_taken_away(as_designer) -> None:
    node = make_workflow(nodes=({**NODES[0], "picture": make_picture().digest}, *NODES[1:])).nodes.first()

    save(as_designer, node, remove_reference="on")

    node.refresh_from_db()
    assert node.reference is None


def test_a_picture_that_is_refused_is_refused_at_its_field(as_designer) -> None:
    node = make_workflow().nodes.first()

    response = save(as_designer, node, new_picture=SimpleUploadedFile("screen.png", b"no picture at all"))

    assert response.status_code == 200
    (error,) = response.context["adminform"].form.errors["new_picture"]
    assert "no picture that can be read" in error
    assert not Picture.objects.exists()


def test_saving_without_touching_anything_changes_nothing(as_designer) -> None:
    target = {**EDGES[2]["target"], "picture": make_picture().digest, "evidence": {"box": [0.1, 0.1, 0.2, 0.2]}}
    workflow = make_workflow(
        nodes=({**NODES[0], "picture": make_picture().digest}, *NODES[1:]),
        edges=(*EDGES[:2], {**EDGES[2], "target": target}),
    )
    before = graph_of(workflow)

    for row in (*workflow.nodes.all(), *workflow.edges.all(), *workflow.targets.all()):
        assert save(as_designer, row).status_code == 302

    assert graph_of(workflow) == before


# --- Actions ---------------------------------------------------------------------------------------------------------
PARTS = {
    "params": {"text": " Dear {{patient}},\n", "clear": True},
    "before": {"texts": ["Ready", "Save"], "gone": ["Busy"]},
    "identity": [{"label": "Patient", "value": "{{patient}}"}, {"value": "Room 10:30"}],
    "expect": {"texts": ["Dear"], "window_title": "*Untitled*"},
    "condition": [{"value": "patient", "test": "not_empty", "to": []}],
}


def test_the_parts_of_an_action_are_edited_as_readable_json(as_designer) -> None:
    edge = make_workflow().edges.get(edge_id="type_patient")
    assert save(as_designer, edge, **{name: json.dumps(part) for name, part in PARTS.items()}).status_code == 302
    edge.refresh_from_db()
    assert {name: getattr(edge, name) for name in PARTS} == PARTS
    page = as_designer.get(change_url(edge))
    assert json.loads(fields_of(page)["identity"]) == PARTS["identity"]
    assert "press_keys: keys" in page.content.decode()
    assert f"/teach/new?workflow={edge.workflow.workflow_id}" in page.content.decode()

    assert save(as_designer, edge, **dict.fromkeys(PARTS, "")).status_code == 302
    edge.refresh_from_db()
    assert {name: getattr(edge, name) for name in PARTS} == {name: type(part)() for name, part in PARTS.items()}


def test_only_screens_and_targets_of_the_same_workflow_are_offered(as_designer) -> None:
    workflow, other = make_workflow(), make_workflow()

    form = EdgeForm(instance=workflow.edges.first())
    fresh = EdgeForm(initial={"workflow": workflow.pk})

    for shown in (form, fresh):
        assert set(shown.fields["source"].queryset) == set(workflow.nodes.all())
        assert set(shown.fields["target"].queryset) == set(workflow.targets.all())
    assert not set(form.fields["source"].queryset) & set(other.nodes.all())


def test_a_new_action_is_made_between_two_screens(as_designer) -> None:
    workflow = make_workflow()
    data = fields_of(as_designer.get(reverse("admin:workflows_edge_add"), {"workflow": workflow.pk}))
    first, last = workflow.nodes.get(node_id="empty_note"), workflow.nodes.get(node_id="saved")

    response = as_designer.post(
        reverse("admin:workflows_edge_add"),
        {**data, "edge_id": "shortcut", "source": first.pk, "destination": last.pk, "action_type": "wait"},
    )

    assert response.status_code == 302
    assert Edge.objects.get(edge_id="shortcut").destination == last


def test_an_action_cannot_lead_into_another_workflow(as_designer) -> None:
    edge = make_workflow().edges.first()
    stranger = make_workflow().nodes.first()

    response = save(as_designer, edge, destination=stranger.pk)

    assert "destination" in response.context["adminform"].form.errors


# --- Targets ---------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("form", "row"), [(NodeForm, Node), (TargetForm, Target)])
def test_a_form_never_lets_a_picture_be_named_by_hand(form, row) -> None:
    """A picture comes in by upload alone, where it is checked."""
    assert not {"reference", "picture", "context"} & set(form.base_fields)
    assert form._meta.model is row


# --- Dialogs, rows ----------------------------------------------------------------------------------------------------
NO_INLINES = {
    f"{name}-{count}_FORMS": "0"
    for name in ("nodes", "edges", "targets", "variables", "needs", "versions")
    for count in ("TOTAL", "INITIAL")
}


def test_dialogs_are_edited_as_readable_json(as_designer) -> None:
    workflow = make_workflow()
    kept = [{"name": "Mise à jour", "texts": ["Redémarrer"], "click": "Plus tard"}]
    assert save(as_designer, workflow, popups=json.dumps(kept), **NO_INLINES).status_code == 302
    workflow.refresh_from_db()
    assert workflow.popups == kept
    shown = fields_of(as_designer.get(change_url(workflow)))["popups"]
    assert "Redémarrer" in shown
    assert shown.count("\n") > 4
    assert save(as_designer, workflow, popups="", **NO_INLINES).status_code == 302
    workflow.refresh_from_db()
    assert workflow.popups == []


def test_the_texts_of_a_targets_row_are_edited_one_a_line(as_designer) -> None:
    target = make_workflow().targets.get()
    target.evidence = {"number": 2, "alike": 3}
    target.save()
    assert save(as_designer, target, row_texts="{{patient}}\nopen").status_code == 302
    target.refresh_from_db()
    assert target.evidence == {"number": 2, "alike": 3, "row": ["{{patient}}", "open"]}
    shown = fields_of(as_designer.get(change_url(target)))
    assert shown["row_texts"] == "{{patient}}\nopen"
    assert "row" not in json.loads(shown["evidence"])
    assert save(as_designer, target, row_texts="").status_code == 302
    target.refresh_from_db()
    assert "row" not in target.evidence


@pytest.mark.parametrize(("written", "kept"), [("{{ n }}", "{{ n }}"), ("4", 4), (" 4 ", 4)])
def test_which_of_its_like_is_wanted_is_written_in_a_field_of_its_own(as_designer, written, kept) -> None:
    """S6.11"""
    target = make_workflow().targets.get()
    target.evidence = {"number": 2, "alike": 3}
    target.save()
    assert fields_of(as_designer.get(change_url(target)))["number"] == 2
    assert save(as_designer, target, number=written).status_code == 302
    target.refresh_from_db()
    assert target.evidence == {"number": kept, "alike": 3}
    assert save(as_designer, target, number="").status_code == 302
    target.refresh_from_db()
    assert target.evidence == {"alike": 3}


@pytest.mark.parametrize(
    ("kind", "field", "typed", "says"),
    [
        ("edges", "params", "[1]", "must be an object"),
        ("edges", "identity", '[{"label": "Patient"}]', "“value” is missing"),
        ("edges", "before", '{"texts": "Ready"}', "texts must be a list"),
        ("edges", "expect", '{"text": ["Saved"]}', "“text” is not known"),
        ("targets", "evidence", '{"box": [1, 2]}', "box must be a list of 4"),
        ("targets", "evidence", '{"label": "X"}', "“label” has a field of its own"),
        ("targets", "evidence", "[1]", "must be an object"),
        *(("targets", "number", typed, "no number") for typed in ("third", "{{n}}{{m}}", "row {{n}}", "-1")),
        ("", "popups", '[{"name": "Update", "keys": "escape"}]', "“Update” needs texts or a window title"),
        ("", "popups", '[{"name": "Update", "texts": ["x"]}]', "“Update” is closed either by keys or by a click"),
        ("", "popups", '[{"name": "Update", "texts": "x", "keys": "escape"}]', "texts"),
        ("", "popups", "[{", "valid JSON"),
    ],
)
def test_what_is_of_a_wrong_form_is_refused_at_its_field(as_designer, kind, field, typed, says) -> None:
    workflow = make_workflow()
    rows = {"edges": workflow.edges.filter(edge_id="open_save"), "targets": workflow.targets.all(), "": [workflow]}
    response = save(as_designer, rows[kind][0], **{field: typed}, **({} if kind else NO_INLINES))
    assert response.status_code == 200
    assert says in str(response.context["adminform"].form.errors[field])


def provider_form(name: str, **fields: Any) -> WorkflowForm:
    workflow = make_workflow(**fields)
    return WorkflowForm({**model_to_dict(workflow), "window_info_provider": name}, instance=workflow)


@pytest.mark.security
def test_who_tells_the_window_is_chosen_among_the_names_of_the_server(as_designer, settings) -> None:
    """S2.7: nobody names code; what an old workflow names is shown and not kept."""
    settings.RPA_WINDOW_PROVIDERS = {"citrix": "os.getcwd"}
    assert "window_info_provider" in provider_form("os.abort").errors
    assert "“os.abort” is not on this server" in str(provider_form("os.abort", window_info_provider="os.abort").errors)
    chosen = provider_form("citrix", window_info_provider="os.abort")
    assert chosen.errors == {}
    assert chosen.save().window_info_provider == "citrix"
    page = as_designer.get(change_url(make_workflow(window_info_provider="os.abort"))).content.decode()
    assert '<option value="os.abort" selected>os.abort (not on this server)</option>' in page


# --- saving leads back ------------------------------------------------------------------------------------------------
def saved(client: Any, url: str, **changed: str) -> str:
    """Where saving what the page holds leads to."""
    fields = fields_of(client.get(url)) | changed
    response = client.post(url, fields)
    assert response.status_code == 302, response.context["adminform"].form.errors
    return str(response.url)


def test_saving_leads_back_to_the_page_that_one_came_from(as_designer):
    """S8.4: to the workflow's own page, from what a problem there leads to."""
    workflow = make_workflow()
    own, admin = reverse("workflow", args=[workflow.workflow_id]), change_url(workflow)
    edge = Edge.objects.first()
    Edge.objects.filter(pk=edge.pk).update(action_type="dance")
    page = as_designer.get(own)
    url = next(item.url for item in page.context["problems"] if change_url(edge) in item.url)
    assert "#" in url
    assert saved(as_designer, url.partition("#")[0], action_type="wait") == own
    assert f"{admin}?back={own}" in page.content.decode()
    assert own in as_designer.get(admin).content.decode()


@pytest.mark.parametrize("elsewhere", ["https://evil.example/", "//evil.example/", "javascript:alert(1)", ""])
def test_saving_leads_to_no_other_server(as_designer, elsewhere):
    workflow = make_workflow()
    url = with_back(change_url(Node.objects.first()), elsewhere)
    assert saved(as_designer, url) == change_url(workflow)


def test_what_was_deleted_leads_back_as_well(as_designer):
    workflow = make_workflow()
    own = reverse("workflow", args=[workflow.workflow_id])
    target = Target.objects.create(workflow=workflow, target_id="t_unused", label="Unused")
    url = reverse("admin:workflows_target_delete", args=[target.pk])
    assert as_designer.post(with_back(url, own), {"post": "yes"}).url == own
