"""A list that is made on the pages: first its workflow, then its name and what tells its rows apart (S12.1, S12.4)."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from execution.models import Worklist
from tests.factories import VARIABLES, make_published, make_workflow

pytestmark = pytest.mark.django_db


def test_only_workflows_that_are_published_are_offered(otto: Client) -> None:
    make_workflow(workflow_id="wf_draft", name="A draft")
    assert "No workflow is published yet" in otto.get("/lists/new").content.decode()
    made = make_published()
    page = otto.get("/lists/new").content.decode()
    assert made.workflow.name in page
    assert "A draft" not in page


def test_a_list_is_made_with_a_column_for_each_value_and_goes_on_with_its_rows(otto: Client) -> None:
    workflow = make_published().workflow
    where = f"/lists/new?workflow={workflow.workflow_id}"
    column = next(iter(otto.get(where).context["form"].mapping.values()))
    answer = otto.post(where, {"name": " Letters ", "keys": [column]})
    made = Worklist.objects.get()
    assert answer.headers["Location"] == f"/lists/{made.worklist_id}/add"
    assert (made.name, made.columns, made.keys) == ("Letters", [column], [column])
    assert list(made.mapping.values()) == [column]
    assert made.created_by.username == "otto"


def test_without_a_name_nothing_is_made_and_the_form_says_why(otto: Client) -> None:
    workflow = make_published().workflow
    page = otto.post(f"/lists/new?workflow={workflow.workflow_id}", {"name": "  "})
    assert "field-error" in page.content.decode()
    assert not Worklist.objects.exists()


def test_a_workflow_that_asks_for_nothing_makes_no_list(otto: Client) -> None:
    """A secret is no column (S12.4)."""
    workflow = make_published(variables=[{**VARIABLES[0], "kind": "secret", "default": ""}]).workflow
    page = otto.post(f"/lists/new?workflow={workflow.workflow_id}", {"name": "Letters"})
    assert "asks for no value that a row could give" in page.content.decode()
    assert not Worklist.objects.exists()


def test_the_words_of_each_field_belong_to_it(otto: Client) -> None:
    """A label, an error and a hint name what stands on the page; boxes to tick are a group under one name."""
    workflow = make_published().workflow
    page = otto.post(f"/lists/new?workflow={workflow.workflow_id}", {"name": ""}).content.decode()
    form = page[page.index('<form method="post"') :]
    ids = set(re.findall(r' id="([^"]+)"', page))
    named = [name for names in re.findall(r' (?:for|aria-describedby)="([^"]*)"', form) for name in names.split()]
    assert set(named) <= ids
    assert {"id_name_error", "id_keys_helptext"} <= set(named)
    assert re.search(r"<fieldset[^>]*>\s*<legend>Columns that tell the rows apart", form)
