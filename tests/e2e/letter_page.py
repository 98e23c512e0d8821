"""A letter in a browser that is sent in seven steps; at the seventh something may be otherwise than it was taught."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from tests.support.display import VirtualDesktop
from tests.support.site import serving, shown

STEPS = (
    ("Letters of the ward", "Open the folder"),
    ("Folder of the patient", "Choose a form"),
    ("Form for the doctor", "Fill in the address"),
    ("Address of the practice", "Add the findings"),
    ("Findings of today", "Read it over"),
    ("Draft of the letter", "Put a signature"),
    ("Signed and ready", "Send the letter"),
)
SENT = "It was handed to the post"
PATIENT, SOMEBODY_ELSE = "LEFEVRE Marie", "DURAND Paul"
FAULTS = ("renamed", "dialog", "record", "slow")
STORY = f"""
workflow: Doctor letter
variables:
  patient: {PATIENT}
steps:
"""
for _button, _shows in zip(
    (button for _title, button in STEPS), (*(title for title, _b in STEPS[1:]), SENT), strict=True
):
    STORY += f'  - click: {_button}\n    screen: {_shows}\n    expect: "{_shows}"\n'
STORY += '    identity: {Patient: "{{patient}}"}\n'
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Doctor letter</title>
<style>
  body { font: 17px/1.6 "DejaVu Sans", sans-serif; margin: 40px } button { font: inherit; padding: 9px 24px }
  #over { position: fixed; left: 180px; top: 150px; width: 520px; padding: 24px;
          background: #fff; border: 2px solid #444 }
</style>
<h1 id="title"></h1><p>Patient: <b id="patient"></b></p><p id="more"></p><p><button id="act"></button></p>
<script>
  const steps = %(steps)s, fault = "%(fault)s";
  let at = 0;
  const find = (id) => document.getElementById(id);
  function draw() {
    find("title").textContent = at < 7 ? steps[at][0] : "%(sent)s";
    find("patient").textContent = at === 6 && fault === "record" ? "%(other)s" : "%(patient)s";
    find("more").textContent = `Page ${at + 1} of this letter`;
    find("act").textContent = at === 6 && fault === "renamed" ? "Archive for ever" : at < 7 ? steps[at][1] : "Close";
    if (at === 6 && fault === "dialog") {
      const over = '<div id="over"><h2>Session expired</h2><p>Log in again to go on.</p><button>Log in</button></div>';
      document.body.insertAdjacentHTML("beforeend", over);
    }
  }
  find("act").addEventListener("click", (event) => {
    fetch("/clicked", { method: "POST", body: event.target.textContent });
    if (at === 6 && fault === "slow") {
      find("more").textContent = "The server does not answer, please wait";
      return;
    }
    at += 1;
    draw();
  });
  draw();
</script></html>"""


@dataclass
class Site:
    """What is otherwise now, and what was clicked."""

    fault: str = ""
    clicked: list[str] = field(default_factory=list)
    port: int = 0

    def page(self, path: str) -> str:
        told = {
            "steps": json.dumps(STEPS),
            "fault": self.fault,
            "sent": SENT,
            "patient": PATIENT,
            "other": SOMEBODY_ELSE,
        }
        return PAGE % told


@contextmanager
def site() -> Iterator[Site]:
    one = Site()
    with serving(one.page, lambda path, body: one.clicked.append(body)) as one.port:
        yield one


@contextmanager
def shown_as(screen: VirtualDesktop, one: Site, fault: str) -> Iterator[None]:
    """The first page in a window of its own, with nothing clicked yet."""
    one.fault = fault
    one.clicked.clear()
    with shown(screen, one.port, "Doctor letter", size=(1000, 680), at=(60, 40)):
        yield
