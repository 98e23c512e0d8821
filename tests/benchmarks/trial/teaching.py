"""Teaches the trial once, on the programs themselves, in a process of its own that has the product's settings.

    python -m tests.benchmarks.trial.teaching DISPLAY FOLDER

It points where a person would; box, evidence and what must be seen before and after are the product's own. A picture of
each screen goes to FOLDER.
"""

from __future__ import annotations

import os
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tests.benchmarks.trial.script import ACTS, OPEN_EDGES, SCREENS, TAUGHT, WORKFLOW_ID, Act, Screen


def main(display: str, folder: Path) -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "rpa_site.settings")
    import django

    django.setup()
    from execution.desktop.x11 import X11Desktop
    from execution.perception.analyzer import build_analyzer
    from workflows.actions.publish import publish
    from workflows.pictures import PictureStore

    workflow = draw()
    desktop = X11Desktop(display)
    try:
        Lesson(workflow, desktop, build_analyzer(), PictureStore(), folder).give()
    finally:
        desktop.close()
    version = publish(workflow=workflow, user=None, note="trial")
    print(f"taught {len(ACTS)} actions, published as version {version.number}")


def draw() -> Any:
    """The rows of the graph, without what teaching adds."""
    from workflows.models import Edge, Node, Variable, Workflow

    workflow = Workflow.objects.create(workflow_id=WORKFLOW_ID, name="Trial", learning_state="AUTO_CONFIRMED")
    nodes = {
        screen.node_id: Node.objects.create(
            workflow=workflow,
            node_id=screen.node_id,
            name=screen.node_id,
            texts=list(screen.texts),
            absent=list(screen.absent),
            window_title=screen.title,
            is_entry=screen is SCREENS[0],
            is_end=screen is SCREENS[-1],
        )
        for screen in SCREENS
    }
    for source, act, destination in OPEN_EDGES:
        Edge.objects.create(
            workflow=workflow,
            edge_id=act.edge_id,
            source=nodes[source.node_id],
            destination=nodes[destination.node_id],
            action_type=act.action,
            params=act.params,
        )
    for order, (name, value) in enumerate(TAUGHT.items()):
        Variable.objects.create(workflow=workflow, name=name, label=name, order=order, default=value)
    return workflow


class Lesson:
    """Eyes and hands of whoever teaches."""

    def __init__(self, workflow: Any, desktop: Any, analyzer: Any, store: Any, folder: Path) -> None:
        self.workflow, self.desktop, self.analyzer, self.store, self.folder = workflow, desktop, analyzer, store, folder

    def give(self) -> None:
        before = self.look(SCREENS[0])
        for _source, act, destination in OPEN_EDGES:
            self.show(act, before)
            after = self.look(destination)
            self.declare(act, before, after)
            before = after

    def look(self, screen: Screen) -> Any:
        """Wait for the window that `screen` is in, look, and keep the picture."""
        from execution.desktop.capture import settle
        from tests.support.display import wait_until
        from workflows.text import fill

        title = fill(screen.title, TAUGHT).strip("*")
        wait_until(lambda: title in getattr(self.desktop.window(), "title", title), what=f"the window {title}")
        settle(self.desktop, settle_ms=500, timeout_ms=6000)
        state = self.analyzer.analyze(self.desktop.grab(), self.desktop.window())
        node = self.workflow.nodes.get(node_id=screen.node_id)
        node.reference = self.row(self.store.put(state.frame.pixels))
        node.save()
        self.keep(screen.node_id, state)
        return state

    def keep(self, name: str, state: Any) -> None:
        import cv2

        cv2.imwrite(str(self.folder / f"{SCREENS.index(self.screen(name)):02}-{name}.png"), state.frame.pixels)

    @staticmethod
    def screen(name: str) -> Screen:
        return next(screen for screen in SCREENS if screen.node_id == name)

    def show(self, act: Act, state: Any) -> None:
        from workflows.text import fill

        if act.action == "click":
            self.click(act, state)
        elif act.action == "press_keys":
            self.desktop.press(act.keys)
        elif act.action == "type_text":
            if act.clear:
                self.desktop.press(("ctrl", "a"))
            self.desktop.type_text(fill(act.text, TAUGHT))
        else:
            self.await_text(act.text)

    def click(self, act: Act, state: Any) -> None:
        from execution.targeting.boxes import target_box
        from execution.targeting.evidence import teach_target
        from workflows.models import Edge, Target
        from workflows.specs import target_columns

        point = self.point(act, state)
        box = target_box(state, point)
        spec = teach_target(state.frame, box, label=act.label or act.text, state=state, click=point, store=self.store)
        print(f"  {act.edge_id}: {asdict(spec)}")
        edge = Edge.objects.get(workflow=self.workflow, edge_id=act.edge_id)
        columns = {**target_columns(spec), "target_id": f"t_{act.edge_id}"}
        edge.target = Target.objects.create(
            workflow=self.workflow, picture=self.row(spec.picture), context=self.row(spec.context), **columns
        )
        edge.save()
        self.desktop.click(point)

    def point(self, act: Act, state: Any) -> Any:
        """Where whoever teaches clicks: on the text, beside it, or in a part of the window."""
        from execution.navigation.words import folded
        from execution.types import Point

        window = next(w for w in self.desktop_windows() if act.window in w.title)
        if act.part is not None:
            return Point(window.x + round(act.part[0] * window.width), window.y + round(act.part[1] * window.height))
        inside = [
            line
            for line in state.texts
            if window.x <= line.box.center.x < window.x + window.width
            and window.y <= line.box.center.y < window.y + window.height
            and folded(line.text) == folded(act.text)
        ]
        if not inside:
            sys.exit(f"“{act.text}” is not in {act.window}: {[line.text for line in state.texts]}")
        middle = max(inside, key=lambda line: line.box.y).box.center
        return Point(middle.x + act.beside, middle.y)

    def desktop_windows(self) -> Any:
        from tests.support.display import _connection, _listed_windows

        with _connection(self.desktop.name) as connection:
            return _listed_windows(connection)

    def await_text(self, text: str) -> None:
        from execution.navigation.words import folded
        from tests.support.display import wait_until

        def seen() -> bool:
            state = self.analyzer.analyze(self.desktop.grab(), self.desktop.window())
            return any(folded(text) in folded(line.text) for line in state.texts)

        wait_until(seen, what=f"“{text}”")

    def declare(self, act: Act, before: Any, after: Any) -> None:
        """What must be seen before and after, as the product fills it in from what changed."""
        from execution.navigation.expectations import expectation_of
        from workflows.models import Edge
        from workflows.text import fill

        typed = fill(act.text, TAUGHT) if act.action == "type_text" else ""
        first, then = expectation_of(before, after, action_type=act.action, typed=typed, variables=TAUGHT)
        print(f"  {act.edge_id}: before {first}, after {then}")
        Edge.objects.filter(workflow=self.workflow, edge_id=act.edge_id).update(
            before=asdict(first) if first else {}, expect=asdict(then) if then else {}
        )

    def row(self, digest: str) -> Any:
        from workflows.models import Picture

        height, width = self.store.get(digest).shape[:2]
        return Picture.objects.get_or_create(digest=digest, defaults={"width": width, "height": height})[0]


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
