"""A record in a browser with buttons of which the wrong one does harm; it is taught as it is and shown as it became."""

from __future__ import annotations

from contextlib import AbstractContextManager

from tests.support.display import VirtualDesktop
from tests.support.site import Site, shown_anew

STORY = """
workflow: Archive
steps:
  - click: Archive
    expect: The record is in the archive
    screen: Archived
"""
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


def shown_as(screen: VirtualDesktop, one: Site, page: str) -> AbstractContextManager[None]:
    """The page in a window of its own, in front, with nothing clicked yet."""
    return shown_anew(screen, one, page, "Record 4711")
