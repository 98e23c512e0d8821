"""Teaches a story once, on the programs themselves, in a process of its own that has the product's settings.

    python -m benchmarks.story_lesson DISPLAY MODULE FOLDER

MODULE has the Story as `STORY`. It points where a person would; the target's box, its evidence and what must be seen
before and after are the product's own. A picture of each screen goes to FOLDER.
"""

from __future__ import annotations

import importlib
import os
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.story import Act, Screen, Story
from tests.support.display import VirtualDesktop, wait_until, windows_of
from tests.support.processes import finished

ROOT = Path(__file__).resolve().parents[1]
LESSON_S, READING_S = 240, 120


def teach(screen: VirtualDesktop, module: str, folder: Path, *, env: dict[str, str]) -> None:
    """Run the lesson on `screen`; raises AssertionError with what it said when it did not come to its end."""
    command = [sys.executable, "-m", "benchmarks.story_lesson", screen.display, module, str(folder)]
    done = finished(command, cwd=ROOT, env=env, timeout=LESSON_S)
    (folder / "lesson.log").write_text(done.stdout + done.stderr)
    if done.returncode:
        raise AssertionError(f"The lesson {module} failed:\n{done.stdout[-2000:]}{done.stderr[-4000:]}")


def main(display: str, module: str, folder: Path) -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "rpa_site.settings")
    import django

    django.setup()
    from execution.desktop.x11 import X11Desktop
    from tests.support.eyes import patient_analyzer
    from workflows.actions.publish import publish
    from workflows.pictures import PictureStore

    story: Story = importlib.import_module(module).STORY
    workflow = draw(story)
    desktop = X11Desktop(display)
    try:
        Lesson(story, workflow, desktop, patient_analyzer(), PictureStore(), folder).give()
    finally:
        desktop.close()
    version = publish(workflow=workflow, user=None, note="taught")
    print(f"taught {len(story.acts)} actions, published as version {version.number}")


def draw(story: Story) -> Any:
    """The rows of the graph, without what teaching adds."""
    from workflows.models import Edge, Node, Variable, Workflow

    workflow = Workflow.objects.create(
        workflow_id=story.workflow_id, name=story.workflow_id, learning_state="AUTO_CONFIRMED"
    )
    nodes = {
        screen.node_id: Node.objects.create(
            workflow=workflow,
            node_id=screen.node_id,
            name=screen.node_id,
            texts=list(screen.texts),
            absent=list(screen.absent),
            window_title=screen.title,
            is_entry=screen is story.parts[0],
            is_end=screen is story.parts[-1],
        )
        for screen in dict.fromkeys(story.screens)
    }
    for order, (source, act, destination) in enumerate(story.edges):
        Edge.objects.create(
            workflow=workflow,
            edge_id=act.edge_id,
            source=nodes[source.node_id],
            destination=nodes[destination.node_id],
            action_type=act.action,
            params=act.params,
            order=order,
            repeat=act.repeat or {},
            identity=[dict(zip(("label", "value"), act.identity, strict=True))] if act.identity else [],
        )
    for order, (name, value) in enumerate(story.values.items()):
        Variable.objects.create(workflow=workflow, name=name, label=name, order=order, default=value)
    return workflow


class Lesson:
    """Eyes and hands of whoever teaches."""

    def __init__(self, story: Story, workflow: Any, desktop: Any, analyzer: Any, store: Any, folder: Path) -> None:
        self.story, self.workflow, self.desktop = story, workflow, desktop
        self.analyzer, self.store, self.folder = analyzer, store, folder

    def give(self) -> None:
        before = self.look(self.story.screens[0])
        for _source, act, destination in self.story.edges:
            self.show(act, before)
            after = self.look(destination)
            self.declare(act, before, after)
            before = after

    def look(self, screen: Screen) -> Any:
        """Wait for the window that `screen` is in, look, and keep the picture."""
        import cv2

        from execution.desktop.capture import settle

        title = self.fill(screen.title).strip("*")
        wait_until(lambda: title in getattr(self.desktop.window(), "title", title), what=f"the window {title}")
        settle(self.desktop, settle_ms=500, timeout_ms=6000)
        state = wait_until(self.read, timeout=READING_S, what="a screen that was read")
        node = self.workflow.nodes.get(node_id=screen.node_id)
        node.reference = self.row(self.store.put(state.frame.pixels))
        node.save()
        number = self.story.screens.index(screen)
        cv2.imwrite(str(self.folder / f"{number:02}-{screen.node_id}.png"), state.frame.pixels)
        return state

    def read(self) -> Any | None:
        """The screen; None where it could not be read in time, as what is learnt from that is half of it."""
        state = self.analyzer.analyze(self.desktop.grab(), self.desktop.window())
        return None if state.degraded or not state.text_method else state

    def show(self, act: Act, state: Any) -> None:
        if act.action == "click":
            self.click(act, state)
        elif act.action == "press_keys":
            self.desktop.press(act.keys)
        elif act.action == "type_text":
            if act.clear:
                self.desktop.press(("ctrl", "a"))
            self.desktop.type_text(self.fill(act.text))
        else:
            wait_until(lambda: self.sees(act.text), what=f"“{act.text}”")

    def click(self, act: Act, state: Any) -> None:
        from execution.targeting.boxes import target_box
        from execution.teaching.evidence import teach_target
        from workflows.models import Edge, Target
        from workflows.specs import target_columns

        point = self.point(act, state)
        box, label = target_box(state, point), act.label or act.text
        counter = act.repeat["counter"] if act.repeat else ""
        counted = {"number": f"{{{{{counter}}}}}", "values": {counter: "1"}} if counter else {}
        spec = teach_target(
            state.frame, box, label=label, state=state, click=point, store=self.store, row=act.row, **counted
        )
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
        from execution.language.fuzzy import folded
        from execution.types import Box, Point

        window = next(w for w in windows_of(self.desktop.name) if act.window in w.title)
        if act.part is not None:
            return Point(window.x + round(act.part[0] * window.width), window.y + round(act.part[1] * window.height))
        area = Box(window.x, window.y, window.width, window.height)
        inside = [
            line.box for line in state.texts if area.contains(line.box.center) and folded(line.text) == folded(act.text)
        ]
        if not inside:
            sys.exit(f"“{act.text}” is not in {act.window}: {[line.text for line in state.texts]}")
        middle = max(inside, key=lambda box: box.y).center  # a dialog's button stands below its title
        return Point(middle.x + act.beside, middle.y)

    def sees(self, text: str) -> bool:
        from execution.language.fuzzy import folded

        state = self.analyzer.analyze(self.desktop.grab(), self.desktop.window())
        return any(folded(text) in folded(line.text) for line in state.texts)

    def declare(self, act: Act, before: Any, after: Any) -> None:
        """What must be seen before and after, as the product fills it in from what changed."""
        from execution.teaching.expectations import expectation_of
        from workflows.graph import ExpectSpec
        from workflows.models import Edge

        typed = self.fill(act.text) if act.action == "type_text" else ""
        first, then = expectation_of(before, after, action_type=act.action, typed=typed, variables=self.story.values)
        if act.seen:
            first, then = ExpectSpec(), ExpectSpec(texts=(act.seen,))
        print(f"  {act.edge_id}: before {first}, after {then}")
        Edge.objects.filter(workflow=self.workflow, edge_id=act.edge_id).update(
            before=asdict(first) if first else {}, expect=asdict(then) if then else {}
        )

    def fill(self, text: str) -> str:
        from workflows.text import fill

        return fill(text, self.story.values)

    def row(self, digest: str) -> Any:
        from workflows.models import Picture

        height, width = self.store.get(digest).shape[:2]
        return Picture.objects.get_or_create(digest=digest, defaults={"width": width, "height": height})[0]


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], Path(sys.argv[3]))
