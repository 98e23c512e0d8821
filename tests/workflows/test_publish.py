"""Publishing: checked, numbered, pinned (S1.4, S1.4)."""

from __future__ import annotations

import pytest

from tests.factories import EDGES, NODES, make_picture, make_published, make_user, make_workflow
from workflows.actions.publish import digest_of, publish
from workflows.choices import LearningState
from workflows.exceptions import InvalidWorkflow, NotPublished
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
