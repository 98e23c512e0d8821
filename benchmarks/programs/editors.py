"""Editors of Debian's in two tool kits: a note is saved under a name, and what is on the disk is what counts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.programs.result import ASKED, RIGHT, WRONG, Result
from benchmarks.programs.running import run, taught
from benchmarks.story import Act, Screen, Story
from tests.support.display import VirtualDesktop, wait_until

TAUGHT: Mapping[str, str] = {"remark": "Signed on paper at the front desk", "file": "note-taught.txt"}
WANTED: Mapping[str, str] = {"remark": "Call back about the blood count", "file": "note-new.txt"}
OLD = "What somebody else wrote"


@dataclass(frozen=True, slots=True, kw_only=True)
class Editor:
    """`fresh` is the title of its empty window; `unsaved` and `saved` those with the note in it.

    `said` is what its dialog says, `name` what stands before the field of the file name in it.
    """

    command: tuple[str, ...]
    fresh: str
    unsaved: str
    saved: str
    dialog: str
    texts: tuple[str, ...]
    name: str = "Name:"
    said: tuple[str, ...] = ("Name:", "Cancel")
    press: str = "Save"


PROGRAMS: Mapping[str, Editor] = {
    "mousepad": Editor(
        command=("mousepad",), fresh="Untitled 1 - Mousepad", unsaved="*Untitled 1 - Mousepad",
        saved="*{{file}} - Mousepad", dialog="Save As", texts=("File", "Search", "Document"),
    ),
    "l3afpad": Editor(
        command=("l3afpad",), fresh="(Untitled)", unsaved="*(Untitled)", saved="{{file}}", dialog="Save As",
        texts=("File", "Search", "Options"), press="Save As",
    ),
    "featherpad": Editor(
        command=("featherpad", "--standalone"), fresh="Untitled", unsaved="*Untitled", saved="*{{file}}",
        dialog="Save as...", texts=("File", "Search", "Options"), name="File name:", said=("File name:", "Cancel"),
    ),
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """`ends`: whether the run may come to its end; `name` is the file name that is asked for.

    `asked_at`: the run asks about everything; while it asks about that act the trouble comes, and then it is accepted.
    """

    about: str
    kind: str
    ends: bool = False
    name: str = WANTED["file"]
    asked_at: str = ""


TROUBLES = (
    Trouble(about="plain run", kind="", ends=True),
    Trouble(about="outcome: the file is there already", kind="exists"),
    Trouble(about="outcome: the save fails", kind="fails", name="missing-folder/note.txt"),
    Trouble(about="leap: a leap ahead", kind="written"),
    Trouble(about="end: the end at the start", kind="ended"),
    Trouble(about="focus: another window has the focus", kind="other_window"),
    Trouble(about="dialog: a dialog over the editor", kind="dialog"),
    Trouble(about="asked: another window while it asks", kind="asked_window", asked_at="type"),
    Trouble(about="asked: another window while it asks", kind="asked_window", asked_at="press"),
    Trouble(about="asked: the dialog goes while it asks", kind="asked_gone", asked_at="press"),
)


def story(name: str, editor: Editor) -> Story:
    empty = Screen(node_id="empty", title=editor.fresh, texts=editor.texts, absent=("{{remark}}",))
    written = Screen(node_id="written", title=editor.unsaved, texts=(*editor.texts, "{{remark}}"), absent=editor.said)
    in_field = f"{editor.name} {{{{file}}}}"  # the dialog lists the files that are there as well
    dialog = Screen(node_id="dialog", title=editor.dialog, texts=editor.said, absent=(in_field,))
    named = Screen(node_id="named", title=editor.dialog, texts=(*editor.said, in_field))
    saved = Screen(node_id="saved", title=editor.saved, texts=(*editor.texts, "{{remark}}"), absent=editor.said)
    return Story(
        workflow_id=f"wf_{name}",
        values=TAUGHT,
        parts=(
            empty,
            Act(edge_id="type", action="type_text", text="{{remark}}"),
            written,
            Act(edge_id="save", action="press_keys", keys=("ctrl", "s")),
            dialog,
            Act(edge_id="name", action="type_text", text="{{file}}", clear=True),
            named,
            Act(edge_id="press", action="click", text=editor.press, window=editor.dialog),
            saved,
        ),
    )


@contextmanager
def shown(editor: Editor, screen: VirtualDesktop, *, file: str = "") -> Iterator[None]:
    """The editor as a person would have left it, with settings of its own."""
    settings = screen.folder / f"settings-{len(screen.processes)}"
    settings.mkdir()
    command = ["env", "-C", str(documents(screen)), *editor.command, *([file] if file else [])]
    process = screen.spawn(command, env={"XDG_CONFIG_HOME": str(settings)})
    try:
        screen.wait_for_window(file or editor.fresh)
        yield
    finally:
        screen.end(process)
        wait_until(lambda: not screen.windows(), what="the programs' end")


def documents(screen: VirtualDesktop) -> Path:
    folder = screen.folder / "home" / "Documents"
    folder.mkdir(parents=True, exist_ok=True)
    screen.env["HOME"] = str(folder.parent)
    return folder


def on_disk(screen: VirtualDesktop) -> dict[str, str]:
    home = documents(screen).parent
    files = [file for file in home.rglob("*") if file.is_file() and not file.relative_to(home).parts[0].startswith(".")]
    return {str(file.relative_to(home)): file.read_text().rstrip() for file in files}


def saved_as(name: str, text: str, before: Mapping[str, str], after: Mapping[str, str]) -> bool:
    """Whether a file of that name and text came, and nothing else has changed."""
    came = [(Path(path).name, said) for path, said in after.items() if path not in before]
    return came == [(name, text)] and all(after.get(path) == said for path, said in before.items())


@contextmanager
def troubled(trouble: Trouble, editor: Editor, screen: VirtualDesktop) -> Iterator[None]:
    """The editor with that trouble."""
    folder = documents(screen)
    for file in folder.parent.rglob("note-*"):
        file.unlink()
    if trouble.kind == "exists":
        for place in (folder, folder.parent):  # the tool kits begin in different ones
            (place / trouble.name).write_text(OLD)
    if trouble.kind == "ended":
        (folder / trouble.name).write_text(WANTED["remark"])
    with shown(editor, screen, file=trouble.name if trouble.kind == "ended" else ""):
        if trouble.kind == "written":
            screen.run(["xdotool", "type", WANTED["remark"]])
        if trouble.kind == "dialog":
            screen.run(["xdotool", "key", "ctrl+o"])
            wait_until(lambda: len(screen.windows()) > 1, what="the dialog")
        if trouble.kind != "other_window":
            yield
            return
        with another(editor, screen):
            yield


@contextmanager
def another(editor: Editor, screen: VirtualDesktop) -> Iterator[None]:
    """Another editor in front of it."""
    shown_before = len(screen.windows())
    other = screen.spawn(["l3afpad" if editor.command[0] != "l3afpad" else "mousepad"])
    try:
        wait_until(lambda: len(screen.windows()) > shown_before, what="the other editor")
        yield
    finally:
        screen.end(other)


def perform(name: str, analyzer: Any, screen: VirtualDesktop, folder: Path, *, only: str) -> Iterator[Result]:
    editor = PROGRAMS[name]
    with shown(editor, screen):
        workflow = taught(story(name, editor), screen, analyzer, folder / name)
        assert saved_as(TAUGHT["file"], TAUGHT["remark"], {}, on_disk(screen)), on_disk(screen)
    for trouble in TROUBLES:
        if only and only not in (trouble.kind or "plain") and only not in trouble.about:
            continue
        with troubled(trouble, editor, screen), ExitStack() as came:
            before = on_disk(screen)

            def meanwhile(trouble: Trouble = trouble, came: ExitStack = came) -> None:
                if trouble.kind == "asked_window":
                    came.enter_context(another(editor, screen))
                else:
                    screen.run(["xdotool", "key", "Escape"])

            (_, state), asked = run(
                workflow, {**WANTED, "file": trouble.name}, screen, analyzer,
                asked_at=trouble.asked_at, meanwhile=meanwhile,
            )  # fmt: skip
            after, titles = on_disk(screen), [window.title for window in screen.windows()]
        yield Result(
            about=trouble.about, program=name, verdict=judged(trouble, editor, state, before, after, titles),
            clear=trouble.ends, acts=f"{after} {titles}", asked=f"{trouble.kind} → {state}; " + " | ".join(asked),
        )  # fmt: skip


def judged(
    trouble: Trouble, editor: Editor, state: str, before: Mapping[str, str], after: Mapping[str, str], titles: list[str]
) -> str:
    """The disk decides, and whether a window says that it was changed that must not be touched."""
    if state == "completed":
        return RIGHT if trouble.ends and saved_as(trouble.name, WANTED["remark"], before, after) else WRONG
    not_begun = trouble.kind in ("other_window", "dialog", "ended") or trouble.asked_at == "type"
    changed = {title for title in titles if title.startswith("*")} - (set() if not_begun else {editor.unsaved})
    return WRONG if changed or after != before else ASKED
