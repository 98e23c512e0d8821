"""A record in a browser with buttons of which the wrong one does harm; it is taught as it is and shown as it became."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from tests.support.display import VirtualDesktop
from tests.support.site import serving, shown
from tests.support.story import Act, Screen, Story

STORY = Story(
    workflow_id="wf_archive",
    values={},
    parts=(
        Screen(node_id="record", title="Record 4711*", texts=("Record 4711", "Attached letters")),
        Act(edge_id="archive", action="click", text="Archive", window="Record 4711"),
        Screen(node_id="archived", title="Record 4711*", texts=("The record is in the archive",)),
    ),
)
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Record 4711</title>
<style>
  body { font: 17px/1.5 "DejaVu Sans", sans-serif; margin: 40px; position: relative }
  button { font: inherit; padding: 9px 24px; margin-right: 16px }
  #cover { position: absolute; left: 0; top: 210px; width: 460px; height: 190px; padding: 24px; background: #fff4d6;
           border: 1px solid #a80 }
</style>
<h1>Record 4711</h1><p>Attached letters: two. Last seen by the front desk.</p>
<div style="height: 60px"></div>
<p id="buttons">%s</p><p id="state"></p>%s
<script>
  document.addEventListener("click", (event) => {
    const what = event.target.textContent.trim().slice(0, 40);
    fetch("/clicked", { method: "POST", body: what });
    if (what === "Archive") {
      document.getElementById("buttons").remove();
      document.getElementById("state").textContent = "The record is in the archive";
    }
  });
</script></html>"""
BUTTONS = "<button>Archive</button><button>Delete for ever</button><button>Print</button>"


def as_taught() -> str:
    return PAGE % (BUTTONS, "")


def removed() -> str:
    """The button is gone and its neighbour has moved to where it was."""
    return PAGE % (BUTTONS.replace("<button>Archive</button>", ""), "")


def renamed() -> str:
    """In its place stands a button that does something else."""
    return PAGE % (BUTTONS.replace("Archive", "Release"), "")


def covered() -> str:
    """A notice lies over the buttons."""
    return PAGE % (BUTTONS, '<div id="cover">The letters of this record are being sorted by a colleague.</div>')


@dataclass
class Site:
    """What is served now, and what was clicked on it."""

    page: str = ""
    clicked: list[str] = field(default_factory=list)
    port: int = 0


@contextmanager
def site() -> Iterator[Site]:
    one = Site()
    with serving(lambda path: one.page, lambda path, body: one.clicked.append(body)) as one.port:
        yield one


@contextmanager
def shown_as(screen: VirtualDesktop, one: Site, page: str) -> Iterator[None]:
    """The page in a window of its own, in front, with nothing clicked yet."""
    one.page = page
    one.clicked.clear()
    with shown(screen, one.port, "Record 4711", size=(1000, 680), at=(60, 40)):
        yield
