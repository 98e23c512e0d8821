"""The pages: each style taught once as it should be, then run with each thing that goes wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.programs.cases import ALL, CASES, Case
from benchmarks.programs.result import ASKED, RIGHT, WRONG, Result
from benchmarks.programs.running import run, taught
from benchmarks.programs.site import PHONE, ROWS, STYLES, TAUGHT, WANTED, Site, served
from benchmarks.story import Act, Screen, Story
from execution.types import Point
from tests.support.display import VirtualDesktop, wait_until
from tests.support.site import shown

TITLE, WINDOW = "Ward orders*", "Ward orders"


def story(style: str, *, row: bool) -> Story:
    words = STYLES[style]
    listed = Screen(node_id="list", title=TITLE, texts=(words["list"],))
    record = Screen(node_id="record", title=TITLE, texts=(words["record"],), absent=(words["saved"], "{{phone}}"))
    filled = Screen(node_id="filled", title=TITLE, texts=(words["record"], "{{phone}}"), absent=(words["saved"],))
    saved = Screen(node_id="saved", title=TITLE, texts=(words["record"], "{{phone}}", words["saved"]))
    signed = Screen(node_id="signed", title=TITLE, texts=(words["signed"],))
    in_row = () if style == "cards" else ("{{order}}",)  # a card is no row: it is told from its like by what it holds
    whose = (words["number"], "{{order}}")
    return Story(
        workflow_id=f"wf_{style}_{'row' if row else 'shown'}",
        values={"order": TAUGHT, "phone": "0612345678"},
        parts=(
            listed,
            Act(edge_id="open", action="click", text=words["open"], window=WINDOW, row=in_row),
            record,
            Act(edge_id="field", action="click", text=words["phone"], window=WINDOW),
            record,
            Act(edge_id="type", action="type_text", text="{{phone}}", identity=whose if row else None),
            filled,
            Act(edge_id="save", action="click", text=words["save"], window=WINDOW, identity=whose if row else None),
            saved,
            Act(edge_id="sign", action="click", text=words["sign"], window=WINDOW, identity=whose if row else None),
            signed,
        ),
    )  # fmt: skip


def anew(site: Site, screen: VirtualDesktop) -> None:
    site.sent.clear()
    screen.run(["xdotool", "key", "F5"])
    wait_until(lambda: site.shown, what="the page")


def pointer(site: Site, screen: VirtualDesktop) -> Callable[[Act], Point]:
    """Where the page says that a person would click."""

    def point(act: Act) -> Point:
        wait_until(lambda: act.edge_id in site.where.get("at", {}), what=f"the place of {act.edge_id}")
        window = next(w for w in screen.windows() if WINDOW in w.title)
        (wide, high), (x, y) = site.where["inner"], site.where["at"][act.edge_id]
        return Point(round(window.x + (window.width - wide) / 2 + x), round(window.y + window.height - high + y))

    return point


def meanwhile(case: Case, site: Site, screen: VirtualDesktop) -> Callable[[], None]:
    """What happens while a question is open: the page does something by itself, or somebody does it by hand."""

    def happens() -> None:
        if case.fault == "by_hand":
            at = pointer(site, screen)(Act(edge_id=case.asked_at, action="click"))
            screen.run(["xdotool", "mousemove", str(at.x), str(at.y), "click", "1"])
        else:
            screen.run(["xdotool", "key", "F8"])

    return happens


def rows_for(case: Case, wanted: str) -> Sequence[tuple[str, str, str]]:
    if case.order == "turned":
        return ROWS[::-1]
    return tuple(row for row in ROWS if row[0] != wanted) if case.order == "without" else ROWS


def judged(case: Case, wanted: str, state: str, sent: Sequence[Mapping[str, Any]]) -> str:
    """What the page's server got decides; a run that says that it is at its end when it is not is wrong as well."""
    names = [one["what"] for one in sent]
    right_ids = all(one.get("id", wanted) == wanted for one in sent)
    right_text = all(one["phone"] == PHONE and not one["note"] for one in sent if one["what"] == "save")
    if tuple(names) != case.may[: len(names)] or not (right_ids and right_text):
        return WRONG
    if state == "completed":
        return RIGHT if case.ends and tuple(names) == ALL else WRONG
    return ASKED


def perform(
    style: str, analyzer: Any, screen: VirtualDesktop, folder: Path, *, row: bool, only: str
) -> Iterator[Result]:
    with served(Site(style=style)) as site, shown(screen, site.port, WINDOW, size=(1000, 700), at=(60, 40)):
        wait_until(lambda: site.shown, what="the page")
        workflow = taught(story(style, row=row), screen, analyzer, folder / style, points=pointer(site, screen))
        assert [one["what"] for one in site.acts] == list(ALL), site.acts
        wanted = TAUGHT if style == "cards" else WANTED  # a card that is told without its row is the one that was shown
        for case in CASES:
            if only and only not in (case.fault or "plain") and only not in case.about:
                continue
            site.fault, site.rows, site.wanted = case.fault, rows_for(case, wanted), wanted
            anew(site, screen)
            values = {"order": wanted, "phone": PHONE}
            (_execution, state), asked = run(
                workflow, values, screen, analyzer, asked_at=case.asked_at, meanwhile=meanwhile(case, site, screen)
            )
            yield Result(
                about=case.about, program=f"page {style}", verdict=judged(case, wanted, state, site.acts),
                clear=case.ends,
                acts=" ".join(f"{one['what']}({one.get('id', one.get('button', ''))})" for one in site.acts),
                asked=f"{case.fault or case.order} → {state}; " + " | ".join(asked),
            )  # fmt: skip
