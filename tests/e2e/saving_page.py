"""A list of letters in a browser, a form for a new one, and a page that says “saved” whatever became of it.

Whether a letter was kept stands in the list alone, which the page of a saved letter leads to and back from.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import AbstractContextManager

from tests.support.display import VirtualDesktop
from tests.support.site import Site, shown_anew

Letter = tuple[str, str, str]
OLD: tuple[Letter, ...] = (("Carter, Helen", "19/11/2026", "Ward 3"), ("Brown, Miriam", "20/11/2026", "Ward 1"))
TAUGHT: Letter = ("Adams, Grace", "21/11/2026", "Ward 7")
LOOK = f"""
workflow: Look
begins_on: Saved
variables: {{patient: "{TAUGHT[0]}", day: "{TAUGHT[1]}"}}
steps:
  - click: All letters
    changes_nothing: true
    expect: Back to the letter
    screen: List
  - see_row: |
      {{{{patient}}}}
      {{{{day}}}}
    columns: [Patient, Written on]
  - click: Back to the letter
    changes_nothing: true
    expect: The letter is saved
    screen: Saved
screens:
  Saved: {{ends: true}}
"""
WRITE = f"""
workflow: Write
begins_on: Letters
variables: {{patient: "{TAUGHT[0]}", day: "{TAUGHT[1]}"}}
steps:
  - click: New letter
    changes_nothing: true
    expect: Save the letter
    screen: Form
  - type: "{{{{patient}}}}"
    into: Patient
  - type: "{{{{day}}}}"
    into: Written on
  - click: Save the letter
    id: save
    expect: The letter is saved
    screen: Saved
    proof: wf_look
  - click: Close the day
    id: close
    expect: The day is over
    screen: Closed
"""
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Letters of the day</title>
<style>
  body { font: 17px/1.5 "DejaVu Sans", sans-serif; margin: 40px }
  button { font: inherit; padding: 9px 24px; margin: 40px 60px 0 0 }
  td, th { padding: 7px 60px 7px 12px; text-align: left }
  label { display: block; margin: 26px 0 } input { font: inherit; padding: 6px; width: 300px; margin-left: 20px }
</style>
<div id="view"></div>
<script>
  const letters = %(letters)s, keeps = %(keeps)s;
  const tell = (what) => fetch("/", { method: "POST", body: what });
  const show = (title, html) => { document.title = title; document.getElementById("view").innerHTML = html; };
  const button = (text) => `<button>${text}</button>`;
  const list = (then) => show("Letters of the day",
    "<h1>Letters</h1><table><tr><th>Patient</th><th>Written on</th><th>Ward</th></tr>" + letters.map((one) =>
      `<tr>${one.map((text) => `<td>${text}</td>`).join("")}</tr>`).join("") + "</table>" + button(then));
  const saved = () => show("A letter",
    "<h1>The letter is saved</h1><p>Nothing else is to be done.</p>" + button("All letters") + button("Close the day"));
  document.addEventListener("click", (event) => {
    const what = event.target.tagName === "BUTTON" ? event.target.textContent : "";
    if (what === "New letter") show("New letter", "<h1>A new letter</h1><label>Patient<input></label>"
      + "<label>Written on<input></label>" + button("Save the letter"));
    else if (what === "Save the letter") {
      const [patient, day] = [...document.querySelectorAll("input")].map((field) => field.value);
      tell(`saved ${patient} ${day}`);
      if (keeps) letters.push([patient, day, "Ward 7"]);
      saved();
    } else if (what === "All letters") { tell("looked"); list("Back to the letter"); }
    else if (what === "Back to the letter") saved();
    else if (what === "Close the day") { tell("closed"); show("Day closed", "<h1>The day is over</h1>"); }
  });
  %(begins)s
</script></html>"""


def page(letters: Sequence[Letter] = OLD, *, keeps: bool = True, saved: bool = False) -> str:
    """`keeps`: whether a letter that is saved comes into the list; `saved`: it begins where a letter was saved."""
    begins = "saved();" if saved else 'list("New letter");'
    return PAGE % {"letters": json.dumps(letters), "keeps": json.dumps(keeps), "begins": begins}


def shown_as(
    screen: VirtualDesktop, one: Site, page: str, title: str = "Letters of the day"
) -> AbstractContextManager[None]:
    """The page in a window of its own, with nothing done yet."""
    return shown_anew(screen, one, page, title)
