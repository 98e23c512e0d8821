"""S10.3, S10.4: what a run was given, typed, read or saw is nowhere once its days are over, and never in what is told.

Each kind has words of its own that stand nowhere else. The whole folder is looked through, each table, and each byte of
the database.
"""

from __future__ import annotations

import io
import logging
import os
import re
import time
import zipfile
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.db import connection
from django.utils import timezone

from analytics.models import Retention, StepMetric
from analytics.projection import project_run
from analytics.prometheus import exposition
from analytics.retention import prune
from execution.actions import control
from execution.actions.mark import mark
from execution.choices import Origin
from execution.models import Execution, LearnedCorrection, Replay, ReplayDifference
from execution.pages.training import archive
from execution.types import Box, ResolveStatus, TextLine
from gpu.assistant import conversations
from gpu.choices import MessageRole
from tests.doubles.stage import Stage, edge
from tests.doubles.world import World

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.security,
    pytest.mark.usefixtures("own_folder", "tried_at_once"),
]

GIVEN, TYPED, SEEN, READ, SECRET = "Zorblax Vimmel", "quibbleton", "Snarfwick Ozzum", "Plinkett Drovva", "s3c-Whumble9"
MARKS = {
    "given": "zorblax|vimmel", "typed": "quibbleton", "seen": "snarfwick|ozzum", "read": "plinkett|drovva",
    "secret": "whumble9",
}  # fmt: skip
VARIABLES = (
    {"name": "patient", "label": "Patient", "default": ""},
    {"name": "pin", "label": "PIN", "kind": "secret", "required": False},
)
EDGES = [
    edge(
        "ab", "a", "b", action_type="read_value", params={"name": "who", "kind": "text", "label": "Name"}, target=None
    ),
    edge("bc", "b", "c", action_type="type_text", params={"text": "for {{patient}} {{pin}}"}),
    edge("cd", "c", "d"),
]
SHOWN = {
    "choice": "correct",
    "correction": {"target": {"point": [0.5, 0.25]}, "params": {"text": f"{TYPED} {GIVEN} {READ} {SECRET}"}},
    "feedback": f"{TYPED}: VIMMEL Zorblax, P. Drovva and {SECRET}, not Mr Ozzum",
}
# What never holds any of it, also while the run's texts are kept.
NEVER = ("stepmetric", "runmetric", "entry", "stephour", "stepday", "stepweek", "runhour", "runday", "capturestats")


@pytest.fixture
def uncounted() -> None:
    """Here training data is made."""


class Marked(World):
    """Somebody else's record is on each screen."""

    def observe(self, *, whole: bool = False) -> Any:
        state = super().observe(whole=whole)
        line = TextLine(text=f"{SEEN} 12/03/1971", box=Box(2, 30, 40, 6), confidence=1.0)
        return replace(state, texts=(*state.texts, line))


def found_in(text: str) -> set[str]:
    return {kind for kind, words in MARKS.items() if re.search(words, text, re.IGNORECASE)}


def tables() -> dict[str, set[str]]:
    """What of it is in which table, those of the index of texts among them."""
    with connection.cursor() as cursor:
        names = connection.introspection.table_names(cursor)
        held = {}
        for name in names:
            cursor.execute(f'SELECT * FROM "{name}"')
            rows = str([[bytes(v) if isinstance(v, memoryview) else v for v in row] for row in cursor.fetchall()])
            if kinds := found_in(rows):
                held[name] = kinds
    return held


def never() -> set[str]:
    return {model._meta.db_table for model in apps.get_models() if model._meta.model_name in NEVER}


def files(folder: Path) -> dict[str, set[str]]:
    texts = ((path, path.read_bytes().decode("latin-1")) for path in folder.rglob("*") if path.is_file())
    return {str(path): kinds for path, text in texts if (kinds := found_in(text))}


def database() -> dict[str, set[str]]:
    """The bytes of the database's files; PostgreSQL's are its server's own."""
    if connection.vendor != "sqlite":
        return {}
    main = Path(connection.settings_dict["NAME"])
    return {k: v for k, v in files(main.parent).items() if k.startswith(str(main))}


@pytest.fixture
def ran(stage: Any, make_user: Any, caplog: pytest.LogCaptureFixture) -> Execution:
    """A run that was coached, spoken about, marked, paused for a dialog and looked at again, and a replay of it."""
    caplog.set_level(logging.DEBUG)
    s: Stage = stage("coaching", EDGES, variables=VARIABLES, values={"patient": GIVEN, "pin": SECRET}, world=Marked)
    s.world.reads = {"ab": [READ]}
    s.world.unresolved["cd"] = ResolveStatus.NOT_FOUND
    s.run("accept", SHOWN, {"choice": "reject", "feedback": f"{TYPED}, {SEEN}"})
    button = {"text": f"Open {SEEN}", "box": [0.1, 0.1, 0.1, 0.1]}
    dialog = {"window": SEEN, "title": f"{SEEN} {TYPED}", "texts": [GIVEN], "buttons": [button], "box": [0, 0, 1, 1]}
    run = s.row()
    if run.state != "paused":
        Execution.objects.filter(pk=run.pk).update(state="paused", ended_at=None, desktop="here:7")
    Execution.objects.filter(pk=run.pk).update(pause_detail={"dialog": dialog, "picture": ""}, wish="")
    control.resume(
        execution_id=run.execution_id, press=button["text"], user=make_user("zoe", "operator"), origin=Origin.PAGE
    )
    mark(step=run.steps.get(edge_id="bc"), feedback="incorrect", reason=f"{TYPED} of {READ}")
    key = conversations.begin(about=run.execution_id)
    conversations.keep(key, role=MessageRole.USER, content=f"What of {SEEN}, {TYPED}, {GIVEN}?")
    replay = Replay.objects.create(workflow=run.version.workflow)
    ReplayDifference.objects.create(
        replay=replay, step=run.steps.get(edge_id="bc"), about="place", verdict="lost", why=SEEN
    )
    ended = timezone.now() - timedelta(days=30)
    Execution.objects.filter(pk=run.pk).update(state="stopped", ended_at=ended, wish="", secrets="")
    LearnedCorrection.objects.update(learned_at=ended)
    project_run(run.execution_id)
    return s.row()


def test_nothing_is_told_of_it_while_it_is_kept(
    ran: Execution, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    """Figures, exports, what people do, the log; and nowhere at all the secret."""
    held = tables()
    assert StepMetric.objects.exists() and {"given", "seen", "read", "typed"} <= set().union(*held.values())
    assert {name: kinds for name, kinds in held.items() if name in never()} == {}
    exported = zipfile.ZipFile(io.BytesIO(b"".join(archive()))).read("training.jsonl").decode()
    assert "{{patient}}" in exported and "{{who}}" in exported
    assert found_in(exported) <= {"typed", "seen"}, "what people wrote, without the run's data"
    assert found_in(exposition("")[0].decode()) == set()
    assert found_in(caplog.text) == set()
    assert {name for name, kinds in held.items() if "secret" in kinds} == set()
    assert files(tmp_path) == {}


def test_nothing_of_it_stays_when_its_days_are_over(ran: Execution, tmp_path: Path) -> None:
    before = {name for name, kinds in tables().items() if kinds}
    index = {"execution_steptexts"} if connection.vendor == "sqlite" else set()
    assert {"execution_step", "execution_executionevent", "gpu_messages"} | index <= before
    for path in tmp_path.rglob("*.png"):
        os.utime(path, (time.time() - 90_000,) * 2)
    LearnedCorrection.objects.filter(kind="params").update(state="off")
    Retention.objects.create(workflow_id="", texts_days=1, pictures_days=1, events_days=1)
    assert prune().anything
    assert tables() == {}
    assert files(tmp_path) == {}
    assert list(tmp_path.rglob("*.png")) == []
    assert database() == {}, "what was deleted is overwritten, in the index too"
