"""The main job as its users do it: a real editor on a real desktop, a browser, the web process and the run loop."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from execution.desktop.x11 import X11Desktop
from tests.support.browser import shot
from tests.support.display import wait_until
from tests.support.product import Product, product

pytestmark = [pytest.mark.display, pytest.mark.browser]

NOTE = "Marie Lefèvre\n2026-11-21\nmarie.lefevre@hopital.example"
QUERIES = (
    "SELECT node_id, action_type, ocr_ms, analyze_ms FROM step_metrics WHERE ocr_ms > 300 ORDER BY ocr_ms DESC;",
    "SELECT workflow_id, SUM(cache_hit) * 1.0 / COUNT(*) AS cache_hit_ratio FROM step_metrics GROUP BY workflow_id;",
    "SELECT execution_id, node_id, analyze_ms FROM step_metrics WHERE degraded = 1 ORDER BY started_at DESC;",
)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Iterator[Product]:
    """Traced where it is asked afterwards what was connected to: tracing takes its time."""
    asked = any(item.name == test_nothing_left_the_machine.__name__ for item in request.session.items)
    with product(tmp_path_factory.mktemp("product"), traced=asked) as one:
        yield one


@pytest.fixture
def page(page_of: Callable[..., Page], world: Product) -> Page:
    return page_of(world, "otto")


def start_in_browser(page: Page, mode: str, filename: str) -> str:
    """Start the demo through the form; gives the execution id."""
    page.goto("/runs/new?workflow=wf_patient_note")
    page.check(f"input[name=mode][value={mode}]", force=True)
    page.fill("[name$=patient]", "Marie Lefèvre")
    page.fill("[name$=date]", "2026-11-21")
    page.fill("[name$=email]", "marie.lefevre@hopital.example")
    page.fill("[name$=filename]", filename)
    page.click("main form [type=submit]")
    expect(page).to_have_url(re.compile(r"/runs/exec_"))
    return page.url.rsplit("/", 1)[1]


def state_of(world: Product, execution_id: str) -> str:
    rows = world.rows("SELECT state FROM execution_execution WHERE execution_id = ?", execution_id)
    return rows[0][0]


def wait_for_end(world: Product, execution_id: str, *, timeout: float = 120) -> str:
    wait_until(
        lambda: state_of(world, execution_id) in ("completed", "failed", "stopped", "paused"),
        timeout=timeout,
        what=f"the end of {execution_id}: {world.log('runloop').read_text()[-1500:]}",
    )
    return state_of(world, execution_id)


class Coach:
    """A person at the live page: reads what is asked, answers by key or button, sees the step arrive."""

    def __init__(self, page: Page, world: Product, execution_id: str) -> None:
        self.page, self.world, self.execution_id = page, world, execution_id
        self.prompt_id = 0
        self.page.evaluate("window.notReloaded = true")

    def asked(self, sentence: str) -> dict[str, Any]:
        """Wait until the page asks about `sentence`, and give the prompt as the API has it."""
        expect(self.page.locator("#question-title")).to_contain_text(sentence)
        expect(self.page.locator("#question [data-key]").first).to_be_enabled(timeout=30_000)
        prompt = self.page.request.get(f"/api/executions/{self.execution_id}/prompt/").json()
        prompt = prompt.get("prompt", prompt)
        assert prompt["prompt_id"] != self.prompt_id
        self.prompt_id = prompt["prompt_id"]
        return prompt

    def key(self, key: str, sentence: str) -> None:
        self.asked(sentence)
        self.page.keyboard.press(key)
        self.arrived()

    def arrived(self) -> None:
        """The step reaches the page by the stream; the page was never loaded again."""
        index = self.world.rows(
            'SELECT s."index" FROM execution_step s JOIN execution_prompt p ON p.step_id = s.id WHERE p.id = ?',
            self.prompt_id,
        )[0][0]
        wait_until(
            lambda: self.world.rows(
                "SELECT 1 FROM execution_step s JOIN execution_execution e ON e.id = s.execution_id "
                "WHERE e.execution_id = ? AND s.\"index\" = ? AND s.phase = 'closed'",
                self.execution_id,
                index,
            ),
            timeout=30,
            what=f"step {index}",
        )
        expect(self.page.locator(f'#steps [data-row="step-{index}"]:not([data-now])')).to_be_visible(timeout=10_000)
        assert self.page.evaluate("window.notReloaded") is True

    def point_at(self, box: list[float]) -> None:
        """Click in the middle of a normalised box on the picture."""
        frame = self.page.locator("#frame").bounding_box()
        assert frame is not None
        x = frame["x"] + (box[0] + box[2] / 2) * frame["width"]
        y = frame["y"] + (box[1] + box[3] / 2) * frame["height"]
        self.page.mouse.click(x, y)


@pytest.mark.core
def test_coaching_with_every_decision_then_the_file_is_right(world: Product, page: Page, tmp_path: Path) -> None:
    """S1.9, S1.10, S1.12, S1.13, S8.1: accept, skip, manual, correct by clicking on the picture, in one run."""
    world.open_editor()
    world.start_runloop()
    execution_id = start_in_browser(page, "coaching", "coached.txt")
    coach = Coach(page, world, execution_id)
    coach.key("a", "File")
    coach.key("a", "New")
    coach.key("s", "View")
    coach.key("a", "Marie Lefèvre")
    coach.asked("2026-11-21")
    by_hand = X11Desktop(world.screen.display)
    by_hand.type_text("2026-11-21\n")
    by_hand.close()
    page.keyboard.press("m")
    coach.arrived()
    coach.asked("marie.lefevre@hopital.example")
    page.click('#question [data-key="accept"]')
    coach.arrived()
    prompt = coach.asked("File")
    page.keyboard.press("c")
    coach.point_at(prompt["step"]["suggestion"]["box"])
    page.fill("#question [name=feedback]", "the menu, at its left")
    page.click("#question form [type=submit]")
    coach.arrived()
    for sentence in ("Save As", "coached.txt", "Save", "File", "Quit"):
        coach.key("a", sentence)
    assert wait_for_end(world, execution_id) == "completed"
    expect(page.locator("#state")).to_contain_text("completed")
    shot(page, path=tmp_path / "finished.png")
    assert (world.documents / "coached.txt").read_bytes() == NOTE.encode()

    progress = page.request.get(f"/api/executions/{execution_id}/progress/").json()
    assert (progress["steps_executed"], progress["steps_succeeded"], progress["steps_failed"]) == (13, 10, 0)
    stats = page.request.get(f"/api/executions/{execution_id}/coaching_stats/").json()
    counts = {
        k: stats[k] for k in ("suggestions_made", "accepted", "rejected", "corrected", "manual_executions", "skipped")
    }
    assert counts == {
        "suggestions_made": 12, "accepted": 9, "rejected": 0, "corrected": 1, "manual_executions": 1, "skipped": 1,
    }  # fmt: skip
    assert stats["acceptance_rate"] == pytest.approx(9 / 12)
    kept = world.rows("SELECT feedback, correction_type FROM workflows_correction WHERE execution_id = ?", execution_id)
    assert kept == [("the menu, at its left", "target")]


@pytest.mark.core
def test_an_automatic_run_needs_no_person_and_leaves_metrics(world: Product, page: Page) -> None:
    """S1.5, S7.1: the same file without a prompt; one metric a step; the users' own queries run as they are."""
    world.open_editor()
    execution_id = start_in_browser(page, "automatic", "automatic.txt")
    assert wait_for_end(world, execution_id) == "completed"
    assert (world.documents / "automatic.txt").read_bytes() == NOTE.encode()
    assert world.rows(
        "SELECT COUNT(*) FROM execution_prompt p JOIN execution_execution e ON e.id = p.execution_id "
        "WHERE e.execution_id = ?",
        execution_id,
    ) == [(0,)]
    metrics = world.rows(
        "SELECT action_type, success, verified, rung FROM step_metrics WHERE execution_id = ? ORDER BY step",
        execution_id,
    )
    assert len(metrics) == 14
    assert all(success == 1 for _action, success, _verified, _rung in metrics)
    assert all(verified == "yes" for action, _success, verified, _rung in metrics if action)
    assert all(rung for action, _success, _verified, rung in metrics if action == "click")
    first, second, third = (world.rows(query) for query in QUERIES)
    assert all(ocr_ms > 300 for _node, _action, ocr_ms, _analyze in first)
    assert [workflow for workflow, _ratio in second] == ["wf_patient_note"]
    assert third == []


@pytest.mark.core
def test_kill_9_in_the_middle_of_typing_is_noticed_and_never_repeated(world: Product, page: Page) -> None:
    """S9.1, S9.2: keys are let go, the step is in doubt, a person is asked, the run completes with the right file."""
    world.stop_runloops()
    world.open_editor()
    with closing(world.client("otto")) as otto:
        body = {"workflow_id": "wf_patient_note", "mode": "automatic", "variables": {"filename": "killed.txt"}}
        started = otto.post("/api/executions/", json=body)
        assert started.status_code == 201, started.text
        execution_id = started.json()["execution_id"]
    killed = world.start_runloop("-m", "tests.support.crashing_runloop", world.screen.display)
    killed.wait(60)
    assert world.rows("SELECT action_type FROM execution_step WHERE phase = 'intent'") == [("type_text",)]
    assert world.keys_down()

    world.start_runloop()
    assert not world.keys_down()
    page.goto(f"/runs/{execution_id}")
    expect(page.locator("#question-title")).to_contain_text("done?", timeout=60_000)
    assert world.rows("SELECT in_doubt, phase FROM execution_step WHERE phase = 'intent'") == [(1, "intent")]
    by_hand = X11Desktop(world.screen.display)
    by_hand.press(("ctrl", "a"))
    by_hand.type_text("Marie Lefèvre\n")
    by_hand.close()
    page.keyboard.press("d")
    assert wait_for_end(world, execution_id) == "completed"
    assert (world.documents / "killed.txt").read_bytes() == NOTE.encode()
    typed = world.rows(
        "SELECT COUNT(*) FROM execution_step s JOIN execution_execution e ON e.id = s.execution_id "
        "WHERE e.execution_id = ? AND s.edge_id = 'type_name'",
        execution_id,
    )
    assert typed == [(1,)]


@pytest.mark.security
def test_nothing_left_the_machine(world: Product) -> None:
    """S10.6: the web process and the run loops of all these runs, traced from start to end."""
    if world.trace is None:
        pytest.skip("strace is not installed")
    elsewhere = [
        address
        for address in world.connections()
        if "AF_UNIX" not in address
        and "AF_NETLINK" not in address
        and "AF_UNSPEC" not in address
        and '"127.0.0.1"' not in address
        and '"::1"' not in address
    ]
    assert elsewhere == []
    assert any("AF_UNIX" in address for address in world.connections())
