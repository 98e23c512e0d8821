"""The page of training data: what people decided, for those who teach, and as a file (S6.3)."""

from __future__ import annotations

import io
import zipfile
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.utils import timezone

from audit.models import Entry
from execution.behind.old import FILES_KEPT, ROWS_KEPT, files, forget_old
from execution.models import Job, TrainingRecord, TrainingSession
from execution.pages.training import PAGE
from tests.factories import make_execution

pytestmark = pytest.mark.django_db


@pytest.fixture
def session() -> TrainingSession:
    run = make_execution()
    return TrainingSession.objects.create(
        session_id=run.execution_id, execution=run, workflow_id=run.workflow_id, mode="coaching"
    )


def records(session: TrainingSession, n: int = 1, **fields: Any) -> None:
    said = {"workflow_id": session.workflow_id, "edge_id": "save", "decision": "reject", "feedback_type": "incorrect"}
    rows = [TrainingRecord(session=session, step=i + 1, **{**said, **fields}) for i in range(n)]
    TrainingRecord.objects.bulk_create(rows)


def test_it_says_what_was_decided_and_how_that_came_out(admin_client: Any, session: TrainingSession) -> None:
    records(session, reason="the other patient", original_target={"label": "Save <b>"})
    page = admin_client.get("/learning/training").content.decode()
    for said in ("Save &lt;b&gt;", "Rejected", "wrong", "the other patient", session.execution.version.workflow.name):
        assert said in page


def test_older_ones_are_a_page_further(admin_client: Any, session: TrainingSession) -> None:
    records(session, PAGE + 3)
    first = admin_client.get(f"/learning/training?workflow={session.workflow_id}")
    assert len(first.context["rows"]) == PAGE
    older = admin_client.get(f"/learning/training?workflow={session.workflow_id}&before={first.context['older']}")
    assert [row["record"].step for row in older.context["rows"]] == [3, 2, 1]
    assert not admin_client.get("/learning/training?workflow=another").context["rows"]
    assert admin_client.get("/learning/training?before=²x").status_code == 200


def exported(client: Any, workflow_id: str, commit: Any) -> Job:
    with commit(execute=True):
        assert client.post("/learning/training/export", {"workflow": workflow_id}).status_code == 302
    return Job.objects.first()


def test_the_file_is_made_behind_the_scenes_and_written_down_when_it_is_taken(
    admin_client: Any, session: TrainingSession, worker_at_once, django_capture_on_commit_callbacks: Any
) -> None:
    records(session, 2)
    job = exported(admin_client, session.workflow_id, django_capture_on_commit_callbacks)
    assert (job.kind, job.state, job.about, job.done) == ("training", "done", session.workflow_id, job.of)
    assert Entry.objects.get(kind="job").about == job.job_id
    assert not Entry.objects.filter(verb="export").exists()
    place = f"/learning/training/files/{job.job_id}"
    assert place in admin_client.get("/learning/training").content.decode()
    packed = zipfile.ZipFile(io.BytesIO(b"".join(admin_client.get(place).streaming_content)))
    assert len(packed.read("training.jsonl").decode().splitlines()) == 2
    entry = Entry.objects.get(verb="export")
    assert (entry.kind, entry.about) == ("training", session.workflow_id)


def test_a_file_is_kept_for_a_day_and_then_gone(
    admin_client: Any, session: TrainingSession, worker_at_once, django_capture_on_commit_callbacks: Any
) -> None:
    records(session, 1)
    job = exported(admin_client, "", django_capture_on_commit_callbacks)
    files().save("job_dead.zip", ContentFile(b"half"))  # its worker died before anybody knew of it
    forget_old(timezone.now())
    assert files().listdir("")[1] == [job.place["file"]]
    forget_old(timezone.now() + FILES_KEPT)
    assert files().listdir("")[1] == []
    assert admin_client.get(f"/learning/training/files/{job.job_id}").status_code == 404
    assert "/learning/training/files/" not in admin_client.get("/learning/training").content.decode()
    forget_old(timezone.now() + ROWS_KEPT)
    assert not Job.objects.exists()
