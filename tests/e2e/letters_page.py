"""Letters to sign, one after the other: a list in a browser, a page for each letter, and the way back.

A line of the list says so once its letter is signed. Signing twice, or another one, is what must never happen.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from tests.support.display import VirtualDesktop
from tests.support.site import serving, shown
from tests.support.story import Act, Screen, Story

NAMES = ("Adams, Grace", "Brown, Miriam", "Carter, Helen")
LETTERS = Screen(node_id="letters", title="Letters to sign*", texts=("Letters to sign", "Close the day"))
STORY = Story(
    workflow_id="wf_letters",
    values={},
    parts=(
        LETTERS,
        Act(edge_id="open", action="click", text=NAMES[0], window="Letters to sign", label="line {{n}}",
            repeat={"counter": "n", "most": 20, "until": [], "steps": []}, seen="Sign this letter"),
        Screen(node_id="letter", title="One letter*", texts=("Sign this letter",)),
        Act(edge_id="sign", action="click", text="Sign this letter", window="One letter", seen="This letter is signed"),
        Screen(node_id="signed", title="Signed letter*", texts=("This letter is signed",)),
        Act(edge_id="back", action="click", text="Back to the list", window="Signed letter", seen="Letters to sign"),
        LETTERS,
        Act(edge_id="close", action="click", text="Close the day", window="Letters to sign", seen="The day is over"),
        Screen(node_id="closed", title="Day closed*", texts=("The day is over",)),
    ),
)  # fmt: skip
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
    `<tr data-i="${i}"><td>${one.name}</td><td>Ward ${i + 3}</td><td>${one.signed ? "signed" : "waiting"}</td></tr>`
  ).join("") + "</table><button>Close the day</button>");
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


BELOW = """<style>button { margin: 0 0 0 8px; padding: 4px 4px; min-width: 124px; text-align: left }</style>"""


def page(names: Sequence[str] = NAMES, *, goes: bool = False, below: bool = False) -> str:
    """The list; `goes`: a letter leaves it once it is signed; `below`: the button stands as if it were a line."""
    rows = ", ".join(f'{{"name": "{name}", "signed": false}}' for name in names)
    return PAGE % (BELOW if below else "", f"[{rows}]", GOES if goes else "")


@dataclass
class Site:
    """What is served now, and what was done on it."""

    page: str = ""
    done: list[str] = field(default_factory=list)
    port: int = 0


@contextmanager
def site() -> Iterator[Site]:
    one = Site()
    with serving(lambda path: one.page, lambda path, body: one.done.append(body)) as one.port:
        yield one


@contextmanager
def shown_as(screen: VirtualDesktop, one: Site, page: str) -> Iterator[None]:
    """The page in a window of its own, in front, with nothing done yet."""
    one.page = page
    one.done.clear()
    with shown(screen, one.port, "Letters to sign", size=(1000, 680), at=(60, 40)):
        yield
