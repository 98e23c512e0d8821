"""A user's own program: letters are sent by its own pipeline and executor. It is told to end in the middle of one.

python letters.py        # prints the run's id and dies with the letter sent, as a machine does that is switched off
"""

import os
import signal

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "rpa_site.settings")
django.setup()

from execution.execution_loop import ExecutionLoop, ExecutionResult, ExecutionStatus  # noqa: E402


class Letters:
    """One letter, then nothing more to do."""

    entry_nodes, learning_state = ("desk",), "AUTO_CONFIRMED"

    def __init__(self):
        self.loop = None

    def load_workflow(self, workflow_id):
        return self

    def get_edge(self, edge_id):
        return {"edge_id": edge_id, "to": "Marie Lefèvre"}

    def match_current_state(self, screenshot_path, workflow_id):
        return {"node_id": "desk", "confidence": 0.9}

    def get_next_action(self, workflow_id, node_id):
        return {"edge_id": "send", "action": "send_letter", "target": "Send", "params": {}}

    def execute_edge(self, edge, screen_state, context):
        with open(os.environ["OUTBOX"], "a") as outbox:
            outbox.write(edge["to"] + "\n")
        if os.environ.get("DIES"):
            print(self.loop.get_context().execution_id, flush=True)
            os.kill(os.getpid(), signal.SIGKILL)
        return ExecutionResult(ExecutionStatus.SUCCESS)


def main():
    letters = Letters()
    letters.loop = ExecutionLoop(pipeline=letters, action_executor=letters)
    if not letters.loop.start("wf_letters"):
        raise SystemExit(letters.loop.last_error)
    letters.loop.wait()


if __name__ == "__main__":
    main()
