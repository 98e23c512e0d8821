"""A user's own program: its figures of a run go to a system of its own, and it asks the assistant about it."""

import json
import os

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "rpa_site.settings")
django.setup()

from analytics.integration import AnalyticsExecutionIntegration  # noqa: E402
from gpu import Mai, ModelManager  # noqa: E402


class Figures:
    def __init__(self):
        self.rows = []

    def on_step_complete(self, *, workflow_id, execution_id, step_id, success, duration_ms, confidence):
        self.rows.append([execution_id, step_id, success, duration_ms])

    def on_execution_complete(self, **told):
        self.rows.append(told["steps_executed"])
        raise RuntimeError("the warehouse is closed")


def main():
    figures = Figures()
    analytics = AnalyticsExecutionIntegration(analytics_system=figures)
    analytics.on_execution_start(workflow_id="bills", execution_id="run_7", mode="coaching")
    analytics.start_resource_monitoring(execution_id="run_7")
    analytics.on_step_complete(
        workflow_id="bills", execution_id="run_7", step_id="s1", success=True, duration_ms=12.5, confidence=0.9
    )
    analytics.stop_resource_monitoring(execution_id="run_7")
    analytics.on_execution_complete(
        workflow_id="bills", execution_id="run_7", success=True, duration_ms=100.0, steps_executed=1,
        steps_succeeded=1, steps_failed=0, error_message=None,
    )  # fmt: skip

    models = ModelManager()
    mai = Mai()
    answer = mai.process_message("Which step failed?")
    history = mai.get_conversation_history()
    told = {
        "rows": figures.rows,
        "answer": answer.text or answer.message.content,
        "roles": [message.role for message in history],
        "name": mai.get_status().name,
        "system": sorted(mai.get_system_status()),
        "cpu": mai.get_system_status()["resources"]["cpu_percent"] >= 0,
        "model": models.get_current_model_status_sync().model,
    }
    mai.shutdown()
    models.close()
    print(json.dumps(told))


if __name__ == "__main__":
    main()
