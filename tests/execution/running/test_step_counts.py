"""What a step costs, in counts that no busy machine changes: pictures read, matchings, queries (S7.7)."""

from __future__ import annotations

import threading
from collections import Counter
from typing import Any

import pytest
from django.db.backends.utils import CursorWrapper

from execution.matching.matcher import Matcher
from tests.doubles.scripted import ScriptedDesktop
from tests.execution.running.test_runner import Talk
from tests.support.scripted import PAGES, KnownReader, publish_line, queue, screens

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("own_folder")]


@pytest.fixture
def counts(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often the thread of the run reads, matches and asks the database."""
    seen, own = Counter[str](), threading.get_ident()

    def count(of: type, method: str, what: str) -> None:
        plain = getattr(of, method)

        def counted(*args: Any, **more: Any) -> Any:
            if what != "queries" or threading.get_ident() == own:
                seen[what] += 1
            return plain(*args, **more)

        monkeypatch.setattr(of, method, counted)

    count(KnownReader, "read", "reads")
    count(Matcher, "recognise", "matchings")
    count(CursorWrapper, "execute", "queries")
    return seen


def cost(counts: Counter[str], pages: tuple[str, ...]) -> Counter[str]:
    version = publish_line(*pages)
    queue(version)
    counts.clear()
    Talk(desktop=ScriptedDesktop(screens(*pages))).run()
    return Counter(counts)


def test_what_three_steps_more_cost(counts: Counter[str]) -> None:
    """Of each screen the two texts are read that are others now; which it is is asked before and after."""
    cost(counts, PAGES[:3])  # a robot that signs on for the first time is entered
    short, long = cost(counts, PAGES[:3]), cost(counts, PAGES)
    assert {what: (long[what] - short[what]) / 3 for what in long} == {"reads": 2, "matchings": 2, "queries": 58}
