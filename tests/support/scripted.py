"""A whole run on a scripted desktop: the real run loop, eyes, matcher and hands; only the reader knows the screen."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from execution.actions.start import start
from execution.models import Execution
from execution.perception.analyzer import ScreenAnalyzer
from execution.types import Box, Point, TextLine
from tests.doubles.scripted import ScriptedDesktop
from tests.doubles.widgets import Button, ScriptedScreen, TextLabel, View
from tests.factories import make_published
from tests.support.drawn_texts import text_box
from workflows.models import WorkflowVersion

BUTTON = Box(400, 400, 160, 48)


def screens(*names: str) -> list[ScriptedScreen]:
    """Screens in a line, each with its name on it and a button "Go on" that leads to the next."""
    following = [*names[1:], ""]
    return [
        ScriptedScreen(
            name=name,
            title=f"{name.title()} - Forms",
            widgets=[TextLabel(text=f"Page {name}", at=Point(60, 90)), Button(name="go", text="Go on", box=BUTTON)],
            on={"go": then},
        )
        for name, then in zip(names, following, strict=True)
    ]


def three_pages() -> ScriptedDesktop:
    """For `runloop --desktop scripted:tests.support.scripted.three_pages`."""
    return ScriptedDesktop(screens("one", "two", "three"))


PAGES = ("one", "two", "three", "four", "five", "six")


def six_pages() -> ScriptedDesktop:
    """For `runloop --desktop scripted:tests.support.scripted.six_pages`."""
    return ScriptedDesktop(screens(*PAGES))


class KnownReader:
    """Reads what the script says is drawn."""

    name = "known"

    def __init__(self, desktop: ScriptedDesktop) -> None:
        self.desktop = desktop

    def read(self, pixels: np.ndarray, region: Box | None = None) -> tuple[TextLine, ...]:
        found = []
        view = self.shown_on(pixels)
        for widget in view.screen.widgets:
            text = self.said_by(widget, view)
            found.append(TextLine(text=text, box=text_box(widget, text)))
        return tuple(found)

    def shown_on(self, pixels: np.ndarray) -> View:
        """What there is by now, whatever the picture shows."""
        return self.desktop._view()

    def said_by(self, widget: Any, view: View) -> str:
        """What it is called; what a field holds is not read."""
        return getattr(widget, "text", "")


def analyzer(desktop: ScriptedDesktop) -> ScreenAnalyzer:
    return ScreenAnalyzer(KnownReader(desktop), None, None)


def publish_line(*names: str, **edge: Any) -> WorkflowVersion:
    """The workflow of `screens(*names)`: one click on "Go on" from each page to the next."""
    nodes = [
        {
            "node_id": name,
            "name": name.title(),
            "texts": [f"Page {name}"],
            "window_title": f"{name.title()} - Forms",
            "is_entry": name == names[0],
            "is_end": name == names[-1],
        }
        for name in names
    ]
    edges = [
        {
            "edge_id": f"{source}_{destination}",
            "source": source,
            "destination": destination,
            "action_type": "click",
            "target": {"target_id": f"go_{source}", "label": "Go on", "text": "Go on", "role": "button"},
            "expect": {"window_title": f"{destination.title()} - Forms"},
            "settle_ms": 20,
            "settle_timeout_ms": 500,
            "retry_backoff_ms": 0,
            **edge,
        }
        for source, destination in pairwise(names)
    ]
    return make_published(nodes=nodes, edges=edges, variables=[])


def queue(version: WorkflowVersion, mode: str = "automatic", **more: Any) -> Execution:
    return start(workflow_id=version.workflow.workflow_id, mode=mode, **more)
