"""A record program in a browser that writes letters: a patient's name, a letter with its number, and the way back.

It refuses a name that it does not know with a page of its own. It tells its server what it wrote, so that nothing that
the product says has to be believed.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from contextlib import AbstractContextManager

from tests.support.display import VirtualDesktop
from tests.support.site import Site, shown_anew

TAUGHT = "MOREAU Camille"
STORY = f"""
workflow: Discharge letter
begins_on: Search
variables:
  patient: {TAUGHT}
steps:
  - type: "{{{{patient}}}}"
    into: Patient
    clear: true
    screen: Name
  - click: Write the letter
    expect: The letter is kept
    screen: Letter
  - read: letter
    at: "Letter number:"
  - click: Next patient
    id: back
    expect: Write the letter
    screen: Search
screens:
  Search:
    ends: true
"""
BACK = """
workflow: Back to the search
begins_on: No such patient
steps:
  - click: Search anew
    expect: Write the letter
    screen: Search
"""
# The draft of the letter, with the screen that says that it is not possible.
REFUSAL = """
from workflows.actions.publish import publish
from workflows.models import Workflow
letter = Workflow.objects.get(workflow_id="wf_discharge_letter")
letter.nodes.create(
    node_id="unknown", name="No such patient", texts=["No such patient", "The name is not known."],
    is_end=True, is_common=True, exception="Patient not found",
)
publish(workflow=letter, user=None, note="")
"""
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Discharge letters</title>
<style>
  body { font: 17px/1.5 "DejaVu Sans", sans-serif; margin: 40px }
  button { font: inherit; padding: 8px 24px; margin-top: 30px } input { font: inherit; padding: 5px 8px; width: 320px }
  dt { float: left; width: 160px } dd { margin: 0 0 10px 160px }
</style>
<div id="view"></div>
<script>
  const known = %s;
  let letters = 11870;
  const tell = (what) => fetch("/", { method: "POST", body: what });
  const show = (html) => { document.getElementById("view").innerHTML = html; };
  const refuse = () => show("<h1>No such patient</h1><p>The name is not known.</p><button>Search anew</button>");
  const search = () => show(`<h1>Discharge letters</h1><label>Patient <input id="name" autocomplete="off"></label><br>
    <button>Write the letter</button>`);
  document.addEventListener("click", (event) => {
    const what = event.target.textContent;
    if (what === "Write the letter") {
      const name = document.getElementById("name").value;
      if (!known.includes(name)) { tell("unknown " + name); refuse(); return; }
      letters += 1;
      tell("wrote " + name);
      show(`<h1>The letter is kept</h1><p>It is sent tomorrow.</p><dl><dt>Letter number:<dd>L-${letters}</dl><button>Next patient</button>`);
    } else if (what === "Next patient" || what === "Search anew") search();
  });
  %s();
</script></html>"""  # noqa: E501


def shown_as(
    screen: VirtualDesktop, one: Site, known: Collection[str], *, begins: str = "search"
) -> AbstractContextManager[None]:
    """The search in a window of its own, with nothing done yet; `begins` with "refuse": a name was just refused."""
    return shown_anew(screen, one, PAGE % (json.dumps(list(known), ensure_ascii=False), begins), "Discharge letters")
