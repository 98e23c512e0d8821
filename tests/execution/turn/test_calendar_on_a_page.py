"""S6.12 on a real page: a day is picked in the calendar that a field opens, where it cannot be typed into it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.execution.turn.test_controls_on_a_page import beside, edge, run, told
from tests.execution.turn.test_forms_on_a_page import Held
from tests.support.display import VirtualDesktop, virtual_desktop
from tests.support.on_a_page import ON_A_PAGE
from tests.support.site import serving, shown

pytestmark = ON_A_PAGE

CALENDAR = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Order</title>
<style>
  body { font: 18px/1.5 "DejaVu Sans", sans-serif; margin: 20px 40px }
  input { font: inherit; padding: 4px 8px } .l { display: inline-block; width: 170px }
  #cal { position: absolute; left: 214px; margin-top: %(gap)spx; background: white; border: 1px solid #888; padding: 8px } td { text-align: center }
  #cal button { font: inherit; width: 42px; border: 0; background: none } #cal .on { background: #246; color: white }
</style>
<h1>Order form</h1><p><span class="l">Due on:</span><input id="due" readonly size="14"></p><div id="cal" hidden></div>
<p>It is done at eight in the morning.</p><p><span class="l">Remark:</span><input size="20"></p>
<script>
  let at = new Date(2026, 10, 1), times = 0;
  const names = "%(names)s".split(" ");
  const told = () => fetch("/held", { method: "POST", body: JSON.stringify([times++, { due: due.value }]) });
  const draw = () => {
    const first = (at.getDay() + 6) %% 7, days = new Date(at.getFullYear(), at.getMonth() + 1, 0).getDate();
    let cells = "<td></td>".repeat(first);
    for (let d = 1; d <= days; d++) cells += `<td><button class="${d === 18 ? "on" : ""}">${d}</button></td>` + ((first + d) %% 7 ? "" : "</tr><tr>");
    cal.innerHTML = `<div style="display:flex;justify-content:space-between"><button>%(before)s</button><b>${names[at.getMonth()]} ${at.getFullYear()}</b><button>%(after)s</button></div><table><tr>${"Mo Tu We Th Fr Sa Su".split(" ").map((d) => `<th>${d}</th>`).join("")}</tr><tr>${cells}</tr></table>`;
  };
  due.addEventListener("click", () => { cal.hidden = false; draw(); });
  cal.addEventListener("click", (event) => {
    const what = event.target.closest("button")?.textContent;
    if (!what) return;
    if (what === "%(before)s" || what === "%(after)s") { at = new Date(at.getFullYear(), at.getMonth() + (what === "%(before)s" ? -1 : 1) * %(turns)s, 1); return draw(); }
    due.value = [String(what).padStart(2, "0"), String(at.getMonth() + 1).padStart(2, "0"), at.getFullYear()].join("/");
    cal.hidden = true; told();
  });
</script></html>"""  # noqa: E501
ENGLISH = "January February March April May June July August September October November December"
FRENCH = "janvier février mars avril mai juin juillet août septembre octobre novembre décembre"


@pytest.fixture(scope="module")
def screen() -> Iterator[VirtualDesktop]:
    with virtual_desktop(1000, 860) as one:
        yield one


@contextmanager
def page(screen: VirtualDesktop, html: str) -> Iterator[Held]:
    held = Held()
    with serving(lambda path: html, held.hear) as port, shown(screen, port, "Order", size=(920, 800), at=(30, 20)):
        yield held


def due(date: str) -> dict[str, Any]:
    return edge("pick_date", beside("Due on", -234), date=date, format="fr")


@pytest.mark.parametrize(
    ("day", "names", "marks", "gap"),
    [("2026-11-05", ENGLISH, "‹›", 0), ("2027-02-28", ENGLISH, "◀▶", 0), ("2026-08-18", FRENCH, "<>", 30)],
    ids=["this month", "three months on", "three months back, away from the field"],
)
def test_a_day_is_picked_where_it_cannot_be_typed(
    screen: VirtualDesktop, analyzer: Any, day: str, names: str, marks: str, gap: int
) -> None:
    shown_page = CALENDAR % {"names": names, "before": marks[0], "after": marks[1], "turns": 1, "gap": gap}
    with page(screen, shown_page) as held:
        execution, asked = run(screen, analyzer, due(day))
    first = told(execution)[0]
    assert first[1:3] == ("succeeded", "yes"), (first, [p.message for p in asked])
    assert held.last["due"] == "/".join(reversed(day.split("-")))
    assert len(held.told) == 1, "nothing else was picked on the way"


@pytest.mark.parametrize(
    ("day", "turns", "why"),
    [("2027-01-12", 2, "not turned"), ("1954-03-02", 1, "months away")],
    ids=["turned by two", "a birthday"],
)
def test_a_calendar_that_does_otherwise_is_asked_about(
    screen: VirtualDesktop, analyzer: Any, day: str, turns: int, why: str
) -> None:
    shown_page = CALENDAR % {"names": ENGLISH, "before": "‹", "after": "›", "turns": turns, "gap": 0}
    with page(screen, shown_page) as held:
        execution, asked = run(screen, analyzer, due(day))
    said = " ".join([one[3] for one in told(execution)] + [str(p.message) for p in asked])
    assert why in said, said
    assert held.told == {}
