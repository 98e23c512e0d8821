"""S10.4 on a real page: pictures, stored and live, are read again with the product's own reader."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from typing import Any

import pytest

from execution.actions.decide import decide
from execution.actions.start import start
from execution.choices import PromptKind
from execution.desktop.x11 import X11Desktop
from execution.models import Execution, Prompt
from execution.perception.analyzer import ScreenAnalyzer
from execution.running import live_picture
from execution.running.runner import Hooks, Runner
from execution.types import DecisionSource
from tests.execution.record.test_redaction import everything
from tests.execution.turn.test_saves_on_a_page import record_form
from tests.factories import make_published
from tests.support.display import VirtualDesktop, virtual_desktop
from tests.support.on_a_page import ON_A_PAGE
from workflows.pictures import PictureStore, decode

pytestmark = [*ON_A_PAGE, pytest.mark.security]

PAGE = """<!doctype html><html lang="fr"><meta charset="utf-8"><title>Record form</title>
<style>
  body { font: 16px/1.7 "DejaVu Sans", sans-serif; margin: 30px }
  td, th { border: 1px solid #aab; padding: 4px 12px; text-align: left } button { font: inherit; padding: 8px 24px }
</style>
<h1>New record</h1><p id="said">&nbsp;</p>
<p>Patiente : Léa Dupont, anna.martin@example.fr, chambre 12</p>
<table><tr><th>NIR</th><th>Courriel</th></tr>
<tr><td>1 84 12 75 123 456 78</td><td>lea_dupont@hopital.example.org</td></tr></table>
<p><input value="berta@example.com" style="font: inherit"> <small>184127512345678</small></p>
<p><button id="save">Save</button></p>
<script>
  document.getElementById("save").addEventListener("click", () => {
    document.getElementById("said").textContent = "Saved for anna.martin@example.fr, 1841275123456";
  });
</script></html>"""
DIGITS = ("184127512345678", "1841275123456")
LOCAL_PARTS = ("anna.martin", "lea_dupont", "lea dupont@", "berta@")


@pytest.fixture(scope="module")
def screen() -> Iterator[VirtualDesktop]:
    with virtual_desktop(1000, 700) as one:
        yield one


def told(text: str) -> list[str]:
    """What of the page's addresses and numbers stands in a text."""
    plain, digits = text.lower(), re.sub(r"[^0-9]", "", text)
    return [part for part in LOCAL_PARTS if part in plain] + [number for number in DIGITS if number in digits]


def test_neither_stored_nor_live_pictures_can_be_read_for_what_is_masked(
    screen: VirtualDesktop, analyzer: ScreenAnalyzer
) -> None:
    """The page's own picture can, or this would show nothing."""
    nodes = [
        {"node_id": "form", "name": "Form", "texts": ["New record"], "window_title": "Record form*", "is_entry": True},
        {"node_id": "saved", "name": "Saved", "texts": ["Saved for"], "window_title": "Record form*", "is_end": True},
    ]
    edge = {
        "edge_id": "save", "source": "form", "destination": "saved", "action_type": "click",
        "target": {"target_id": "save", "label": "Save", "text": "Save", "role": "button"},
        "expect": {"texts": ["Saved for"]}, "settle_ms": 200, "settle_timeout_ms": 4000,
    }  # fmt: skip
    flags = {"mask_patterns": ["email", "national_number"], "analyze_timeout_ms": 60_000}
    version = make_published(nodes=nodes, edges=[edge], variables=[], **flags)
    live: list[str] = []

    def read(pixels: Any) -> str:
        assert analyzer.reader is not None
        return " ".join(found.text for found in analyzer.reader.read(pixels))

    def answer(prompt: Prompt) -> None:
        assert prompt.kind == PromptKind.COACHING, prompt.message
        time.sleep(1.2)  # the live picture is renewed by a thread of its own
        live.append(read(decode(live_picture.path_of(prompt.execution.robot.name).read_bytes())))
        decide(prompt_id=prompt.pk, choice="accept", source=DecisionSource.PROGRAM)

    with record_form(screen, PAGE):
        desktop = X11Desktop(screen.display)
        execution = start(workflow_id=version.workflow.workflow_id, mode="coaching", desktop=desktop.name)
        Runner(desktop=desktop, analyzer=analyzer, once=True, hooks=Hooks(on_prompt=answer)).run()
        looking = X11Desktop(screen.display)
        assert set(told(read(looking.grab().pixels))) >= {"anna.martin", "184127512345678"}
    done = Execution.objects.by_id(execution.execution_id)
    assert done.state == "completed", (done.state, done.pause_detail)
    store = PictureStore()
    pictures = {digest for step in done.steps.all() for digest in (step.picture_before, step.picture_after) if digest}
    kept = [read(store.get(digest)) for digest in pictures]
    assert len(kept) >= 2
    assert any("New record" in text for text in kept)
    assert live
    assert any("New record" in text for text in live)
    assert [found for text in [*kept, *live] if (found := told(text))] == []
    rows = everything().lower()
    assert [part for part in (*LOCAL_PARTS, *DIGITS, "1 84 12 75") if part in rows] == []
