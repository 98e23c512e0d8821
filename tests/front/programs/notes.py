"""A user's own program on a desktop with an editor: the demo, twice, with its default values."""

import json
import os
import subprocess

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "rpa_site.settings")
django.setup()

from execution.execution_loop import ExecutionLoop, ExecutionMode  # noqa: E402


def main():
    documents = os.environ["DOCUMENTS"]
    steps, told = [], []
    loop = ExecutionLoop()
    loop.on_step_complete(steps.append)
    for _number in range(2):
        editor = subprocess.Popen(["mousepad"], cwd=documents)
        subprocess.run(["xdotool", "search", "--sync", "--onlyvisible", "--name", "Untitled 1"], check=True, timeout=30)
        steps.clear()
        started = loop.start("wf_patient_note", mode=ExecutionMode.AUTOMATIC)
        while started and loop.get_progress()["status"] in ("idle", "queued", "running"):
            loop.wait(0.2)
        if loop.get_state() in ("completed", "failed", "stopped"):
            loop.wait(20)
        context = loop.get_context()
        told.append({
            "started": started, "why": loop.last_error, "state": loop.get_state(),
            "filename": context.variables["filename"], "steps": len(steps),
            "shots": all(os.path.exists(step.screenshot_path) for step in steps),
            "errors": [step.action_result.error for step in steps if step.action_result and step.action_result.error],
            "capture": loop.get_capture_stats(), "rungs": loop.get_resolver_stats(), "where": context.current_node_id,
        })  # fmt: skip
        editor.terminate()
        editor.wait(60)
    loop.cleanup()
    print(json.dumps({"runs": told, "files": sorted(os.listdir(documents))}))


if __name__ == "__main__":
    main()
