"""What people do is recorded once, by whoever does it, and nobody changes it (S10.7)."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.db import DatabaseError, connection, transaction
from django.test import Client
from django.urls import reverse

from audit.models import Entry, NeverChanged, Verb
from audit.recording import record, record_look
from execution.actions import control
from execution.actions.decide import decide
from execution.actions.start import start
from execution.actions.teach import open_lesson
from execution.choices import ExecutionState, Origin
from execution.choices import Verb as Asked
from execution.models import Execution, Prompt
from execution.types import DecisionSource
from tests.analytics.steps import make_step
from tests.factories import PASSWORD, make_execution, make_published, make_workflow
from workflows.actions.publish import publish

pytestmark = [pytest.mark.django_db, pytest.mark.security]


@pytest.mark.parametrize("verb", Asked.values)
def test_whatever_is_asked_of_a_run_has_a_verb_here(verb: str) -> None:
    assert verb in Verb.values


@pytest.fixture
def version() -> Any:
    return make_published(workflow_id="wf_lab")


def come(user: Any) -> Client:
    client = Client()
    client.force_login(user)
    return client


def last(verb: str) -> Entry:
    return Entry.objects.filter(verb=verb).latest("pk")


def told(verb: str) -> tuple[str, str, str, str]:
    entry = last(verb)
    return entry.who, entry.origin, entry.kind, entry.about


# --- never changed ----------------------------------------------------------------------------------------------------
def test_no_way_of_the_orm_changes_an_entry() -> None:
    entry = record(Verb.LOOK, who="ada", kind="run", about="ex")
    for change in (
        entry.save, entry.delete, Entry.objects.all().delete, lambda: Entry.objects.update(who="eve"),
        lambda: Entry.objects.bulk_update([entry], ["who"]), lambda: Entry.objects.filter(pk=entry.pk).delete(),
    ):  # fmt: skip
        with pytest.raises(NeverChanged):
            change()
    assert Entry.objects.get(pk=entry.pk).who == "ada"


@pytest.mark.parametrize("sql", ["UPDATE audit_entries SET who = 'eve'", "DELETE FROM audit_entries"])
def test_the_database_refuses_as_well(sql: str) -> None:
    record(Verb.LOOK, who="ada", kind="run", about="ex")
    with pytest.raises(DatabaseError, match="never changed"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(sql)
    assert Entry.objects.get().who == "ada"


@pytest.mark.skipif("connection.vendor != 'sqlite'", reason="a matter of SQLite")
@pytest.mark.parametrize("verb", ["INSERT OR REPLACE", "REPLACE"])
def test_no_entry_is_put_in_the_place_of_another(verb: str) -> None:
    entry = record(Verb.LOOK, who="ada", kind="run", about="ex")
    columns = "id, at, verb, {}, user_pk, origin, address, kind, about, detail"
    sql = f"{verb} INTO audit_entries ({columns}) SELECT {columns} FROM audit_entries".format("who", "'eve'")
    with pytest.raises(DatabaseError, match="never changed"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(sql)
    assert Entry.objects.get(pk=entry.pk).who == "ada"
    assert record(Verb.LOOK, who="bob").pk > entry.pk


def test_nobody_is_offered_to_change_it_in_the_admin(make_user: Any) -> None:
    assert come(make_user("chief", "admin")).get("/admin/audit/entry/").status_code == 404


def test_it_goes_with_what_it_tells_of(version: Any, make_user: Any) -> None:
    """What was taken back was not done."""
    with pytest.raises(RuntimeError), transaction.atomic():
        start(workflow_id="wf_lab", user=make_user("ada", "operator"), origin=Origin.PAGE)
        raise RuntimeError
    assert not Entry.objects.filter(verb=Verb.START).exists() and not Execution.objects.exists()


# --- who did what -----------------------------------------------------------------------------------------------------
def test_what_is_asked_of_a_run(version: Any, make_user: Any) -> None:
    ada = make_user("ada", "operator")
    run = start(workflow_id="wf_lab", user=ada, origin=Origin.PAGE)
    key = run.execution_id
    assert told("start") == ("ada", "page", "run", key)
    Execution.objects.filter(pk=run.pk).update(state=ExecutionState.RUNNING, desktop="d")
    control.pause(execution_id=key, user=ada, origin=Origin.API)
    assert told("pause") == ("ada", "api", "run", key)
    Execution.objects.filter(pk=run.pk).update(state=ExecutionState.PAUSED, wish="")
    control.resume(execution_id=key, user=ada, node_id="save_dialog", origin=Origin.PAGE)
    assert last("resume").detail["node_id"] == "save_dialog"  # which screen was picked
    control.set_mode(execution_id=key, mode="supervised", user=ada, origin=Origin.PAGE)
    assert last("set_mode").detail == {"mode": "supervised"}
    control.stop(execution_id=key, user=ada, origin=Origin.COMMAND)
    assert told("stop") == ("ada", "command", "run", key)


@pytest.mark.parametrize(("source", "entries"), [(DecisionSource.COACH, 1), (DecisionSource.POLICY, 0)])
def test_answers_of_people_and_no_others(source: DecisionSource, entries: int, version: Any, make_user: Any) -> None:
    run = make_execution(version=version, state=ExecutionState.WAITING_COACHING)
    prompt = Prompt.objects.create(execution=run, step=make_step(run), kind="coaching", message="?")
    user = make_user("ada", "operator") if entries else None
    decide(prompt_id=prompt.pk, choice="skip", user=user, source=source, origin=Origin.PAGE)
    assert Entry.objects.filter(verb="decide").count() == entries
    if entries:
        assert told("decide") == ("ada", "page", "run", run.execution_id)
        assert last("decide").detail == {"choice": "skip", "step": 1}


def test_what_is_typed_for_a_correction_is_not_in_it(version: Any, make_user: Any) -> None:
    run = make_execution(version=version, state=ExecutionState.WAITING_COACHING)
    step = make_step(run, edge_id="type_patient", action_type="type_text")
    prompt = Prompt.objects.create(execution=run, step=step, kind="coaching", message="?")
    decide(
        prompt_id=prompt.pk, choice="correct", user=make_user("ada", "operator"), source=DecisionSource.COACH,
        origin=Origin.PAGE, correction={"params": {"text": "Ada Martin 1843"}}, feedback="Ada Martin 1843",
    )  # fmt: skip
    assert "1843" not in str(Entry.objects.values("who", "kind", "about", "detail"))


def test_teaching_and_publishing(make_user: Any) -> None:
    ada, workflow = make_user("ada", "designer"), make_workflow(workflow_id="wf_new")
    open_lesson(workflow=workflow, robot=None, user=ada)
    assert told("teach") == ("ada", "", "workflow", "wf_new")
    publish(workflow=workflow, user=ada, note="first")
    assert told("publish")[0] == "ada" and last("publish").detail == {"version": 1, "note": "first"}
    publish(workflow=workflow, user=ada)  # nothing has changed: nothing was published
    assert Entry.objects.filter(verb="publish").count() == 1


def test_looking_at_the_pictures_of_a_run(version: Any, make_user: Any) -> None:
    run = make_execution(version=version)
    ada = come(make_user("ada", "viewer"))
    for _n in range(3):
        ada.get(reverse("run", args=[run.execution_id]))
    come(make_user("ben", "viewer")).get(reverse("run", args=[run.execution_id]))
    looked = Entry.objects.filter(verb="look").order_by("pk").values_list("who", "about")
    assert list(looked) == [("ada", run.execution_id), ("ben", run.execution_id)]  # once an hour
    record_look(user=User.objects.get(username="ada"), execution_id=run.execution_id, origin="page", unmasked=True)
    assert last("look").detail == {"unmasked": True}


def test_coming_going_and_failing() -> None:
    User.objects.create_user("ada", password=PASSWORD)
    client = Client()
    client.post(reverse("login"), {"username": "ada", "password": PASSWORD})
    assert told("login") == ("ada", "page", "person", "ada") and last("login").address == "127.0.0.1"
    client.post(reverse("logout"))
    assert told("logout")[0] == "ada"
    client.post(reverse("login"), {"username": "ada", "password": "wrong password"})
    assert told("login_failed")[0] == "ada"
    client.post(reverse("login"), {"username": "my-secret-password", "password": "x"})
    assert told("login_failed")[0] == ""  # nobody is called so: it may be a password
    assert "my-secret-password" not in str(Entry.objects.values())


def test_rights_are_told_with_what_they_are_now(make_user: Any) -> None:
    chief, ben = come(make_user("chief", "admin")), make_user("ben", "viewer")
    groups = [str(Group.objects.get(name=name).pk) for name in ("viewer", "operator")]
    asked = {"username": "ben", "groups": groups, "is_active": "on", "email": ""}
    assert chief.post(f"/admin/auth/user/{ben.pk}/change/", asked).status_code == 302
    assert told("changed") == ("chief", "admin", "person", "ben")
    assert last("changed").detail["groups"] == ["operator", "viewer"]
    assert chief.post(f"/admin/auth/user/{ben.pk}/delete/", {"post": "yes"}).status_code == 302
    assert told("deleted") == ("chief", "admin", "person", "ben")
    assert Entry.objects.filter(user_pk__isnull=False).exists()


def test_how_far_a_workflow_is_trusted(make_user: Any) -> None:
    from django.contrib import admin
    from django.test import RequestFactory

    from workflows.models import Workflow

    workflow = make_workflow(workflow_id="wf_lab", learning_state="COACHING")
    request = RequestFactory().post("/")
    request.user = make_user("ada", "designer")
    model_admin = admin.site._registry[Workflow]
    workflow = model_admin.get_queryset(request).get(pk=workflow.pk)
    form = model_admin.get_form(request, workflow)({"learning_state": "AUTO_CONFIRMED"}, instance=workflow)
    form.is_valid()
    workflow.learning_state = "AUTO_CONFIRMED"
    model_admin.save_model(request, workflow, form, change=True)
    assert last("trust").detail == {"was": "COACHING", "now": "AUTO_CONFIRMED"}
    assert told("trust") == ("ada", "admin", "workflow", "wf_lab")


def test_what_leaves_is_told(version: Any, make_user: Any) -> None:
    ada = come(make_user("ada", "viewer"))
    ada.get(reverse("workflow_export", args=["wf_lab"]))
    assert told("export") == ("ada", "page", "workflow", "wf_lab")
    run = make_execution(version=version)
    ada.get(reverse("run_export", args=[run.execution_id])).getvalue()
    assert told("export") == ("ada", "page", "run", run.execution_id)
    ada.get(reverse("api_analytics_export", args=["runs", "csv"]), {"how": "failed"})
    assert told("export") == ("ada", "api", "figures", "runs.csv") and last("export").detail == {
        "filters": {"how": "failed"}
    }


def test_tokens_are_told_and_never_shown(make_user: Any) -> None:
    ada = make_user("ada", "operator")
    client = come(ada)
    page = client.post(reverse("account"), {"name": "report", "scope": "viewer", "days": "30"})
    assert told("token_made")[:3] == ("ada", "page", "token")
    assert page.context["shown"] not in str(Entry.objects.values())
    client.post(reverse("account_token_revoke", args=[ada.api_tokens.get().pk]))
    assert told("token_revoked")[0] == "ada"


# --- the page ---------------------------------------------------------------------------------------------------------
def test_admins_read_filter_and_take_it_away(version: Any, make_user: Any) -> None:
    record(Verb.STOP, who="ben", kind="run", about="ex_1")
    record(Verb.START, who="ada", kind="run", about="ex_2")
    record(Verb.PUBLISH, who="ada", kind="workflow", about='=HYPERLINK("x")', version=3)
    chief = come(make_user("chief", "admin"))
    address = reverse("audit")
    page = chief.get(address).content.decode()
    assert "stopped a run" in page and "published a version" in page
    only = chief.get(address, {"who": "ADA", "verb": "start"})
    assert [row["entry"].about for row in only.context["rows"]] == ["ex_2"]
    assert chief.get(address, {"about": "ex_1"}).context["rows"][0]["entry"].who == "ben"
    assert chief.get(address, {"who": "nobody"}).context["rows"] == []
    assert len(chief.get(address, {"days": "1"}).context["rows"]) >= 3
    lines = chief.get(reverse("audit_export", args=["csv"]), {"who": "ada"}).getvalue().decode()
    rows = list(csv.DictReader(io.StringIO(lines)))
    assert [row["verb"] for row in rows] == ["publish", "start"]
    assert rows[0]["about"].startswith("'=") and rows[0]["detail"] == "version=3"
    assert len(json.loads(chief.get(reverse("audit_export", args=["json"]), {"who": "ben"}).getvalue())) == 1
    assert told("export") == ("chief", "page", "audit", "audit.json")  # whoever was asked for
    assert chief.get("/audit/export.exe").status_code == 404


def test_older_entries_are_behind_the_newest(make_user: Any, django_assert_max_num_queries: Any) -> None:
    for n in range(205):
        record(Verb.LOOK, who="ada", kind="run", about=f"ex_{n}")
    chief = come(make_user("chief", "admin"))
    seen, older = [], ""
    for _page in range(3):
        with django_assert_max_num_queries(15):
            answer = chief.get(reverse("audit"), {"who": "ada", "before": older})
        seen += [row["entry"].about for row in answer.context["rows"]]
        older = answer.context["older"] or ""
    assert seen == [f"ex_{n}" for n in reversed(range(205))]
