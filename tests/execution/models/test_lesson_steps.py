"""What is kept of a step while several have something to say of it: the trial, the page, whoever teaches (S6.12)."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from django.db import connection, transaction

from execution.models import Lesson, LessonStep
from execution.running.lesson_proofs import Proofs
from tests.support.taught import make_lesson

pytestmark = pytest.mark.django_db(transaction=True)

RECORD = {"identity": [{"value": "{{patient}}"}]}
PROOF = {"found": 1, "of": 1}


@pytest.fixture
def lesson(designer: Any) -> Lesson:
    return make_lesson(designer)


def test_what_is_kept_of_a_row_read_long_ago_leaves_what_came_since(lesson: Lesson) -> None:
    long_ago = lesson.steps.get(index=1)
    lesson.steps.get(index=1).note(record={**RECORD, "accepted": True})
    long_ago.note(proof=PROOF, drop="counts")
    assert long_ago.screen == lesson.steps.get(index=1).screen
    assert long_ago.screen == {"proof": PROOF, "record": {**RECORD, "accepted": True}}


def test_a_trial_that_is_kept_while_somebody_accepts_a_record_takes_nothing_back(lesson: Lesson) -> None:
    """S9.6: whose record it is was agreed to, and is asked of each step that follows."""
    proofs = Proofs(lesson, _Here(), found=lambda work: None)  # type: ignore[arg-type]
    step = lesson.steps.get(index=1)
    has_read = threading.Event()

    def told(execute: Any, *statement: Any) -> Any:
        found = execute(*statement)
        has_read.set()
        return found

    def keep() -> None:
        try:
            with connection.execute_wrapper(told):
                proofs._keep(step.pk, proof=PROOF)
        finally:
            connection.close()

    keeping = threading.Thread(target=keep)
    with transaction.atomic():
        step.note(record={**RECORD, "accepted": True})
        keeping.start()
        has_read.wait(0.5)  # it may wait for this transaction before it reads, and should
    keeping.join(60)
    kept = LessonStep.objects.get(pk=step.pk).screen
    assert (kept["proof"], kept["record"]) == (PROOF, {**RECORD, "accepted": True})


class _Here:
    pending = None
