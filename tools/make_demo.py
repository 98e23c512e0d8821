"""Teach the demo workflow anew on a real Mousepad and write it to workflows/demo/patient_note.zip.

    python tools/make_demo.py

Needs Xvfb, openbox, dbus and Mousepad. Everything it clicks it finds by reading the screen; what it keeps is the
evidence that the run loop later finds the targets by.
"""

from __future__ import annotations

import os
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
OUTPUT = ROOT / "workflows" / "demo" / "patient_note.zip"
VALUES = {
    "patient": "Marie Lefèvre",
    "date": "2026-11-21",
    "email": "marie.lefevre@hopital.example",
    "filename": "note-lefevre.txt",
}
DEFAULTS = {"filename": "note-{{now}}.txt"}  # a second run with the default values must not meet the first one's file
BACKDROP = "Surehand demo desktop"
MENU_BAR = ["Edit", "Search", "Document"]
FILE_NAME = "Name: {{filename}}"  # in its field: the dialog lists the files that are there by their names as well

NODES: list[dict[str, Any]] = [
    {"node_id": "editor_open", "name": "Editor open", "texts": MENU_BAR, "window_title": "Untitled 1 - Mousepad",
     "absent": ["New Window"], "is_entry": True},
    {"node_id": "file_menu", "name": "File menu open", "texts": ["New Window", "Open...", "Print...", "Quit"],
     "window_title": "Untitled 1 - Mousepad"},
    {"node_id": "new_note", "name": "Empty note", "texts": ["Untitled 1", "Untitled 2"],
     "absent": ["Filetype", "Statusbar", "New Window"], "window_title": "Untitled 2 - Mousepad"},
    {"node_id": "view_menu", "name": "View menu open", "texts": ["Select Font...", "Line Numbers", "Statusbar"],
     "window_title": "Untitled 2 - Mousepad"},
    {"node_id": "status_shown", "name": "Empty note with status bar", "texts": ["Untitled 2", "Filetype"],
     "absent": ["Line Numbers"], "window_title": "Untitled 2 - Mousepad"},
    {"node_id": "with_name", "name": "Note with the name", "texts": ["{{patient}}"], "absent": ["{{date}}"],
     "window_title": "*Untitled 2 - Mousepad"},
    {"node_id": "with_date", "name": "Note with the date", "texts": ["{{patient}}", "{{date}}"],
     "absent": ["{{email}}"], "window_title": "*Untitled 2 - Mousepad"},
    {"node_id": "with_email", "name": "Whole note", "texts": ["{{patient}}", "{{date}}", "{{email}}"],
     "absent": ["Save As..."], "window_title": "*Untitled 2 - Mousepad"},
    {"node_id": "file_menu_note", "name": "File menu open over the note", "texts": ["Save As...", "Save All", "Quit"],
     "window_title": "*Untitled 2 - Mousepad"},
    {"node_id": "save_dialog", "name": "Save dialog", "texts": ["Name:", "Encoding:", "Cancel", "Save"],
     "absent": [FILE_NAME], "window_title": "Save As"},
    {"node_id": "save_named", "name": "Save dialog with the file name",
     "texts": ["Encoding:", "Cancel", FILE_NAME], "window_title": "Save As"},
    {"node_id": "saved", "name": "Note saved", "texts": ["{{email}}"], "absent": ["Save As..."],
     "window_title": "*{{filename}} - Mousepad"},
    {"node_id": "file_menu_saved", "name": "File menu open over the saved note",
     "texts": ["Save As...", "Save All", "Quit"], "window_title": "*{{filename}} - Mousepad"},
    {"node_id": "closed", "name": "Editor closed", "texts": [BACKDROP], "absent": [*MENU_BAR, "Cancel"],
     "is_end": True},
]  # fmt: skip

# (edge, from, to, action, what: the text of the target or the text to type, order)
EDGES = [
    ("open_file_menu", "editor_open", "file_menu", "click", "File", 0),
    ("click_new", "file_menu", "new_note", "click", "New", 0),
    ("open_view_menu", "new_note", "view_menu", "click", "View", 0),
    ("show_status_bar", "view_menu", "status_shown", "click", "Statusbar", 0),
    ("type_name", "status_shown", "with_name", "type_text", "{{patient}}\n", 0),
    ("type_date", "with_name", "with_date", "type_text", "{{date}}\n", 0),
    ("type_email", "with_date", "with_email", "type_text", "{{email}}", 0),
    ("open_file_menu_note", "with_email", "file_menu_note", "click", "File", 0),
    ("click_save_as", "file_menu_note", "save_dialog", "click", "Save As...", 0),
    ("type_filename", "save_dialog", "save_named", "type_text", "{{filename}}", 0),
    ("click_save", "save_named", "saved", "click", "Save", 0),
    ("open_file_menu_saved", "saved", "file_menu_saved", "click", "File", 0),
    ("click_quit", "file_menu_saved", "closed", "click", "Quit", 0),
]
# The editor keeps its status bar: where it is there already, nothing need be done for it.
OPTIONAL = ("open_view_menu", "show_status_bar")
# How what was typed stands on the screen, where that is not all.
TYPED = {"type_filename": FILE_NAME}
# Skipping the status bar is fine: from the empty note one can type at once.
SHORT_CUT = ("type_name_at_once", "new_note", "with_name", "type_text", "{{patient}}\n", 1)
VARIABLES = [
    {"name": "patient", "label": "Patient", "kind": "text"},
    {"name": "date", "label": "Date", "kind": "date"},
    {"name": "email", "label": "E-mail", "kind": "email"},
    {"name": "filename", "label": "File name", "kind": "text"},
]


def main() -> None:
    with tempfile.TemporaryDirectory() as data:
        os.environ["RPA_DATA_DIR"] = data
        os.environ["DJANGO_SETTINGS_MODULE"] = "rpa_site.settings"
        sys.path.insert(0, str(ROOT))
        import django

        django.setup()
        from django.core.management import call_command

        call_command("migrate", verbosity=0)
        workflow = draw()
        teach(workflow)
        from workflows.bundle import export_bundle
        from workflows.specs import graph_of
        from workflows.validation import problems

        for problem in problems(graph_of(workflow)):
            print(f"{problem.severity}: {problem.where}: {problem.message}")
        OUTPUT.parent.mkdir(exist_ok=True)
        OUTPUT.write_bytes(export_bundle(workflow))
        print(f"{OUTPUT.relative_to(ROOT)}: {OUTPUT.stat().st_size} bytes")


def draw() -> Any:
    """The rows of the graph, without what must be seen to be known."""
    from workflows.choices import EffectClass
    from workflows.models import Edge, Node, Variable, Workflow

    workflow = Workflow.objects.create(
        workflow_id="wf_patient_note",
        name="Patient note",
        description="Writes a short patient note in Mousepad and saves it under a given name.",
        learning_state="COACHING",
    )
    nodes = {n["node_id"]: Node.objects.create(workflow=workflow, **n) for n in NODES}
    for edge_id, source, destination, action, what, order in [*EDGES, SHORT_CUT]:
        typing = action == "type_text"
        params = {"text": what} if typing else {}
        if edge_id == "type_filename":
            params["clear"] = True  # the dialog may offer a name; clearing it makes the action repeatable
        Edge.objects.create(
            workflow=workflow,
            edge_id=edge_id,
            source=nodes[source],
            destination=nodes[destination],
            action_type=action,
            params=params,
            effect_class=EffectClass.IDEMPOTENT if edge_id == "type_filename" else EffectClass.UNDECLARED,
            expect=expectation(nodes[source], nodes[destination], typed=TYPED.get(edge_id, what) if typing else ""),
            optional=edge_id in OPTIONAL,
            order=order,
        )
    for order, variable in enumerate(VARIABLES):
        default = DEFAULTS.get(variable["name"], VALUES[variable["name"]])
        Variable.objects.create(workflow=workflow, order=order, default=default, **variable)
    return workflow


def expectation(source: Any, destination: Any, *, typed: str) -> dict[str, Any]:
    """What the action makes appear: the text typed, or what the next screen shows and this one does not."""
    if typed:
        return {"texts": [typed.strip()]}
    new = [text for text in destination.texts if text not in source.texts]
    expect: dict[str, Any] = {"texts": new} if destination.node_id != "saved" else {}
    if destination.window_title != source.window_title and destination.window_title:
        expect["window_title"] = destination.window_title
    if destination.node_id == "closed":
        expect["gone"] = MENU_BAR
    return expect


def teach(workflow: Any) -> None:
    """Walk through the workflow on a real Mousepad and keep the evidence of every target and screen."""
    from execution.desktop import backdrop
    from execution.desktop.x11 import X11Desktop
    from execution.perception.analyzer import build_analyzer
    from tests.support.display import virtual_desktop
    from workflows.models import Edge
    from workflows.pictures import PictureStore
    from workflows.text import fill

    with virtual_desktop(1280, 800) as screen:
        backdrop.paint(screen.display, BACKDROP)
        home = Path(screen.folder) / "home"
        (home / "Documents").mkdir(parents=True, exist_ok=True)
        screen.env["HOME"] = str(home)
        screen.spawn(["env", "-C", str(home / "Documents"), "mousepad"])
        screen.wait_for_window("Mousepad")
        eyes = Look(X11Desktop(screen.display), build_analyzer(), PictureStore())
        for edge_id, source, _destination, action, what, _order in EDGES:
            state = eyes.look()
            eyes.keep_screen(workflow.nodes.get(node_id=source), state)
            if action == "type_text":
                eyes.desktop.type_text(fill(what, VALUES))
                continue
            box = eyes.find(what, state)
            edge = Edge.objects.get(workflow=workflow, edge_id=edge_id)
            eyes.keep_target(edge, what, box, state)
            eyes.desktop.click(box.center)
        eyes.keep_screen(workflow.nodes.get(node_id="closed"), eyes.look())
        eyes.desktop.close()


class Look:
    """Eyes that teach: what they see becomes rows."""

    def __init__(self, desktop: Any, analyzer: Any, store: Any) -> None:
        self.desktop, self.analyzer, self.store = desktop, analyzer, store

    def look(self) -> Any:
        from execution.desktop.capture import settle

        settle(self.desktop, settle_ms=500, timeout_ms=5000)
        return self.analyzer.analyze(self.desktop.grab(), self.desktop.window())

    def find(self, text: str, state: Any) -> Any:
        """The box of a text on the screen; with several, the one that is a menu entry or a button by itself."""
        from execution.language.fuzzy import similarity

        alone = [line for line in state.texts if similarity(line.text, text) >= 0.95]
        if len(alone) > 1:
            alone = [max(alone, key=lambda line: line.box.y)]  # a dialog's button stands below its title
        if len(alone) == 1:
            return alone[0].box.grown(5, state.frame.size)
        from execution.teaching.evidence import resolve_correction

        resolution = resolve_correction({"text": text}, state)
        if resolution.box is None:
            sys.exit(f"“{text}” is not on the screen: {[line.text for line in state.texts]}")
        return resolution.box.grown(5, state.frame.size)

    def keep_screen(self, node: Any, state: Any) -> None:
        if node.reference is None:
            node.reference = self.row(self.store.put(state.frame.pixels))
            node.save()
        title = state.window.title if state.window else "no window"
        print(f"{node.node_id}: {title}; {len(state.texts)} lines")

    def keep_target(self, edge: Any, label: str, box: Any, state: Any) -> None:
        from execution.teaching.evidence import teach_target
        from workflows.models import Target
        from workflows.specs import target_columns

        spec = teach_target(state.frame, box, label=label, state=state, click=None, store=self.store)
        print(f"    {edge.edge_id}: “{spec.text}” {tuple(box)} neighbours {[n.text for n in spec.neighbours]}")
        typed = tuple(n for n in spec.neighbours if n.text not in VALUES.values())  # another patient next time
        columns = {**target_columns(replace(spec, neighbours=typed)), "target_id": f"t_{edge.edge_id}", "text": label}
        edge.target = Target.objects.create(
            workflow=edge.workflow, picture=self.row(spec.picture), context=self.row(spec.context), **columns
        )
        edge.save()

    def row(self, digest: str) -> Any:
        from workflows.models import Picture

        height, width = self.store.get(digest).shape[:2]
        return Picture.objects.get_or_create(digest=digest, defaults={"width": width, "height": height})[0]


if __name__ == "__main__":
    main()
