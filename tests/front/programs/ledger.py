"""A user's own program: bills in pictures, its own eyes, hands, workflow and coach. Nothing of the product but S11.

python ledger.py        # prints what came of it, as JSON
"""

import datetime
import enum
import json
import os
import threading

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "rpa_site.settings")
django.setup()

from PIL import Image, ImageDraw  # noqa: E402

from execution.execution_loop import (  # noqa: E402
    CoachingDecision,
    CoachingResponse,
    ExecutionLoop,
    ExecutionMode,
    ExecutionResult,
)


class Status(enum.Enum):
    SUCCESS = "success"
    FAILED = "failed"


class Trust(enum.Enum):
    LEARNING = "COACHING"
    KNOWN = "AUTO_CONFIRMED"


class Desk:
    """The application: a bill is opened, filled, stamped."""

    def __init__(self):
        self.place, self.done = "inbox", []


class Picture:
    def __init__(self, image):
        self.image, self.timestamp = image, datetime.datetime.now()


class Stats:
    def __init__(self, total):
        self.total_captures, self.captures_per_second = total, 2.0
        self.unchanged_frames_skipped, self.average_capture_time_ms = 1, 0.5
        self.buffer_size, self.memory_usage_mb = 3, 0.25


class Capturer:
    def __init__(self, desk):
        self.desk, self.taken, self.blind, self.on = desk, 0, 2, None

    def capture_screen(self):
        if self.blind:  # a camera that needs a moment
            self.blind -= 1
            return None
        self.taken += 1
        return self.draw()

    def draw(self):
        image = Image.new("RGB", (640, 400), "white")
        ImageDraw.Draw(image).text((40, 40), f"Bill: {self.desk.place}", fill="black")
        return image

    def start_continuous(self, callback, interval_ms, skip_unchanged=True):
        self.on = (interval_ms, skip_unchanged)
        threading.Thread(target=callback, args=(Picture(self.draw()),), daemon=True).start()

    def stop_continuous(self):
        self.on = None

    def get_stats(self):
        return Stats(self.taken)

    def get_active_window(self):
        return {"title": "Ledger", "app_name": "ledger"}


class Edge:
    def __init__(self, edge_id, action, target, params):
        self.edge_id, self.action, self.target, self.params = edge_id, action, target, params


class Workflow:
    name = "Bills"
    entry_nodes = ["inbox"]

    def __init__(self, learning_state):
        self.learning_state = learning_state
        self.edges = {
            "open": Edge("open", "fetch_bill", "first bill", {}),
            "fill": Edge("fill", "write_amount", "amount", {"amount": 10}),
            "stamp": Edge("stamp", "stamp", "stamp here", {"ink": "blue", "times": 1}),
        }

    def get_edge(self, edge_id):
        return self.edges[edge_id]


class Pipeline:
    def __init__(self, desk, trust):
        self.desk, self.trust, self.loaded = desk, trust, 0

    def load_workflow(self, workflow_id):
        if workflow_id != "bills":
            raise KeyError(workflow_id)
        self.loaded += 1
        return Workflow(self.trust)

    def match_current_state(self, screenshot_path, workflow_id):
        assert os.path.getsize(screenshot_path) > 100
        return {"node_id": self.desk.place, "confidence": 0.9}

    def get_next_action(self, workflow_id, node_id):
        edge = {"inbox": "open", "bill": "fill", "filled": "stamp"}.get(node_id)
        if edge is None:
            return None
        known = Workflow(self.trust).get_edge(edge)
        return {"edge_id": edge, "action": known.action, "target": known.target, "params": known.params}


class Executor:
    def __init__(self, desk):
        self.desk, self.seen = desk, []

    def execute_edge(self, edge, screen_state, context=None):
        self.seen.append([edge.edge_id, edge.action, edge.params, dict(context)])
        if edge.params.get("amount") == 13:
            return ExecutionResult(Status.FAILED, message="", duration_ms=7.0, error="nobody pays 13")
        self.desk.place = {"open": "bill", "fill": "filled", "stamp": "archive"}[edge.edge_id]
        context["last"] = edge.edge_id
        return ExecutionResult(Status.SUCCESS, message="ok", duration_ms=5.0, error=None)


def coach(message, info):
    if info["edge_id"] == "stamp":
        correction = {"params": {"ink": "red", "times": 2}, "corrected_params": {"ink": "green"}}
        return CoachingResponse(CoachingDecision.CORRECT, correction=correction, feedback="green ink")
    return CoachingResponse(CoachingDecision.ACCEPT)


def main():
    desk = Desk()
    pipeline, executor, capturer = Pipeline(desk, Trust.LEARNING), Executor(desk), Capturer(desk)
    loop = ExecutionLoop(
        pipeline=pipeline,
        action_executor=executor,
        screen_capturer=capturer,
        capture_interval_ms=50,
        coaching_callback=coach,
        enable_ui_detection=False,
        enable_ocr=False,
    )
    steps, states, errors = [], [], []
    loop.on_step_complete(steps.append)
    loop.on_state_change(states.append)
    loop.on_error(lambda kind, error: errors.append([kind, str(error)]))
    told = {"before": loop.get_progress(), "unknown": loop.start("bills of another"), "why": loop.last_error}

    # a first run, coached because the workflow is still learning
    told["first"] = loop.start("bills", variables={"who": "Zoé", "limit": 100})
    while loop.get_progress()["status"] not in ("completed", "failed", "stopped", "paused"):
        loop.wait(0.1)
    loop.wait(20)
    told["first_state"] = loop.get_state()
    told["first_seen"], executor.seen = executor.seen, []
    told["stats"] = loop.get_coaching_stats()
    told["capture"] = loop.get_capture_stats()
    context = loop.get_context()
    told["context"] = [context.mode, context.variables, context.current_node_id, context.steps_succeeded]
    told["results"] = [
        [s.edge_id, s.success, s.action_result and [str(getattr(s.action_result.status, "value", "")),
         s.action_result.message, s.action_result.duration_ms, s.action_result.error]] for s in steps
    ]  # fmt: skip

    # a second one of the same loop, from the middle, by itself, with other variables
    steps.clear()
    desk.place, pipeline.trust = "filled", Trust.KNOWN
    told["second"] = loop.start("bills", start_node_id="filled", variables={"who": "Ann"})
    loop.wait(20)
    context = loop.get_context()
    told["second_seen"] = executor.seen
    told["second_context"] = [context.mode, context.variables, context.steps_executed, len(context.history)]
    told["second_state"] = loop.get_state()

    # what its hands say they could not do is not done again by itself
    executor.seen, Workflow.get_edge = [], lambda self, edge_id: Edge(edge_id, "write", "amount", {"amount": 13})
    desk.place = "bill"
    steps.clear()
    told["third"] = loop.start("bills", mode=ExecutionMode.AUTOMATIC, start_node_id="bill")
    while loop.get_progress()["status"] not in ("completed", "failed", "stopped", "paused"):
        loop.wait(0.1)
    told["third_state"], told["third_times"] = loop.get_progress()["status"], len(executor.seen)
    told["third_result"] = [steps[0].success, steps[0].action_result.duration_ms, steps[0].action_result.error]
    told["states"], told["errors"] = sorted(set(states)), errors
    loop.cleanup()
    told["last_state"] = loop.get_state()
    print(json.dumps(told))


if __name__ == "__main__":
    main()
