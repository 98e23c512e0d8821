from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from workflows.actions.publish import publish
from workflows.bundle import import_bundle
from workflows.models import Workflow

BUNDLE = Path(__file__).resolve().parents[2] / "demo" / "patient_note.zip"
WORKFLOW_ID = "wf_patient_note"


class Command(BaseCommand):
    help = "Load the demo workflow, “Patient note” on Mousepad, and publish it; nothing is done where it is there."
    requires_system_checks = ["startup"]

    def handle(self, *args: Any, **options: Any) -> None:
        if Workflow.objects.filter(workflow_id=WORKFLOW_ID).exists():
            self.stdout.write("The demo workflow is there.")
            return
        workflow = import_bundle(BUNDLE.read_bytes(), user=None)
        version = publish(workflow=workflow, user=None, note="demo")
        self.stdout.write(f"Loaded “{workflow.name}” v{version.number}.")
