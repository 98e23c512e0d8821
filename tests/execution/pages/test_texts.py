"""Texts of screens, searched over all runs: what was kept is found, what no longer is kept is not."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.db import connection
from django.db.models import F
from django.utils import timezone

from execution.models import ExecutionEvent, Step
from execution.pages.texts import lines_with, steps_showing
from execution.record.pruning import drop_texts
from execution.record.screen_index import TRIGGERS, make_index
from tests.execution.pages.test_runs import make_step
from tests.execution.pages.test_viewer import MOST_QUERIES, a_run, queries, screen
from tests.factories import make_execution, make_published

pytestmark = pytest.mark.django_db

WORDS = ("Serveur indisponible, réessayez", "Dossier LEFÈVRE Marie")


def showing(*texts: str, **fields: Any) -> Step:
    seen = screen(*[(text, [0.1, 0.1, 0.2, 0.05]) for text in texts])
    return make_step(make_execution(), 1, screen=seen, **fields)


def found(text: str) -> list[int]:
    return list(steps_showing(text).values_list("pk", flat=True))


def test_a_text_is_found_in_whatever_run_it_was_read() -> None:
    first, second = showing(*WORDS), showing("Serveur indisponible")
    showing("Serveur prêt")
    assert found("serveur indisponible") == [second.pk, first.pk]  # the newest first
    assert found("REESSAYEZ") == [first.pk]  # neither case nor accents
    assert found("indispo") == [second.pk, first.pk]  # the beginning of the last word
    assert found("indispo serveur") == []
    assert found("lefevre marie serveur") == [first.pk]
    assert lines_with(first, "lefevre") == (WORDS[1],)


def test_what_spoke_against_a_step_is_found_as_well() -> None:
    step = showing("Menu", verification={"answer": "no", "said": "Votre session a expiré"})
    assert found("session expiré") == [step.pk]
    assert lines_with(step, "session") == ("Votre session a expiré",)


@pytest.mark.parametrize(
    "text",
    [
        "12/03/1980",
        "1980",
        "03/1980",
        "T-2041",
        "2041",
        "t-20",
        "3.5",
        "mg/l",
        "00-471-12",
        "471",
        "hopital",
        "hôpital",
    ],
)
def test_dates_and_numbers_of_records_are_found_whole_and_by_their_parts(text: str) -> None:
    lines = ("Born 12/03/1980", "Request T-2041", "3.5 mg/l", "IPP 00-471-12", "www.hôpital.ch")
    step = showing(*lines)
    assert found(text) == [step.pk]


@pytest.mark.parametrize("text", ["⑴", "½", "a⑴", "_", "ﬁ'", "1⁄2 !"])
def test_a_sign_that_folds_to_others_is_no_syntax(text: str) -> None:
    showing("nothing of it")
    assert found(text) == []


@pytest.mark.parametrize("text", ["", "   ", "*", '"', "a OR b", 'x" OR "y', "NEAR(a b)", "-", "(", "texts:a", "'; --"])
def test_whatever_is_asked_is_only_words(text: str) -> None:
    showing("nothing of it")
    assert found(text) == []


def test_what_is_no_longer_kept_is_not_found(client_of, viewer) -> None:
    """S10.4: retention, and rows that go; without anybody having to think of the index."""
    run = a_run(screen=screen(("Ada Martin", [0.1, 0.1, 0.2, 0.05])))
    assert len(found("ada martin")) == 1
    drop_texts([run.pk])
    assert found("ada martin") == []
    other = showing("Ada Martin")
    Step.objects.filter(pk=other.pk).update(screen=screen(("Zoe", [0, 0, 1, 1])))
    assert found("ada martin") == []
    assert found("zoe") == [other.pk]
    Step.objects.filter(pk=other.pk).delete()
    assert found("zoe") == []


def test_a_step_that_is_written_again_is_found_once() -> None:
    step = showing("Serveur")
    step.message = "more"
    step.save()
    step.verification = {"said": "Serveur"}
    step.save()
    assert found("serveur") == [step.pk]


@pytest.mark.skipif(connection.vendor != "sqlite", reason="SQLite drops triggers with a table that is made anew")
def test_the_index_is_whole_again_after_a_migration_that_took_it() -> None:
    step = showing("Serveur")
    with connection.cursor() as cursor:
        for name in TRIGGERS:
            cursor.execute(f"DROP TRIGGER {name}")
    Step.objects.filter(pk=step.pk).update(screen=screen(("Demain", [0, 0, 1, 1])))
    other = showing("Hier")
    assert found("demain") == found("hier") == []
    make_index()
    assert (found("demain"), found("hier"), found("serveur")) == ([step.pk], [other.pk], [])
    Step.objects.filter(pk=other.pk).update(index=F("index"))
    assert found("hier") == [other.pk]


def test_whoever_may_not_see_pictures_neither_searches_nor_exports(client_of, stranger) -> None:
    """S10.4: runs alone are not enough."""
    run = a_run()
    stranger.user_permissions.add(Permission.objects.get(codename="view_execution"))
    client = client_of(stranger)
    assert client.get(f"/runs/{run.execution_id}").status_code == 200
    assert client.get("/texts?q=indisponible").status_code == 403
    assert client.get(f"/runs/{run.execution_id}/export").status_code == 403


def test_the_page_leads_to_the_step(client_of, viewer, stranger) -> None:
    step = showing(*WORDS)
    page = client_of(viewer).get("/texts?q=indisponible").content.decode()
    assert f"/runs/{step.execution.execution_id}/steps/1" in page
    assert "Serveur indisponible, réessayez" in page
    assert client_of(stranger).get("/texts?q=indisponible").status_code == 403
    assert "Nothing like it was read" in client_of(viewer).get("/texts?q=unheard").content.decode()
    assert "When was it on a screen?" in client_of(viewer).get("/texts").content.decode()


def test_of_one_workflow_and_older_ones(client_of, viewer) -> None:
    version = make_published()
    for _ in range(27):
        a_run(version=version, screen=screen(("Serveur", [0, 0, 1, 1])))
    showing("Serveur of another")
    client = client_of(viewer)
    assert client.get("/texts?q=serveur").content.decode().count('<li><a href="/runs/') == 25
    page = client.get(f"/texts?q=serveur&workflow={version.workflow.workflow_id}")
    assert "of another" not in page.content.decode()
    older = client.get(f"/texts?q=serveur&before={page.context['older']}").content.decode()
    assert older.count('<li><a href="/runs/') == 2
    assert queries(client, "/texts?q=serveur") <= MOST_QUERIES


def test_where_a_clock_was_set_back_each_is_on_one_page(client_of, viewer) -> None:
    """Screens of steps and of pauses, the newest written last: whatever their times say, none is lost or told twice."""
    version, now = make_published(), timezone.now()
    expected = set()
    for n in range(40):
        at = now - timedelta(minutes=n if n % 3 else 60 + n)
        run = make_execution(version=version)
        make_step(run, 1, screen=screen(("Serveur", [0, 0, 1, 1])), started_at=at)
        expected.add(f"/runs/{run.execution_id}/steps/1")
        if n % 4 == 0:
            detail = {
                "picture": "0" * 63 + "1",
                "perception": {"detected_text": ["Serveur"], "text_boxes": [[0, 0, 1, 1]]},
            }
            stood = {"status": "paused", "pause_detail": detail}
            ExecutionEvent.objects.create(execution=run, seq=1, kind="state", at=at, payload=stood)
            expected.add(f"/runs/{run.execution_id}/pauses/1")
    client, told, before = client_of(viewer), list[str](), ""
    while before is not None:
        page = client.get(f"/texts?q=serveur&before={before}")
        told += [row["url"] for row in page.context["rows"]]
        before = page.context["older"]
    assert len(told) == len(set(told)) == 50
    assert set(told) == expected
