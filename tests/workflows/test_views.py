"""The pages of workflows: who may see and do what, and what they say (S8.1, S8.6, S10.1)."""

from __future__ import annotations

import io
import zipfile
from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import timezone

from tests.factories import EDGES, NODES, make_execution, make_picture, make_published, make_user, make_workflow
from workflows.bundle import export_bundle
from workflows.links import with_back
from workflows.models import Workflow

pytestmark = pytest.mark.django_db


def page(client, name: str = "workflows", *args: str):
    response = client.get(reverse(name, args=args))
    assert response.status_code == 200
    return response.content.decode()


def test_the_list_shows_entry_picture_trust_version_and_last_runs(client) -> None:
    picture = make_picture()
    version = make_published(
        name="Patient note", nodes=({**NODES[0], "picture": picture.digest}, *NODES[1:]), learning_state="COACHING"
    )
    now = timezone.now()
    for age, state in ((3, "completed"), (2, "failed"), (1, "completed")):
        when = now - timedelta(hours=age)
        make_execution(version=version, state=state, created_at=when, ended_at=when)
    client.force_login(make_user("operator"))

    text = page(client)

    assert picture.digest in text
    assert "coaching" in text
    assert "v1" in text
    assert "Last 3 runs: 2 completed, 1 failed" in text
    assert text.count('class="cell ') == 3
    assert f"{reverse('run_start')}?workflow={version.workflow.workflow_id}" in text


def test_the_list_keeps_to_the_last_eight_runs_of_each_workflow(client) -> None:
    for version in (make_published(), make_published()):
        for _ in range(10):
            make_execution(version=version, state="stopped", ended_at=timezone.now())
    client.force_login(make_user("viewer"))

    assert page(client).count("Last 8 runs: 8 stopped") == 2


def test_a_draft_cannot_be_started_from_the_list(client) -> None:
    make_workflow(name="Draft")
    client.force_login(make_user("operator"))

    text = page(client)

    assert "not published" in text
    assert "?workflow=" not in text


def test_the_list_takes_as_many_queries_for_ten_as_for_one(client, django_assert_max_num_queries) -> None:
    version = make_published()
    make_execution(version=version, state="stopped", ended_at=timezone.now())
    client.force_login(make_user("operator"))
    with django_assert_max_num_queries(30) as first:
        page(client)
    for _ in range(9):
        make_execution(version=make_published(), state="stopped", ended_at=timezone.now())

    with django_assert_max_num_queries(len(first)):
        page(client)


def test_a_workflow_shows_what_screens_are_recognised_by_and_what_actions_do(client) -> None:
    picture = make_picture()
    target = {
        **EDGES[2]["target"],
        "picture": picture.digest,
        "evidence": {"neighbours": [{"text": "Cancel", "dx": -90, "dy": 2}]},
    }
    version = make_published(edges=(*EDGES[:2], {**EDGES[2], "target": target}))
    client.force_login(make_user("viewer"))

    text = page(client, "workflow", version.workflow.workflow_id)

    assert "Empty note" in text
    assert "<q>Untitled - Notes</q>" in text
    assert "Type “{{patient}}”" in text
    assert "Press ctrl+s" in text
    assert "Click “Save”" in text
    assert picture.digest in text
    assert "“Cancel”, 90 px left of it" in text
    assert "Repeated only while the screen shows that it has not happened." in text
    assert "Start a run" not in text
    assert "Publish" not in text


def test_the_page_of_a_workflow_holds_no_inline_script(client) -> None:
    """S10.1, T13: the policy allows our own files alone; the graph's data is data."""
    version = make_published(name="</script><script>alert(1)</script>")
    client.force_login(make_user("designer"))

    response = client.get(reverse("workflow", args=[version.workflow.workflow_id]))

    text = response.content.decode()
    assert "script-src 'self'" in response.headers["Content-Security-Policy"]
    assert "<script>" not in text
    assert "alert(1)</script>" not in text


def test_problems_are_told_in_words_with_the_way_to_the_field(client) -> None:
    workflow = make_workflow(nodes=({**NODES[0], "texts": ["{{dose}}"]}, *NODES[1:]))
    node = workflow.nodes.get(node_id="empty_note")
    client.force_login(make_user("designer"))

    text = page(client, "workflow", workflow.workflow_id)

    assert "1 thing to mend before publishing" in text
    assert "uses {{dose}}, which is no variable here" in text
    back = reverse("workflow", args=[workflow.workflow_id])
    assert with_back(f"{reverse('admin:workflows_node_change', args=[node.pk])}#id_texts", back) in text
    assert "Mend the errors above first." in text


def test_a_viewer_reads_problems_without_a_link_to_what_needs_a_designer(client) -> None:
    workflow = make_workflow(nodes=({**NODES[0], "texts": ["{{dose}}"]}, *NODES[1:]))
    client.force_login(make_user("viewer"))

    text = page(client, "workflow", workflow.workflow_id)

    assert "{{dose}}" in text
    assert "/admin/" not in text


def test_publishing_from_the_page_makes_a_version_with_its_note(client) -> None:
    workflow = make_workflow()
    user = make_user("designer")
    client.force_login(user)

    response = client.post(
        reverse("workflow_publish", args=[workflow.workflow_id]), {"note": "Second dialog"}, follow=True
    )

    version = workflow.latest_version()
    assert (version.number, version.note, version.published_by) == (1, "Second dialog", user)
    text = response.content.decode()
    assert "Published as version 1." in text
    assert "Second dialog" in text


def test_publishing_again_says_that_nothing_has_changed(client) -> None:
    version = make_published()
    client.force_login(make_user("designer"))

    response = client.post(reverse("workflow_publish", args=[version.workflow.workflow_id]), follow=True)

    assert "Nothing has changed since version 1." in response.content.decode()
    assert version.workflow.versions.count() == 1


@pytest.mark.parametrize(
    ("is_end", "note", "said"), [(False, "", "No screen is marked as the end."), (True, "x" * 501, "500 characters")]
)
def test_publishing_what_is_wrong_says_what_and_publishes_nothing(client, is_end, note, said) -> None:
    workflow = make_workflow(nodes=(*NODES[:3], {**NODES[3], "is_end": is_end}))
    client.force_login(make_user("designer"))

    response = client.post(reverse("workflow_publish", args=[workflow.workflow_id]), {"note": note})

    assert response.status_code == 422
    assert said in response.content.decode()
    assert not workflow.versions.exists()


def test_a_change_since_the_last_version_is_shown(client) -> None:
    version = make_published()
    client.force_login(make_user("designer"))
    assert "unpublished changes" not in page(client, "workflow", version.workflow.workflow_id)

    version.workflow.nodes.filter(node_id="saved").update(name="Done")

    assert "unpublished changes" in page(client, "workflow", version.workflow.workflow_id)


def test_what_is_exported_can_be_imported_on_the_page(client) -> None:
    """S8.6"""
    workflow = make_workflow(name="Patient note")
    client.force_login(make_user("designer"))
    exported = client.get(reverse("workflow_export", args=[workflow.workflow_id]))
    assert exported.headers["Content-Type"] == "application/zip"
    assert zipfile.is_zipfile(io.BytesIO(exported.content))

    file = SimpleUploadedFile("notes.zip", exported.content)
    response = client.post(reverse("workflows"), {"file": file, "workflow_id": "wf_copy"}, follow=True)

    assert "imported as a draft" in response.content.decode()
    assert Workflow.objects.get(workflow_id="wf_copy").name == "Patient note"


@pytest.mark.parametrize(
    ("is_good", "workflow_id", "said"),
    [(False, "", "This is no zip file that can be read"), (True, "1 2", "Begin with a letter")],
)
def test_what_cannot_be_imported_is_refused_at_its_field(client, is_good, workflow_id, said) -> None:
    """S8.6"""
    client.force_login(make_user("designer"))
    data = export_bundle(make_workflow()) if is_good else b"no zip at all"

    sent = {"file": SimpleUploadedFile("x.zip", data), "workflow_id": workflow_id}
    response = client.post(reverse("workflows"), sent)

    assert response.status_code == 422
    assert said in response.content.decode()
    assert Workflow.objects.count() == is_good


def test_a_workflow_with_errors_says_why_it_is_not_exported(client) -> None:
    workflow = make_workflow(nodes=(*NODES[:3], {**NODES[3], "is_end": False}))
    client.force_login(make_user("viewer"))

    response = client.get(reverse("workflow_export", args=[workflow.workflow_id]))

    assert response.status_code == 422
    assert "is not exported while something in it is wrong" in response.content.decode()
