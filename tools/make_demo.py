"""Teach the demo workflow anew on a real Mousepad and write it to workflows/demo/patient_note.zip.

    python tools/make_demo.py

It is taught by `manage.py teach` from the story that stands beside it. Needs Xvfb, openbox, dbus and Mousepad.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
STORY = ROOT / "workflows" / "demo" / "patient_note.yaml"
OUTPUT = STORY.with_suffix(".zip")
BACKDROP = "Surehand demo desktop"


def main() -> None:
    with tempfile.TemporaryDirectory() as data:
        os.environ["RPA_DATA_DIR"] = data
        os.environ["DJANGO_SETTINGS_MODULE"] = "rpa_site.settings"
        sys.path.insert(0, str(ROOT))
        import django

        django.setup()
        from django.core.management import call_command

        call_command("migrate", verbosity=0)
        teach()
        write()


def teach() -> None:
    """On a Mousepad with an empty note, in a folder that nothing was saved in yet."""
    from django.contrib.auth import get_user_model
    from django.core.management import call_command

    from execution.desktop import backdrop
    from tests.support.display import virtual_desktop

    get_user_model().objects.create_superuser("demo")
    with virtual_desktop(1280, 800) as screen:
        backdrop.paint(screen.display, BACKDROP)
        home = Path(screen.folder) / "home"
        (home / "Documents").mkdir(parents=True, exist_ok=True)
        screen.env["HOME"] = str(home)
        screen.spawn(["env", "-C", str(home / "Documents"), "mousepad"])
        screen.wait_for_window("Mousepad")
        call_command("teach", story=str(STORY), user="demo", desktop=screen.display)


def write() -> None:
    """The draft as a file, with what is still said of it."""
    from workflows.bundle import export_bundle
    from workflows.choices import LearningState
    from workflows.models import Workflow
    from workflows.specs import graph_of
    from workflows.validation import problems

    workflow = Workflow.objects.get()
    workflow.learning_state = LearningState.COACHING
    workflow.save(update_fields=["learning_state"])
    for problem in problems(graph_of(workflow)):
        print(f"{problem.severity}: {problem.where}: {problem.message}")
    OUTPUT.write_bytes(export_bundle(workflow))
    print(f"{OUTPUT.relative_to(ROOT)}: {OUTPUT.stat().st_size} bytes")


if __name__ == "__main__":
    main()
