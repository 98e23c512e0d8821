"""The whole way on a real program: read, recognise, teach, find, verify."""

from __future__ import annotations

from collections.abc import Iterator

import cv2
import numpy as np
import pytest

from execution.matching import Matcher, ReferencesInMemory, prepare
from execution.perception.analyzer import ScreenAnalyzer
from execution.targeting.boxes import target_box
from execution.targeting.resolver import TargetResolver
from execution.teaching.evidence import teach_target
from execution.types import Answer, Box, Point, ResolveStatus, ScreenState, Window
from execution.verification.verifier import verify_after
from tests.execution.perception.drawing import Pictures, frame
from tests.support.display import VirtualDesktop, missing_programs, virtual_desktop, wait_until
from workflows.choices import EffectClass
from workflows.graph import EdgeSpec, GraphSpec, NodeSpec

pytestmark = pytest.mark.display

BAR = ("File", "Edit", "Search", "View", "Document", "Help")


@pytest.fixture
def desktop() -> Iterator[VirtualDesktop]:
    missing = missing_programs("mousepad", "xdotool")
    if missing:
        pytest.fail(f"install what this test needs: {', '.join(missing)}")
    with virtual_desktop(1280, 800) as screen:
        screen.spawn(["mousepad"])
        screen.wait_for_window("Mousepad")
        yield screen


def grab(desktop: VirtualDesktop) -> np.ndarray:
    import mss

    with mss.MSS(display=desktop.display) as eyes:
        return cv2.cvtColor(np.asarray(eyes.grab(eyes.monitors[0])), cv2.COLOR_BGRA2BGR)


def look(desktop: VirtualDesktop, analyzer: ScreenAnalyzer, *texts: str) -> ScreenState:
    """The screen once all of `texts` can be read on it."""

    def seen() -> ScreenState | None:
        window = next((w for w in desktop.windows() if w.active), None)
        known = window and Window(
            title=window.title, app_name=window.app_name, box=Box(window.x, window.y, window.width, window.height)
        )
        state = analyzer.analyze(frame(grab(desktop)), known)
        read = [line.text for line in state.texts]
        return state if all(any(text in line for line in read) for text in texts) else None

    return wait_until(seen, what=f"a screen that reads {texts}")


def click(desktop: VirtualDesktop, point: Point) -> None:
    desktop.run(["xdotool", "mousemove", str(point.x), str(point.y), "click", "1"])


def line_box(state: ScreenState, text: str) -> Box:
    return next(line.box for line in state.texts if line.text == text)


def test_save_as_is_read_taught_and_found_again_after_the_window_moved(desktop, analyzer):
    """S2.8, S5.3, S1.5 on Mousepad's own menu."""
    plain = look(desktop, analyzer, *BAR)
    assert [line.text for line in plain.texts if line.text in BAR] == list(BAR)
    click(desktop, line_box(plain, "File").center)
    menu = look(desktop, analyzer, "Save As", "Quit")
    store, save_as = Pictures(), next(line.box for line in menu.texts if line.text.startswith("Save As"))
    target = teach_target(
        menu.frame, target_box(menu, save_as.center), label="Save As", state=menu, click=save_as.center, store=store
    )
    graph = GraphSpec(
        workflow_id="wf", name="wf", learning_state="COACHING",
        nodes=(
            NodeSpec(node_id="main", name="Main", texts=BAR, picture=store.put(plain.frame.pixels)),
            NodeSpec(node_id="menu", name="Menu", texts=("New Window", "Save As...", "Print...", "Quit"),
                     picture=store.put(menu.frame.pixels)),
        ),
    )  # fmt: skip
    references = prepare(graph, analyzer=analyzer, pictures=store, store=ReferencesInMemory())
    matcher = Matcher(graph, pictures=store, embedder=analyzer.embedder, references=references)
    assert matcher.recognise(plain, variables={}).match.node_id == "main"
    recognition = matcher.recognise(menu, variables={}, last_node="main", expected="menu")
    assert recognition.match.node_id == "menu"
    opening = EdgeSpec(edge_id="e", source="main", destination="menu", action_type="click")
    assert verify_after(opening, before=plain, after=menu, recognition=recognition, variables={}).answer is Answer.YES

    resolver = TargetResolver(pictures=store)
    assert resolver.resolve(target, plain, variables={}).status is ResolveStatus.NOT_FOUND
    found = resolver.resolve(target, menu, variables={})
    assert (found.status, found.rung) == (ResolveStatus.FOUND, "anchor_template")
    assert save_as.contains(found.point)

    desktop.run(["xdotool", "key", "Escape"])
    window = next(w for w in desktop.windows() if "Mousepad" in w.title)
    desktop.run(["xdotool", "windowmove", str(window.id), "30", "60"])
    wait_until(lambda: any(w.x < 100 for w in desktop.windows() if w.id == window.id), what="the window to move")
    moved = look(desktop, analyzer, *BAR)
    click(desktop, line_box(moved, "File").center)
    menu_moved = look(desktop, analyzer, "Save As", "Quit")
    again = resolver.resolve(target, menu_moved, variables={})
    assert again.status is ResolveStatus.FOUND
    assert again.point != found.point
    click(desktop, again.point)
    desktop.wait_for_window("Save As")


def test_a_menu_that_another_window_half_covers_is_opened_at_the_half_that_is_in_sight(desktop, analyzer):
    """S5.3: its middle is the other window's, which has a menu of the same name."""
    plain = look(desktop, analyzer, *BAR)
    store, words = Pictures(), line_box(plain, "Document")
    box = target_box(plain, words.center)
    target = teach_target(plain.frame, box, label="Document", state=plain, click=box.center, store=store)
    first = next(w for w in desktop.windows() if "Mousepad" in w.title)
    desktop.spawn(["mousepad", "--disable-server"])
    second = wait_until(
        lambda: next((w for w in desktop.windows() if "Mousepad" in w.title and w.id != first.id), None),
        what="another window",
    )
    edge = box.x + round(0.45 * box.w)
    desktop.run(["xdotool", "windowmove", str(second.id), str(edge), str(max(0, box.y - 100))])
    desktop.run(["xdotool", "windowfocus", str(first.id)])

    def covered() -> ScreenState | None:
        """The screen once the other window is drawn where it was moved to; as a notification it has not the focus."""
        there = next(w for w in desktop.windows() if w.id == second.id)
        state = analyzer.analyze(frame(grab(desktop)), plain.window)
        twice = sum(line.text.startswith("File") for line in state.texts) == 2
        at_rest = twice and np.array_equal(state.frame.pixels, grab(desktop))
        return state if at_rest and abs(there.x - edge) < 12 and there.y < box.y < there.y + there.height else None

    state = wait_until(covered, what="the other window to lie over half of the menu")
    found = TargetResolver(pictures=store).resolve(target, state, variables={}, effect=EffectClass.READ)
    assert found.status is ResolveStatus.FOUND, found.message
    assert box.x <= found.point.x < edge
    click(desktop, found.point)
    look(desktop, analyzer, "Line Ending")
