"""A list of patients whose visits are marked, in looks that change: theme, a name, the order, a notice over it."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field

from tests.e2e.patients_page import PATIENTS, Patient
from tests.support.display import VirtualDesktop
from tests.support.site import serving, shown

TITLE = "Visits of the ward"
NOTICE = ("New in this version", "The list can be sorted by a click on its head.")
STORY = f"""
workflow: Mark a visit
variables:
  patient: {PATIENTS[0].name}
steps:
  - click: Open
    row: "{{{{patient}}}}"
    expect: Record of the patient
    screen: Record
  - click: Mark as seen
    identity: {{Name: "{{{{patient}}}}"}}
    expect: The visit is kept
    screen: Kept
"""
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Visits of the ward</title>
<style>
  body { font: 16px/1.45 "DejaVu Sans", sans-serif; margin: 28px 36px; background: #fff; color: #111 }
  button { font: inherit; padding: 5px 18px; margin-right: 24px } table { border-collapse: collapse }
  th, td { padding: 6px 34px 6px 10px; text-align: left } tr { border-bottom: 1px solid #bbb }
  dt { float: left; clear: left; width: 130px } dd { margin: 0 0 10px 130px }
  #over { position: fixed; left: 250px; top: 170px; width: 460px; padding: 24px; background: #fff; color: #111;
          border: 2px solid #444; box-shadow: 0 8px 24px #0008 }
  .dark, .dark #over { background: #1b1e24; color: #e6e6e6 } .dark button { background: #2f3540; color: #f0f0f0;
          border: 1px solid #7a8496; border-radius: 7px } .dark tr { border-color: #444b57 }
</style>
<div id="view"></div>
<script>
  const patients = %(patients)s, look = %(look)s;
  let open = null, corner = null;
  const view = document.getElementById("view");
  if (look.dark) document.documentElement.className = document.body.className = "dark";
  const tell = (what) => fetch("/", { method: "POST", body: JSON.stringify(what) });
  function draw(title, html) {
    document.title = title; view.innerHTML = html; place();
  }
  const part = (one) => one.closest("[data-of]") ? one.closest("[data-of]").dataset.of + ": " : "";
  function place() {
    const boxes = [...document.querySelectorAll("button")].map((one) => {
      const box = one.getBoundingClientRect();
      const whose = one.closest("[data-i]");
      const name = (whose ? patients[whose.dataset.i].name + ": " : part(one)) + one.textContent;
      return [name, box.left, box.top, box.right, box.bottom];
    });
    tell({ boxes });
  }
  document.addEventListener("click", (event) => {
    const row = event.target.closest("[data-i]"), what = event.target.textContent.slice(0, 40);
    const corner = [event.screenX - event.clientX, event.screenY - event.clientY];
    const name = event.target.tagName === "BUTTON" ? (row ? `${patients[row.dataset.i].name}: ${what}` : part(event.target) + what) : `nothing: ${what}`;
    tell({ act: (open ? `${open.name}: ` : "") + name, corner });
    if (name === "Got it") { document.getElementById("over").remove(); place(); }
    else if (row && what === "Open") {
      open = patients[row.dataset.i];
      draw("Record", `<h1>Record of the patient</h1><dl><dt>Name<dd>${open.name}<dt>Born<dd>${open.born}<dt>Number<dd>${open.number}</dl><p><button>${look.mark}</button><button>Discharge</button><button>Print</button></p>` +
        (look.letter ? `<h2>Letter</h2><p data-of="Letter"><button>${look.mark}</button></p>` : ""));
    } else if (name.startsWith("Letter: ")) draw("Letter", "<h1>The letter is signed</h1><p>It is sent tonight.</p>");
    else if (what === look.mark) draw("Kept", "<h1>The visit is kept</h1><p>It is in the letter of today.</p>");
  });
  const head = ["Name", "Born", "Number", ""];
  draw("Visits of the ward", "<h1>Visits of the ward</h1><table><tr>" + head.map((one) => `<th>${one}`).join("") + "</tr>" + patients.map((one, i) =>
    `<tr data-i="${i}"><td>${one.name}</td><td>${one.born}</td><td>${one.number}</td><td><button>Open</button></td></tr>`).join("") + "</table>");
  if (look.notice) {
    document.body.insertAdjacentHTML("beforeend", '<div id="over"><h2>New in this version</h2><p>The list can be sorted by a click on its head.</p><button>Got it</button></div>');
    place();
  }
</script></html>"""  # noqa: E501


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What the application looks like; as it is taught where nothing is said."""

    dark: bool = False
    mark: str = "Mark as seen"
    turned: bool = False  # the list the other way round
    notice: bool = False
    letter: bool = False  # a second button of the same name, which does something else


@dataclass
class Visits:
    """What is shown now, what was done on it, and where its buttons are on the screen."""

    look: Look = field(default_factory=Look)
    done: list[str] = field(default_factory=list)
    port: int = 0
    corner: tuple[float, float] = (0, 0)  # of the page on the screen: told with the first act on it
    _boxes: dict[str, tuple[float, float, float, float]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def page(self, path: str) -> str:
        patients = PATIENTS[::-1] if self.look.turned else PATIENTS
        return PAGE % {
            "patients": json.dumps([asdict(one) for one in patients], ensure_ascii=False),
            "look": json.dumps(asdict(self.look)),
        }

    def hear(self, path: str, body: str) -> None:
        told = json.loads(body)
        with self._lock:
            if "act" in told:
                self.done.append(told["act"])
                self.corner = (told["corner"][0], told["corner"][1])
            else:
                self._boxes = {name: (a, b, c, d) for name, a, b, c, d in told["boxes"]}

    def box(self, name: str) -> tuple[float, float, float, float] | None:
        """Where that button is on the screen now, in pixels; None where there is none."""
        with self._lock:
            found = self._boxes.get(name)
            x, y = self.corner
        return (found[0] + x, found[1] + y, found[2] + x, found[3] + y) if found else None


def right_acts(patient: Patient, look: Look) -> list[str]:
    """All that is right to do, in its order."""
    over = ["Got it"] if look.notice else []
    return [*over, f"{patient.name}: Open", f"{patient.name}: {look.mark}"]


@contextmanager
def visits() -> Iterator[Visits]:
    one = Visits()
    with serving(one.page, one.hear) as one.port:
        yield one


@contextmanager
def shown_as(screen: VirtualDesktop, one: Visits, look: Look) -> Iterator[None]:
    """The list in a window of its own, in front, with nothing done yet."""
    one.look = look
    one.done.clear()
    with shown(screen, one.port, TITLE, size=(1000, 680), at=(60, 40)):
        yield
