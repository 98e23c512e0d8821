"""A list of patients in a browser, of whom one is opened and marked as seen; two of them have nearly the same name.

The page tells its server whose record was opened and marked, so that nothing that the product says has to be believed.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass

from tests.support.display import VirtualDesktop
from tests.support.site import Site, shown_anew

TITLE = "Patients of the ward"


@dataclass(frozen=True, slots=True)
class Patient:
    name: str
    born: str
    number: str


PATIENTS = (
    Patient("BERNARD Chloé", "03/04/1971", "88120"),
    Patient("LEFÈVRE Marie", "12/09/1968", "77013"),
    Patient("NGUYEN Paul", "30/01/1990", "90121"),
    Patient("LEFEBVRE Marie", "21/11/1983", "77031"),
    Patient("ROSSI Anna", "08/06/1955", "66210"),
    Patient("DIALLO Ibrahim", "17/02/2001", "45907"),
)
OTHERS = tuple(
    Patient(f"{name} Léa", f"{day:02}/0{day % 9 + 1}/19{40 + day}", str(30000 + 137 * day))
    for day, name in enumerate(
        (
            "ADAM",
            "ALLARD",
            "AUBERT",
            "BARBIER",
            "BENOIT",
            "BLANC",
            "BONNET",
            "BOYER",
            "BRUN",
            "CARON",
            "CHEVALIER",
            "CLEMENT",
            "COLIN",
            "DAVID",
            "DENIS",
            "DUMAS",
            "FABRE",
            "FAURE",
        ),
        start=1,
    )
)  # so many that they do not fit into a window
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Patients of the ward</title>
<style>
  body { font: 16px/1.45 "DejaVu Sans", sans-serif; margin: 28px 36px }
  button { font: inherit; padding: 5px 18px }
  th, td { padding: 6px 34px 6px 10px; text-align: left } tr { border-bottom: 1px solid #bbb } table { border-collapse: collapse }
  dt { float: left; clear: left; width: 130px; color: #444 } dd { margin: 0 0 10px 130px }
</style>
<div id="view"></div>
<script>
  const patients = %s;
  let open = null;
  const tell = (what) => fetch("/", { method: "POST", body: what });
  const show = (title, html) => { document.title = title; document.getElementById("view").innerHTML = html; scrollTo(0, 0); };
  show("Patients of the ward", "<h1>Patients of the ward</h1><table><tr><th>Name<th>Born<th>Number<th></tr>" + patients.map((one, i) =>
    `<tr data-i="${i}"><td>${one.name}</td><td>${one.born}</td><td>${one.number}</td><td><button>Open</button></td></tr>`).join("") + "</table>");
  document.addEventListener("click", (event) => {
    const row = event.target.closest("[data-i]"), what = event.target.textContent;
    if (row && what === "Open") {
      open = patients[row.dataset.i];
      tell("opened " + open.number);
      show("Patient record", `<h1>Patient record</h1><dl><dt>Name<dd>${open.name}<dt>Born<dd>${open.born}<dt>Number<dd>${open.number}</dl><button>Mark as seen</button>`);
    } else if (what === "Mark as seen") {
      tell("seen " + open.number);
      show("Visit kept", "<h1>The visit is kept</h1><p>It is in the letter of today.</p>");
    }
  });
</script></html>"""  # noqa: E501


def page(patients: Sequence[Patient] = PATIENTS) -> str:
    rows = [{"name": one.name, "born": one.born, "number": one.number} for one in patients]
    return PAGE % json.dumps(rows, ensure_ascii=False)


def shown_as(
    screen: VirtualDesktop, one: Site, patients: Sequence[Patient] = PATIENTS, **place: tuple[int, int]
) -> AbstractContextManager[None]:
    """The list in a window of its own, in front, with nothing done yet; `place` is its `size` and where it is `at`."""
    return shown_anew(screen, one, page(patients), TITLE, **place)
