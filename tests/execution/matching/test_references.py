"""What is kept of taught pictures. S2.10: vectors by model, never compared across; another model embeds again."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from execution.matching import Reading, ReferencesInMemory, maker_of, prepare
from execution.matching.references import taught_window
from execution.perception.analyzer import ScreenAnalyzer
from execution.perception.elements import FrameDetector
from execution.perception.embedding import BuiltinEmbedder
from execution.types import Box, Element, ElementRole, ElementState, Embedding, Size, TextLine, Window
from tests.execution.perception.drawing import Canvas, ListReader, Pictures
from workflows.graph import EdgeSpec, GraphSpec, NodeSpec, TargetSpec


class OtherEmbedder:
    model_id = "other-1"

    def __init__(self) -> None:
        self.asked = 0

    def embed(self, pixels: np.ndarray) -> Embedding:
        self.asked += 1
        return Embedding(model=self.model_id, vector=np.eye(4, dtype=np.float32)[0])


class FailingReader:
    name = "failing"

    def read(self, pixels: np.ndarray, region: Box | None = None) -> tuple[TextLine, ...]:
        raise RuntimeError("out of order")


def page(*texts: str) -> Canvas:
    canvas = Canvas(640, 400)
    for index, text in enumerate(texts):
        canvas.text(text, 40, 30 + 60 * index)
    return canvas


class World:
    """Two taught pages in a picture store, and what reads them."""

    def __init__(self) -> None:
        self.pictures, self.store = Pictures(), ReferencesInMemory()
        self.pages = {"list": page("Patients", "Search"), "form": page("Admission", "Save")}
        self.digests = {name: self.pictures.put(canvas.pixels) for name, canvas in self.pages.items()}
        nodes = [NodeSpec(node_id=n, name=n, picture=d) for n, d in self.digests.items()]
        self.graph = GraphSpec(
            workflow_id="w", name="w", learning_state="COACHING", nodes=(*nodes, NodeSpec(node_id="bare", name="bare"))
        )
        self.told: list[tuple[int, int]] = []

    def analyzer(self, embedder=None) -> ScreenAnalyzer:
        self.reader = ListReader({self.digests[n]: canvas.lines for n, canvas in self.pages.items()})
        return ScreenAnalyzer(self.reader, FrameDetector(), embedder or BuiltinEmbedder())

    def prepare(self, analyzer: ScreenAnalyzer | None = None, **more):
        more.setdefault("progress", lambda done, total: self.told.append((done, total)))
        return prepare(
            self.graph, analyzer=analyzer or self.analyzer(), pictures=self.pictures, store=self.store, **more
        )


@pytest.fixture
def world() -> World:
    return World()


def test_every_node_with_a_picture_gets_its_reference(world):
    references = world.prepare()
    assert set(references) == {"list", "form"}
    assert [line.text for line in references["list"].reading.texts] == ["Patients", "Search"]
    assert references["list"].embedding.model == BuiltinEmbedder.model_id
    assert references["list"].problem == ""
    assert world.told == [(0, 2), (1, 2), (2, 2)]


def test_what_is_kept_is_not_read_again(world):
    first = world.prepare()
    world.told.clear()
    again = world.prepare()
    assert again["form"].reading == first["form"].reading
    assert np.array_equal(again["form"].embedding.vector, first["form"].embedding.vector)
    assert (world.reader.asked, world.told) == ([], [])


def test_a_new_picture_alone_is_read(world):
    world.prepare()
    canvas = world.pages["new"] = page("Discharge")
    world.digests["new"] = world.pictures.put(canvas.pixels)
    node = NodeSpec(node_id="new", name="new", picture=world.digests["new"])
    world.graph = replace(world.graph, nodes=(*world.graph.nodes, node))
    assert world.prepare()["new"].reading.texts[0].text == "Discharge"
    assert len(world.reader.asked) == 1


def test_all_pictures_of_a_screen_are_read_and_each_once(world):
    """S6.14: one more look at a screen; the picture of another screen may be a look of this one."""
    canvas = page("Nobody is waiting")
    empty = world.pictures.put(canvas.pixels)
    world.pages["empty"], world.digests["empty"] = canvas, empty
    listed, form = world.graph.nodes[:2]
    world.graph = replace(
        world.graph, nodes=(replace(listed, looks=(empty, form.picture)), replace(form, looks=(form.picture,)))
    )
    known = world.prepare()
    assert world.told[-1] == (3, 3)
    assert [look.picture for look in known["list"].looks] == [empty, form.picture]
    assert known["list"].looks[0].reading.texts[0].text == "Nobody is waiting"
    assert known["form"].looks == ()
    assert world.graph.pictures() >= {empty}
    lone = replace(world.graph, nodes=(replace(listed, picture="", looks=(empty,)),))
    world.graph = lone
    assert world.prepare()["list"].picture == empty


def test_another_model_embeds_again_and_reads_nothing_again(world):
    """S2.10: changing the model re-embeds from the stored reference pictures."""
    world.prepare()
    other = OtherEmbedder()
    references = world.prepare(world.analyzer(other))
    assert {r.embedding.model for r in references.values()} == {"other-1"}
    assert (other.asked, world.reader.asked) == (2, [])
    assert world.prepare()["list"].embedding.model == BuiltinEmbedder.model_id  # the old vectors are still kept


def test_another_reader_reads_again(world):
    world.prepare()
    analyzer = world.analyzer()
    analyzer.reader.name = "better"
    references = world.prepare(analyzer)
    assert world.reader.asked
    assert references["list"].reading.maker.startswith("better+")
    assert maker_of(analyzer) != maker_of(ScreenAnalyzer(analyzer.reader, None, None))


def test_a_picture_that_is_gone_costs_its_own_node_its_signs(world):
    del world.pictures[world.digests["list"]]
    references = world.prepare()
    assert references["form"].reading
    assert (references["list"].reading, references["list"].embedding) == (None, None)
    assert "cannot be had: no picture" in references["list"].problem


def test_what_a_failing_reader_gave_is_not_kept_and_the_look_is(world):
    failing = ScreenAnalyzer(FailingReader(), FrameDetector(), BuiltinEmbedder())
    references = world.prepare(failing)
    assert references["list"].reading is None
    assert references["list"].embedding is not None
    assert "was not read" in references["list"].problem
    assert "out of order" in references["list"].problem
    assert world.store.readings(world.digests.values(), maker_of(failing)) == {}


def test_where_reading_is_off_only_the_look_is_taken(world):
    """S2.2: OCR off for a run is no reason to read its pictures."""
    references = world.prepare(read=False)
    assert references["list"].reading is None
    assert references["list"].embedding is not None
    assert world.reader.asked == []
    world.prepare()
    assert world.prepare(read=False)["list"].reading is not None  # what was read before is used


def test_a_loop_that_must_leave_reads_no_further(world):
    left = iter([False, True, True])
    references = world.prepare(stop=lambda: next(left))
    assert sum(r.reading is not None for r in references.values()) == 1
    assert [r.problem for r in references.values() if not r.reading] == ["the run was told to leave before it was read"]


def test_a_reading_survives_json():
    field = Element(
        box=Box(5, 6, 70, 20), role=ElementRole.TAB, text="Résumé", states=frozenset({ElementState.CHECKED})
    )
    reading = Reading(
        picture="d", maker="m", size=Size(640, 400), texts=(TextLine(text="Né(e) le", box=Box(1, 2, 3, 4)),),
        elements=(field,),
    )  # fmt: skip
    assert Reading.from_json(json.loads(json.dumps(reading.to_json()))) == reading


@pytest.mark.parametrize(
    "broken",
    [{}, {"texts": [["x"]]}, {"elements": [["wheel", 0, 0, 1, 1, "", 1.0, []]]}, {"elements": [["tab"]]}, {"size": 3}],
)
def test_a_kept_reading_of_another_shape_is_refused(broken):
    whole = Reading(picture="d", maker="m", size=Size(640, 400)).to_json()
    with pytest.raises(ValueError, match="has another shape|is not a valid|unpack"):
        Reading.from_json(whole | broken if broken else {})


def test_the_window_is_what_the_targets_of_the_screen_say():
    """A target taught on the screen knows the title, and where it lay in the screen and in the window."""
    window = Box(100, 50, 800, 600)
    button = Box(180, 110, 80, 30)
    size = Size(1280, 800)
    inside = Box(button.x - window.x, button.y - window.y, button.w, button.h)
    target = TargetSpec(
        target_id="t", label="Save", box=button.normalised(size), screen_size=size, window_title="Patients - Ward",
        window_box=inside.normalised(Size(window.w, window.h)),
    )  # fmt: skip
    edge = EdgeSpec(edge_id="e", source="a", destination="b", action_type="click", target=target)
    a, b = NodeSpec(node_id="a", name="a", app_name="ward"), NodeSpec(node_id="b", name="b", app_name="ward")
    graph = GraphSpec(workflow_id="w", name="w", learning_state="COACHING", nodes=(a, b), edges=(edge,))
    taught = taught_window(graph, a)
    assert (taught.title, taught.app_name) == ("Patients - Ward", "ward")
    assert all(abs(x - y) <= 2 for x, y in zip(taught.box, window, strict=True))
    assert taught_window(graph, b).title == ""
    assert taught_window(graph, NodeSpec(node_id="c", name="c")) is None
    # Of a part that is no pixel of it no window is told.
    target = replace(target, window_box=(0.1, 0.1, 1e-9, 0.1))
    graph = replace(graph, edges=(replace(edge, target=target),))
    assert taught_window(graph, a) == Window(title="Patients - Ward", app_name="ward")


def test_where_no_target_says_it_the_window_is_where_it_lay_when_the_screen_was_taught(world):
    """As of a card that is only read, or the screen on which a run ends: the windows behind it are none of it."""
    seen = (0.25, 0.1, 0.5, 0.5)
    nodes = [replace(node, window_box=seen if node.node_id == "form" else None) for node in world.graph.nodes]
    world.graph = replace(world.graph, nodes=tuple(nodes))
    known = world.prepare()
    size = known["form"].reading.size
    assert known["form"].window == Window(box=Box.from_normalised(seen, size))
    assert known["list"].window is None
