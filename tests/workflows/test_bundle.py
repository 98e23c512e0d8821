"""A workflow as one file; a bad file is refused whole with the reason, and nothing is changed (S8.6)."""

from __future__ import annotations

import io
import json
import struct
import tracemalloc
import warnings
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.core.management import CommandError, call_command
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image

from tests.factories import EDGES, NODES, make_picture, make_user, make_workflow
from workflows.actions.publish import publish
from workflows.bundle import export_bundle, import_bundle
from workflows.choices import LearningState
from workflows.exceptions import DomainError, InvalidWorkflow
from workflows.graph import GraphSpec
from workflows.models import Edge, Node, Picture, Target, Variable, Workflow
from workflows.picture_files import PictureFiles
from workflows.pictures import PictureStore
from workflows.specs import graph_of, target_columns
from workflows.unpacking import BadBundle

pytestmark = pytest.mark.django_db

EVIDENCE = {"box": [0.1, 0.2, 0.05, 0.03], "screen_size": [1280, 800], "click": [0.5, 0.5], "neighbours": []}


def pictured(**fields: Any) -> Workflow:
    """The default workflow with a picture on a screen, and picture and surroundings on its target."""
    target = {
        **EDGES[2]["target"],
        "picture": make_picture().digest,
        "context": make_picture(width=90).digest,
        "evidence": EVIDENCE,
    }
    nodes = ({**NODES[0], "picture": make_picture().digest}, *NODES[1:])
    return make_workflow(nodes=nodes, edges=(*EDGES[:2], {**EDGES[2], "target": target}), **fields)


def unpacked(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as bundle:
        return {name: bundle.read(name) for name in bundle.namelist()}


def packed(entries: dict[str, bytes] | list[tuple[str, bytes]]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as bundle, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # zipfile warns of a name given twice, which is what some tests want
        for name, data in entries.items() if isinstance(entries, dict) else entries:
            bundle.writestr(name, data)
    return file.getvalue()


def changed(data: bytes, change: Callable[[dict[str, Any]], None]) -> bytes:
    """The bundle with its workflow.json changed."""
    entries = unpacked(data)
    document = json.loads(entries["workflow.json"])
    change(document)
    return packed({**entries, "workflow.json": json.dumps(document).encode()})


def forget(workflow: Workflow) -> None:
    workflow.edges.all().delete()
    workflow.delete()


@pytest.fixture
def bundle() -> bytes:
    """A good file of a workflow that is not here."""
    workflow = pictured(workflow_id="wf_notes", description="For the morning round.")
    workflow.nodes.filter(is_entry=True).update(window_box=[0.1, 0.1, 0.5, 0.25])
    data = export_bundle(workflow)
    forget(workflow)
    Picture.objects.all().delete()
    return data


def everything() -> tuple[Any, ...]:
    counted = tuple(model.objects.count() for model in (Workflow, Node, Edge, Target, Variable, Picture, LogEntry))
    return (*counted, sorted(p.name for p in Path(PictureStore().where).rglob("*")))


def same(one: GraphSpec, other: GraphSpec) -> bool:
    own = {"learning_state": "", "workflow_id": ""}
    return one.to_json() | own == other.to_json() | own


def test_what_comes_in_is_what_went_out_pictures_included(bundle: bytes, settings, tmp_path: Path) -> None:
    original = GraphSpec.from_json(json.loads(unpacked(bundle)["workflow.json"])["graph"])
    settings.DATA_DIR = tmp_path / "another machine"

    user = make_user("designer")
    workflow = import_bundle(bundle, user=user)

    assert LogEntry.objects.get().user == user
    assert workflow.workflow_id == "wf_notes"
    assert workflow.description == "For the morning round."
    assert same(graph_of(workflow), original)
    assert [node.window_box for node in original.nodes if node.window_box] == [(0.1, 0.1, 0.5, 0.25)]
    assert len(original.pictures()) == 3
    assert all(PictureStore().get(digest).size for digest in original.pictures())
    assert unpacked(export_bundle(workflow)).keys() == unpacked(bundle).keys()
    assert publish(workflow=workflow, user=None).number == 1


def test_which_of_a_list_a_run_wants_comes_in_as_it_went_out(bundle: bytes) -> None:
    """S6.11"""

    def count(document: dict[str, Any]) -> None:
        counted = {"number": "{{n}}", "before_first": 1, "first_offset": [0, 0], "next_offset": [0, 28]}
        document["graph"]["edges"][2]["target"] |= counted
        document["graph"]["variables"].append({"name": "n", "kind": "number"})

    workflow = import_bundle(changed(bundle, count), user=make_user("designer"))
    target = graph_of(workflow).edge("click_save").target
    assert (target.number_wanted, target.before_first, target.first_offset) == ("{{n}}", 1, (0, 0))
    assert target.next_offset == (0, 28)
    assert target_columns(target)["evidence"]["first_offset"] == [0, 0]
    assert publish(workflow=workflow, user=None).spec().counting_variables == {"n"}


def test_further_pictures_of_a_screen_go_with_it() -> None:
    """S6.14: one more look at a screen."""
    workflow, looks = pictured(), {make_picture().digest, make_picture(width=70).digest}
    workflow.nodes.get(node_id=NODES[0]["node_id"]).looks.set(Picture.objects.filter(digest__in=looks))
    again = graph_of(import_bundle(export_bundle(workflow), user=None, workflow_id="wf_again"))
    taught = {node.node_id: set(node.looks) for node in again.nodes}
    assert taught.pop(NODES[0]["node_id"]) == looks
    assert not any(taught.values())
    assert again.pictures() >= looks


def test_a_look_that_is_not_in_the_store_is_named_before_it_is_published() -> None:
    workflow = pictured()
    look = make_picture()
    workflow.nodes.get(node_id=NODES[0]["node_id"]).looks.add(look)
    PictureStore().path(look.digest).unlink()
    with pytest.raises(InvalidWorkflow) as refused:
        publish(workflow=workflow, user=None)
    assert "not in the store" in str(refused.value)


def test_the_same_workflow_gives_the_same_bytes() -> None:
    workflow = pictured()

    assert export_bundle(workflow) == export_bundle(workflow)


@pytest.mark.parametrize(
    ("there", "here"),
    [
        (LearningState.OBSERVATION, LearningState.OBSERVATION),
        (LearningState.COACHING, LearningState.COACHING),
        (LearningState.AUTO_CONFIRMED, LearningState.COACHING),
    ],
)
def test_trust_earned_elsewhere_is_not_taken_over(there: LearningState, here: LearningState) -> None:
    data = export_bundle(make_workflow(learning_state=there))

    assert import_bundle(data, user=None, workflow_id="wf_new").learning_state == here


def test_a_path_to_code_is_neither_exported_nor_taken() -> None:
    data = export_bundle(make_workflow(window_info_provider="os.system", enable_ocr=False))
    assert b"os.system" not in unpacked(data)["workflow.json"]

    with pytest.raises(BadBundle, match="flags"):
        import_bundle(changed(data, lambda d: d["graph"]["flags"].update(window_info_provider="os.system")), user=None)
    assert import_bundle(data, user=None, workflow_id="wf_new").enable_ocr is False


def test_a_workflow_with_errors_is_not_exported() -> None:
    with pytest.raises(InvalidWorkflow, match="is not exported while"):
        export_bundle(make_workflow(nodes=({**NODES[0], "is_entry": False}, *NODES[1:])))


# --- Evil files ------------------------------------------------------------------------------------------------------
def bomb(entries: dict[str, bytes]) -> bytes:
    """200 MB of nothing under the name of a picture: 200 kB packed."""
    name = next(n for n in entries if n.startswith("pictures/"))
    return packed({**entries, name: bytes(200 * 1024 * 1024)})


def lying_bomb(entries: dict[str, bytes]) -> bytes:
    """The same, claiming to unpack to 10 bytes."""
    data = bytearray(bomb(entries))
    size = struct.pack("<I", 200 * 1024 * 1024)
    while (at := data.find(size)) >= 0:
        data[at : at + 4] = struct.pack("<I", 10)
    return bytes(data)


def encrypted(entries: dict[str, bytes]) -> bytes:
    data = bytearray(packed(entries))
    start = 0
    while (at := data.find(b"PK\x01\x02", start)) >= 0:
        data[at + 8] |= 1
        start = at + 4
    return bytes(data)


def damaged(entries: dict[str, bytes]) -> bytes:
    """A bit of a picture's packed bytes flipped: its checksum no longer fits."""
    data = bytearray(packed(entries))
    data[data.find(b"pictures/") + 200] ^= 0xFF
    return bytes(data)


def swapped(entries: dict[str, bytes]) -> bytes:
    """Two pictures under each other's names."""
    one, other, *_ = [n for n in entries if n.startswith("pictures/")]
    return packed({**entries, one: entries[other], other: entries[one]})


def huge_picture(entries: dict[str, bytes]) -> bytes:
    """The header of a picture of 9 000 x 9 000."""
    name = next(n for n in entries if n.startswith("pictures/"))
    png = bytearray(entries[name])
    png[16:24] = struct.pack(">II", 9_000, 9_000)
    png[29:33] = struct.pack(">I", zlib.crc32(png[12:29]))
    return packed({**entries, name: bytes(png)})


def blank_png(width: int, height: int) -> bytes:
    """So many white pixels, in a few kB."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    packer = zlib.compressobj(9)
    row = b"\0" + b"\xff" * (width // 8)
    rows = b"".join(packer.compress(row * 1000) for _ in range(height // 1000)) + packer.flush()
    header = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def test_many_blank_pictures_are_refused_from_their_headers_at_once(bundle: bytes, monkeypatch) -> None:
    """S8.6: 25 pictures of 32 megapixels in a file of 100 kB took 79 s and 1 GB before they were refused."""
    monkeypatch.setattr(Image.Image, "load", lambda self: pytest.fail("it was decoded"))
    entries = unpacked(bundle)
    graph = json.loads(entries["workflow.json"])
    digests = [f"{number:064x}" for number in range(25)]
    nodes = graph["graph"]["nodes"]
    nodes += [{**nodes[0], "node_id": f"blank_{number}", "picture": digest} for number, digest in enumerate(digests)]
    picture = blank_png(8000, 4000)
    files = {**entries, "workflow.json": json.dumps(graph).encode()}
    data = packed({**files, **{f"pictures/{digest}.png": picture for digest in digests}})
    assert len(data) < 200_000
    before = everything()
    tracemalloc.start()
    with pytest.raises(BadBundle, match="80[01] megapixels in all; at most 400"):
        import_bundle(data, user=make_user("designer"))
    used = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert used < 20_000_000
    assert everything() == before


EVIL: dict[str, tuple[Callable[[dict[str, bytes]], bytes], str]] = {
    "no zip": (lambda e: b"%PDF-1.7 no zip at all", "no zip file"),
    "empty": (lambda e: b"", "no zip file"),
    "cut off": (lambda e: packed(e)[:-40], "no zip file"),
    "traversal": (lambda e: packed({**e, "../../etc/cron.d/x": b"x"}), "The file holds “../../etc/cron.d/x”"),
    "upper case": (lambda e: packed({**e, "Workflow.json": b"{}"}), "The file holds “Workflow.json”"),
    "a stranger": (lambda e: packed({**e, "run.sh": b"rm"}), "The file holds “run.sh”"),
    "twice": (lambda e: packed([*e.items(), ("workflow.json", b"{}")]), "twice"),
    "too many": (lambda e: packed({**e, **{f"x{i}": b"" for i in range(1001)}}), "at most 1000"),
    "bomb": (bomb, "larger than 100 MB"),
    "lying bomb": (lying_bomb, "damaged|larger than 100 MB"),
    "encrypted": (encrypted, "encrypted"),
    "damaged": (damaged, "damaged"),
    "no workflow": (lambda e: packed({k: v for k, v in e.items() if k != "workflow.json"}), "holds no workflow.json"),
    "no JSON": (lambda e: packed({**e, "workflow.json": b"{"}), "no JSON"),
    "not UTF-8": (lambda e: packed({**e, "workflow.json": b"\xff\xfe"}), "no JSON"),
    "too deep": (lambda e: packed({**e, "workflow.json": b"[" * 100_000}), "no JSON"),
    "JSON too large": (lambda e: packed({**e, "workflow.json": b" " * (6 * 1024 * 1024)}), "too large"),
    "another product": (lambda e: packed({**e, "workflow.json": b'{"format": "x"}'}), "does not say"),
    "missing picture": (
        lambda e: packed({k: v for k, v in e.items() if k == "workflow.json"}),
        "lacks the picture",
    ),
    "spare picture": (lambda e: packed({**e, f"pictures/{'0' * 64}.png": b"x"}), "nothing refers to"),
    "no picture": (lambda e: packed({n: d if n.endswith("json") else b"GIF" for n, d in e.items()}), "no picture"),
    "swapped pictures": (swapped, "not the picture that its name says"),
    "huge picture": (huge_picture, "megapixels"),
}


def test_an_evil_file_is_refused_with_the_reason_and_nothing_changes(bundle: bytes, subtests: pytest.Subtests) -> None:
    designer, before = make_user("designer"), everything()
    for name, (spoil, reason) in EVIL.items():
        with subtests.test(name):
            with pytest.raises(BadBundle, match=reason):
                import_bundle(spoil(unpacked(bundle)), user=designer)
            assert everything() == before


def set_in(*path: Any, to: Any) -> Callable[[dict[str, Any]], None]:
    def change(document: dict[str, Any]) -> None:
        place: Any = document
        for step in path[:-1]:
            place = place[step]
        place[path[-1]] = to

    return change


def in_target(key: str, to: Any) -> Callable[[dict[str, Any]], None]:
    return set_in("graph", "edges", 2, "target", key, to=to)


NO_SCREEN = "“save_button” can be on no screen"


def looks_within_looks(document: dict[str, Any]) -> None:
    """Deeper than a document is walked through."""
    target = document["graph"]["edges"][2]["target"]
    for _ in range(200):
        target = {**target, "also": [target]}
    document["graph"]["edges"][2]["target"] = target


WRONG: dict[str, tuple[Callable[[dict[str, Any]], None], str]] = {
    "looks within looks": (looks_within_looks, "must be less deep"),
    "another format": (set_in("format_version", to=2), "reads 1. Update this server"),
    "an older format": (set_in("format_version", to=0), "reads 1. Export it again"),
    "no graph": (lambda d: d.pop("graph"), "“graph” is missing"),
    "graph of text": (set_in("graph", to="x"), "workflow.json.graph must be an object"),
    "nodes of numbers": (set_in("graph", "nodes", to=[1]), r"graph.nodes\[0\] must be an object"),
    "nodes no list": (set_in("graph", "nodes", to={}), "graph.nodes must be a list"),
    "unknown key": (set_in("graph", "nodes", 0, "evil", to=1), r"nodes\[0\]: “evil” is not known"),
    "name a number": (set_in("graph", "nodes", 0, "name", to=3), r"nodes\[0\].name must be a text"),
    "texts a text": (set_in("graph", "nodes", 0, "texts", to="x"), "texts must be a list"),
    "retries true": (set_in("graph", "edges", 0, "retries", to=True), "retries must be a whole number"),
    "box too short": (in_target("box", [1, 2]), "box must be a list of 4"),
    "a part of a window of no size": (in_target("window_box", [0.1, 0.1, 1e-9, 0.1]), NO_SCREEN),
    "a pane of no size": (in_target("scroll_box", [0.1, 0.1, 0.1, 0]), NO_SCREEN),
    "a box beyond every screen": (in_target("box", [1e6, 0, 1, 1]), NO_SCREEN),
    "a window as wide as none": (in_target("window_size", [10**7, 10]), NO_SCREEN),
    "a further look of no size": (
        in_target("also", [{"target_id": "l", "label": "", "text": "Save", "window_box": [0.1, 0.1, 1e-9, 0.1]}]),
        NO_SCREEN,
    ),
    "box of no number": (in_target("box", [float("nan")] * 4), "must be a number"),
    "null character": (set_in("graph", "nodes", 0, "name", to="a\0b"), "must be a text"),
    "huge text": (set_in("graph", "nodes", 0, "name", to="x" * 20_000), "at most 10000 characters"),
    "huge number": (set_in("graph", "edges", 0, "params", to={"text": 10**40}), "must be a whole number"),
    "deep parameters": (set_in("graph", "edges", 0, "params", to={"text": [[[[[[[[[[1]]]]]]]]]]}), "less deep"),
    "bad id": (set_in("graph", "workflow_id", to="1 2"), "Begin with a letter"),
    "bad node id": (set_in("graph", "edges", 0, "edge_id", to="../x"), "Begin with a letter"),
    "too many retries": (set_in("graph", "edges", 0, "retries", to=100), "20"),
    "unknown effect": (set_in("graph", "edges", 0, "effect_class", to="sideways"), "sideways"),
    "two of one target": (
        lambda d: d["graph"]["edges"].append(
            {**d["graph"]["edges"][2], "edge_id": "e9", "target": {**d["graph"]["edges"][2]["target"], "label": "X"}}
        ),
        "“save_button” twice",
    ),
}


def test_a_workflow_of_a_wrong_form_is_refused_with_the_place(bundle: bytes, subtests: pytest.Subtests) -> None:
    before = everything()
    for name, (change, reason) in WRONG.items():
        with subtests.test(name):
            with pytest.raises(BadBundle, match=reason):
                import_bundle(changed(bundle, change), user=None)
            assert everything() == before


def test_a_workflow_that_cannot_run_is_refused_with_its_problems(bundle: bytes) -> None:
    before = everything()

    with pytest.raises(InvalidWorkflow, match="No screen is marked as entry") as refused:
        import_bundle(changed(bundle, set_in("graph", "nodes", 0, "is_entry", to=False)), user=None)

    assert [p.code for p in refused.value.problems] == ["no_entry"]
    assert everything() == before


def test_an_id_that_is_taken_is_refused_and_another_may_be_given(bundle: bytes) -> None:
    import_bundle(bundle, user=None)

    with pytest.raises(BadBundle, match="already a workflow “wf_notes”"):
        import_bundle(bundle, user=None)
    assert import_bundle(bundle, user=None, workflow_id="wf_second").workflow_id == "wf_second"


def test_a_full_disk_leaves_nothing_half_imported(bundle: bytes, monkeypatch) -> None:
    from workflows.exceptions import PictureNotStored

    def full(self: PictureFiles, name: str, content: Any) -> str:
        if self.where == PictureStore().where:
            raise OSError(28, "disk full")
        return original(self, name, content)

    original = PictureFiles._save
    monkeypatch.setattr(PictureFiles, "_save", full)
    for path in Path(PictureStore().where).rglob("*.png"):
        path.unlink()
    before = everything()

    with pytest.raises(PictureNotStored, match="disk full"):
        import_bundle(bundle, user=None)

    assert everything() == before


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(at=st.floats(0, 0.999), value=st.integers(0, 255))
def test_a_byte_changed_anywhere_is_refused_cleanly_or_changes_nothing_that_counts(
    bundle: bytes, at: float, value: int
) -> None:
    spoiled = bytearray(bundle)
    spoiled[int(at * len(spoiled))] = value
    original = GraphSpec.from_json(json.loads(unpacked(bundle)["workflow.json"])["graph"])

    try:
        workflow = import_bundle(bytes(spoiled), user=None)
    except DomainError:
        assert not Workflow.objects.exists()
    else:
        assert same(graph_of(workflow), original)
        forget(workflow)


def test_the_commands_carry_a_workflow_from_one_place_to_another(tmp_path: Path, capsys) -> None:
    workflow = pictured(workflow_id="wf_notes")
    file = tmp_path / "notes.zip"

    call_command("export_workflow", "wf_notes", str(file))
    call_command("import_workflow", str(file), "--id", "wf_copy")

    assert same(graph_of(Workflow.objects.by_id("wf_copy")), graph_of(workflow))
    assert "wf_copy" in capsys.readouterr().out


def test_the_commands_say_what_is_wrong(tmp_path: Path) -> None:
    bad = tmp_path / "bad.zip"
    bad.write_bytes(b"no zip")

    with pytest.raises(CommandError, match=r"was not imported\. This is no zip file"):
        call_command("import_workflow", str(bad))
    with pytest.raises(CommandError, match="cannot be read"):
        call_command("import_workflow", str(tmp_path / "none.zip"))
    with pytest.raises(CommandError, match="There is no workflow “wf_x”"):
        call_command("export_workflow", "wf_x", str(tmp_path / "x.zip"))
