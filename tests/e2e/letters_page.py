"""Letters to sign, one after the other: a list in a browser, a page for each letter, and the way back."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager

from tests.support.display import VirtualDesktop
from tests.support.site import Site, shown_anew

NAMES = ("Adams, Grace", "Brown, Miriam", "Carter, Helen")
STORY = f"""
workflow: Letters
begins_on: Letters
steps:
  - click: {NAMES[0]}
    id: open
    each: {{line: n, at_most: 20}}
    expect: Sign this letter
    screen: Letter
  - click: Sign this letter
    id: sign
    expect: This letter is signed
    screen: Signed
  - click: Back to the list
    id: back
    expect: Close the day
    screen: Letters
  - click: Close the day
    id: close
    expect: The day is over
    screen: Closed
"""
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Letters to sign</title>
<style>
  body { font: 17px/1.5 "DejaVu Sans", sans-serif; margin: 40px }
  button { font: inherit; padding: 9px 24px; margin: 40px 0 0 420px }
  td { padding: 7px 60px 7px 12px; cursor: default }
</style>
<div id="view"></div>%s
<script>
  const letters = %s;
  let open = null;
  const tell = (what) => fetch("/", { method: "POST", body: what });
  const show = (title, html) => { document.title = title; document.getElementById("view").innerHTML = html; };
  const list = () => show("Letters to sign", "<h1>Letters to sign</h1><table>" + letters.map((one, i) =>
    `<tr data-i="${i}"><td>${one.name}</td><td>Ward ${one.ward}</td><td>${one.signed ? "signed" : "waiting"}</td></tr>`
  ).join("") + (letters.length ? "</table>" : "</table><p>%s</p>") + "<button>Close the day</button>");
  document.addEventListener("click", (event) => {
    const row = event.target.closest("[data-i]"), what = event.target.textContent;
    if (row) {
      open = letters[row.dataset.i];
      tell("opened " + open.name);
      show("One letter", `<h1>${open.name}</h1><p>Dear colleague, thank you.</p><button>Sign this letter</button>`);
    } else if (what === "Sign this letter") {
      tell("signed " + open.name);
      open.signed = true;
      %s
      show("Signed letter", "<h1>This letter is signed</h1><p>A copy is kept.</p><button>Back to the list</button>");
    } else if (what === "Back to the list") list();
    else if (what === "Close the day") { tell("closed"); show("Day closed", "<h1>The day is over</h1>"); }
  });
  list();
</script></html>"""
GOES = "letters.splice(letters.indexOf(open), 1);"


PANE = """<style>table { display: block; height: 250px; width: 700px; overflow-y: scroll }</style>"""
BELOW = """<style>button { margin: 0 0 0 8px; padding: 4px 4px; min-width: 124px; text-align: left }</style>"""


def page(
    names: Sequence[str] = NAMES, *, goes: bool = False, below: bool = False, pane: bool = False, empty: str = ""
) -> str:
    """The list; `goes`: a letter leaves it once it is signed; `below`: the button stands as if it were a line; `pane`:
    it has a scroll bar and shows no more than six; `empty` is what it says where no letter is left."""
    rows = ", ".join(f'{{"name": "{name}", "ward": {ward}, "signed": false}}' for ward, name in enumerate(names, 3))
    return PAGE % (BELOW if below else PANE if pane else "", f"[{rows}]", empty, GOES if goes else "")


def shown_as(screen: VirtualDesktop, one: Site, page: str) -> AbstractContextManager[None]:
    """The list in a window of its own, with nothing done yet."""
    return shown_anew(screen, one, page, "Letters to sign")
