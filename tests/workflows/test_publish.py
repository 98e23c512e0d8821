"""Publishing: checked, numbered, pinned (S1.4, S1.4)."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest
from django.core.management import CommandError, call_command
from django.db import connections
from django.test import Client

from audit.models import Entry
from tests.factories import EDGES, NODES, make_picture, make_published, make_user, make_workflow
from workflows.actions.publish import digest_of, publish, publish_again
from workflows.choices import LearningState
from workflows.exceptions import InvalidWorkflow, NotPublished, UnknownVersion
from workflows.graph import GraphSpec
from workflows.models import WorkflowVersion
from workflows.specs import graph_of

pytestmark = pytest.mark.django_db


def test_the_first_version_is_number_one_and_says_who_and_why() -> None:
    user = make_user("designer")

    version = publish(workflow=make_workflow(), user=user, note="  first try ")

    assert (version.number, version.published_by, version.note) == (1, user, "first try")


def test_the_snapshot_gives_back_the_graph_that_was_drawn() -> None:
    workflow = make_workflow(nodes=({**NODES[0], "picture": make_picture().digest}, *NODES[1:]))

    version = publish(workflow=workflow, user=None)

    version.refresh_from_db()
    assert version.spec() == GraphSpec.from_json({**graph_of(workflow).to_json(), "version": 1})
    assert version.spec().pictures() == graph_of(workflow).pictures() != frozenset()


def test_editing_after_publishing_does_not_touch_the_version() -> None:
    """S1.4: a run uses what was published."""
    version = make_published()
    version.workflow.nodes.filter(node_id="empty_note").update(texts=["something else"])

    version.refresh_from_db()

    assert version.spec().node("empty_note").texts == ("File", "Edit", "View")


def test_publishing_an_unchanged_graph_gives_the_version_that_is_there() -> None:
    version = make_published()

    assert publish(workflow=version.workflow, user=None, note="again") == version
    assert version.workflow.versions.count() == 1


def test_trust_earned_since_is_no_change_of_the_graph() -> None:
    version = make_published()
    version.workflow.learning_state = LearningState.AUTO_CONFIRMED
    version.workflow.save()

    assert publish(workflow=version.workflow, user=None) == version


def test_a_change_gives_the_next_number_and_going_back_another() -> None:
    first = make_published()
    nodes = first.workflow.nodes.filter(node_id="saved")
    nodes.update(name="Done")
    second = publish(workflow=first.workflow, user=None)
    nodes.update(name="Note saved")
    third = publish(workflow=first.workflow, user=None)

    assert [first.number, second.number, third.number] == [1, 2, 3]
    assert first.digest == third.digest != second.digest
    assert first.workflow.latest_version() == third


def test_a_graph_with_errors_is_refused_with_its_problems_and_nothing_is_written() -> None:
    workflow = make_workflow(nodes=({**NODES[0], "is_entry": False}, *NODES[1:3], {**NODES[3], "is_end": False}))

    with pytest.raises(InvalidWorkflow) as refused:
        publish(workflow=workflow, user=None)

    assert {p.code for p in refused.value.problems} == {"no_entry", "no_end"}
    assert "No screen is marked as entry" in str(refused.value)
    assert {p["code"] for p in refused.value.details()["problems"]} == {"no_entry", "no_end"}
    assert not WorkflowVersion.objects.exists()


def test_warnings_do_not_keep_a_graph_from_being_published() -> None:
    """S1.5: publishing warns of a terminal node that is not marked as end."""
    stop = {"node_id": "refused", "name": "Refused", "texts": ["Permission denied"]}
    away = {**EDGES[2], "edge_id": "click_other", "destination": "refused"}

    assert make_published(nodes=(*NODES, stop), edges=(*EDGES, away)).number == 1


def test_a_workflow_that_was_never_published_says_what_to_do() -> None:
    with pytest.raises(NotPublished, match="Publish it on its page"):
        make_workflow().latest_version()


def test_the_digest_does_not_depend_on_the_order_of_parameters() -> None:
    graph = graph_of(make_workflow(edges=(*EDGES[:1], {**EDGES[1]}, {**EDGES[2], "params": {}})))
    one = {"edge_id": "e", "source": "a", "destination": "b", "action_type": "drag", "params": {"dx": 1, "dy": 2}}
    other = {**one, "params": {"dy": 2, "dx": 1}}

    def with_edge(edge: dict) -> GraphSpec:
        return GraphSpec.from_json({**graph.to_json(), "edges": [edge]})

    assert digest_of(with_edge(one)) == digest_of(with_edge(other)) != digest_of(graph)


# --- an earlier version -----------------------------------------------------------------------------------------------
def in_two_versions() -> tuple[WorkflowVersion, WorkflowVersion]:
    first = make_published()
    first.workflow.nodes.filter(node_id="saved").update(name="Done")
    return first, publish(workflow=first.workflow, user=None)


def test_an_earlier_version_becomes_the_current_one_as_a_new_one_and_is_recorded() -> None:
    """S1.4: a bad publish has a way back; the draft stays as it is."""
    first, second = in_two_versions()
    user = make_user("designer", "dora")

    third = publish_again(workflow=first.workflow, number=1, user=user)

    assert first.workflow.latest_version() == third
    assert (third.number, third.digest, third.note, third.published_by) == (3, first.digest, "As version 1", user)
    assert third.spec() == replace(first.spec(), version=3)
    assert first.workflow.nodes.get(node_id="saved").name == "Done"
    entry = Entry.objects.filter(verb="publish").latest("pk")
    assert (entry.who, entry.detail["version"], entry.detail["as_version"]) == ("dora", 3, 1)
    assert publish(workflow=first.workflow, user=None).digest == second.digest


def test_going_back_to_what_is_current_is_no_new_version() -> None:
    first, second = in_two_versions()

    assert publish_again(workflow=first.workflow, number=2, user=None) == second
    assert first.workflow.versions.count() == 2


def test_a_version_that_there_is_not_is_told_with_those_that_there_are() -> None:
    first, _second = in_two_versions()

    with pytest.raises(UnknownVersion, match=r"has no version 7\. Versions: 2, 1\."):
        publish_again(workflow=first.workflow, number=7, user=None)


@pytest.mark.django_db(transaction=True)
def test_who_goes_back_at_the_same_moment_goes_back_once() -> None:
    """The same fence as publishing: nobody takes another's number."""
    first, _second = in_two_versions()
    barrier, made = threading.Barrier(4), list[int]()

    def again() -> None:
        try:
            barrier.wait()
            made.append(publish_again(workflow=first.workflow, number=1, user=None).number)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=again) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert made == [3, 3, 3, 3]


def test_the_command_goes_back_too(capsys: pytest.CaptureFixture[str]) -> None:
    first, _second = in_two_versions()
    workflow_id = first.workflow.workflow_id

    call_command("republish_workflow", workflow_id, "1", note="the second clicked beside it")

    assert capsys.readouterr().out == f"{workflow_id}: version 3 is as version 1\n"
    assert first.workflow.latest_version().note == "the second clicked beside it"
    with pytest.raises(CommandError, match="has no version 9"):
        call_command("republish_workflow", workflow_id, "9")


def test_pages_and_api_go_back_for_who_may_publish(client: Client) -> None:
    first, _second = in_two_versions()
    at = f"/workflows/{first.workflow.workflow_id}"
    client.force_login(make_user("operator", "otto"))
    assert "Go back to v1" not in client.get(at).content.decode()
    assert client.post(f"{at}/versions/1/publish").status_code == 403
    assert client.post(f"/api{at}/versions/1/publish/").status_code == 403
    client.force_login(make_user("designer", "dora"))
    assert "Go back to v1" in client.get(at).content.decode()
    shown = client.post(f"{at}/versions/1/publish", follow=True).content.decode()
    assert "Version 3 is as version 1 was" in shown
    assert "Go back to v2" in shown
    assert "Go back to v1" not in shown  # which is what is current
    answer = client.post(f"/api{at}/versions/2/publish/", {"note": "no"}, content_type="application/json")
    assert (answer.status_code, answer.json()["number"], answer.json()["note"]) == (200, 4, "no")
    assert client.post(f"/api{at}/versions/9/publish/").status_code == 404
