"""S5.9 on a scripted desktop: what a message says is weaker than what stands in the list."""

from __future__ import annotations

from typing import Any

import pytest

from execution.actions.decide import decide
from execution.choices import ExecutionState, Outcome, PromptKind, Verified
from execution.models import Execution
from execution.types import Box, DecisionSource, Point
from sentences.said import from_json, in_words
from tests.doubles.scripted import ScriptedDesktop
from tests.doubles.widgets import Button, ScriptedScreen, TextLabel
from tests.execution.running.test_runner import Talk, hooks, row
from tests.factories import make_published
from tests.support.scripted import queue

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("own_folder")]

QUICK = {"settle_ms": 20, "settle_timeout_ms": 500, "retry_backoff_ms": 0}
ROW = ("Marie Dupont", "21/11/2026")


def page(name: str, button: str, then: str, *rows: tuple[str, ...]) -> ScriptedScreen:
    cells = [
        TextLabel(text=text, at=Point(60 + 240 * column, 140 + 40 * number))
        for number, cells in enumerate(rows)
        for column, text in enumerate(cells)
    ]
    title = TextLabel(text=f"Page {name}", at=Point(60, 60))
    go = Button(name="go", text=button, box=Box(700, 40, 160, 48))
    return ScriptedScreen(name=name, title="Letters", widgets=[title, *cells, go], on={"go": then})


def program(*rows: tuple[str, ...]) -> ScriptedDesktop:
    """Its form says “Saved” whatever it has done; only the list tells."""
    return ScriptedDesktop(
        [
            page("form", "Save", "saved", ("Letter of", "Marie Dupont")),
            page("saved", "Look", "list", ("Saved", "")),
            page("list", "Back", "again", ("Patient", "Day"), *rows),
            page("again", "Close", "end", ("Saved", "")),
            page("end", "Nothing", ""),
        ]
    )


def node(node_id: str, *texts: str, **fields: Any) -> dict[str, Any]:
    return {"node_id": node_id, "name": node_id.title(), "texts": list(texts), "window_title": "Letters", **fields}


def click(text: str, source: str, destination: str, effect: str = "observable", **fields: Any) -> dict[str, Any]:
    target = {"target_id": f"t_{text}", "label": text, "text": text, "role": "button"}
    return {"edge_id": text.lower(), "source": source, "destination": destination, "action_type": "click",
            "target": target, "effect_class": effect, **QUICK, **fields}  # fmt: skip


@pytest.fixture(autouse=True)
def look() -> Any:
    text = {"params": {"text": "{{who}}\n{{day}}"}, "target": None, "action_type": "must_see_row"}
    return make_published(
        workflow_id="look",
        name="Look in the list",
        nodes=[node("saved", "Saved", is_entry=True, is_end=True), node("list", "Page list")],
        edges=[
            click("Look", "saved", "list", "read"),
            {**click("See", "list", "list", "undeclared", order=1), **text},
            click("Back", "list", "saved", "read", order=2),
        ],
        variables=[{"name": "who"}, {"name": "day"}],
        already_at_end_is_fine=True,
    )


def saving(*, by_list: bool = False) -> Execution:
    """`by_list`: the list is seen before anything is saved."""
    first = [node("before", "Page before", is_entry=True)] if by_list else []
    new = [click("New", "before", "form", "read")] if by_list else []
    proof = {"workflow": "look", "version": 1, "values": {"who": "Marie Dupont", "day": "21/11/2026"}}
    return queue(
        make_published(
            nodes=[*first, node("form", "Page form", is_entry=not by_list), node("saved", "Saved"),
                   node("end", "Page end", is_end=True)],
            edges=[
                *new,
                click("Save", "form", "saved", expect={"texts": ["Saved"]}, proof=proof),
                click("Close", "saved", "end", order=1),
            ],
            variables=[],
        )
    )  # fmt: skip


def clicks(desktop: ScriptedDesktop) -> int:
    return len([act for act in desktop.log if act.kind == "click"])


def test_what_stands_in_the_list_once_is_saved() -> None:
    execution, desktop = saving(), program(("Jean Martin", "21/11/2026"), ROW)
    Talk(desktop, once=True).run()
    done = row(execution)
    assert done.state == ExecutionState.COMPLETED, in_words(from_json((done.pause_detail or {}).get("message")))
    ids = list(done.steps.exclude(edge_id="").values_list("edge_id", flat=True))
    assert ids == ["save", "save/look", "save/see", "save/back", "save/end/1", "close"]
    save = done.steps.get(edge_id="save")
    assert (save.verified, save.outcome) == (Verified.YES, Outcome.SUCCEEDED)
    assert in_words(from_json(save.message)) == "Read back by “Look in the list”: it is so."
    assert clicks(desktop) == 4


@pytest.mark.parametrize("rows", [[("Jean Martin", "21/11/2026")], [ROW, ROW]])
def test_what_does_not_is_asked_about_although_the_message_said_so(rows: list[tuple[str, str]]) -> None:
    execution, desktop = saving(), program(*rows)

    def stop(prompt: Any) -> None:
        decide(prompt_id=prompt.pk, choice="stop", source=DecisionSource.PROGRAM)

    Talk(desktop, hooks=hooks(on_prompt=stop)).run()
    ended = row(execution)
    assert ended.state == ExecutionState.STOPPED
    assert [prompt.kind for prompt in ended.prompts.all()] == [PromptKind.IN_DOUBT]
    assert ended.steps.get(edge_id="save").outcome == Outcome.FAILED
    assert clicks(desktop) == 2, "the save, and the way to the list"


@pytest.mark.parametrize("before", [True, False])
def test_a_row_that_stood_there_before_proves_nothing(before: bool) -> None:
    """The act did nothing and says “Saved”; the very row is another one's, and the run has seen it before the act."""
    execution, desktop = saving(by_list=True), program(("Jean Martin", "21/11/2026"), ROW)
    seen = [("Patient", "Day"), ("Jean Martin", "21/11/2026"), *([ROW] if before else [])]
    there = [desktop._screens[name] for name in ("form", "saved", "list", "again", "end")]
    desktop = ScriptedDesktop([page("before", "New", "form", *seen), *there])

    def stop(prompt: Any) -> None:
        decide(prompt_id=prompt.pk, choice="stop", source=DecisionSource.PROGRAM)

    Talk(desktop, hooks=hooks(on_prompt=stop), once=True).run()
    ended = row(execution)
    asked = [in_words(from_json(prompt.message)) for prompt in ended.prompts.all()]
    save = ended.steps.get(edge_id="save")
    if before:
        assert [one.split("prove so. ")[-1] for one in asked] == [
            "This row stood there just so at step 1, before it was done: it does not tell whether it was."
        ]
        assert (ended.state, save.outcome) == (ExecutionState.STOPPED, Outcome.FAILED)
    else:
        assert (ended.state, save.verified, asked) == (ExecutionState.COMPLETED, Verified.YES, [])
