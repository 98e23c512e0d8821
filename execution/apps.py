from __future__ import annotations

from typing import Any

from django.apps import AppConfig, apps
from django.db.models.signals import post_migrate, post_save
from django.utils.translation import gettext_lazy as _

from execution.choices import CorrectionKind
from execution.language import sentences  # noqa: F401  registers them, before any module of an app is there to say one
from execution.signals import correction_proved, run_ended, step_marked, step_recorded, texts_pruned
from gpu.signals import gpu_told


class ExecutionConfig(AppConfig):
    name = "execution"
    verbose_name = _("Runs")

    def ready(self) -> None:
        from execution.record.screen_index import make_index

        post_migrate.connect(make_index, sender=self, dispatch_uid="the index of screens' texts")
        from gpu.assistant.records import RecordsSource, register_records

        def records() -> RecordsSource:
            from execution.assistant.run_records import RunRecords

            return RunRecords()

        register_records(records)
        from execution.pages import beside, scene, training_jobs

        training_jobs.connect()
        scene.connect()
        beside.connect()
        step_recorded.connect(_train, dispatch_uid="training data of a step")
        step_marked.connect(_train, dispatch_uid="training data of a mark")
        gpu_told.connect(_tell_of_resources, dispatch_uid="what happens to the GPU beside a run")
        texts_pruned.connect(_forget, dispatch_uid="what was made of runs whose texts go")
        run_ended.connect(_settle, dispatch_uid="what the end of a run means for its row")
        learned = self.get_model("LearnedCorrection")
        post_save.connect(_try, sender=learned, dispatch_uid="what was learned is tried")
        correction_proved.connect(_try_again, dispatch_uid="what proved right is tried on what it did")
        version = apps.get_model("workflows", "WorkflowVersion")
        post_save.connect(_try_all, sender=version, dispatch_uid="what was learned is tried in a new version")
        post_save.connect(_taught, sender=version, dispatch_uid="ways that were taught are in the version")


def _train(sender: Any, step_id: int, has_read: bool = False, **_more: Any) -> None:
    from execution.record.training import project, project_run_of

    (project_run_of if has_read else project)(step_id)


def _tell_of_resources(sender: Any, events: list[Any], **_more: Any) -> None:
    from execution.record.resources import tell_runs

    tell_runs(events)


def _forget(sender: Any, executions: list[int], **_more: Any) -> None:
    from execution.models import Execution
    from execution.record.training import drop_texts
    from execution.worklists.forgetting import forget_rows
    from gpu.assistant import conversations

    forget_rows(executions)
    drop_texts(executions)
    conversations.drop_about(list(Execution.objects.filter(pk__in=executions).values_list("execution_id", flat=True)))


def _settle(sender: Any, execution_id: str, **_more: Any) -> None:
    from execution.worklists.outcome import settle

    settle(execution_id)


def _try_again(sender: Any, correction_id: int, **_more: Any) -> None:
    from execution.replay.tasks import have_checked

    have_checked([correction_id])


def _try_all(sender: Any, instance: Any, created: bool, **_more: Any) -> None:
    """Of a workflow that has a new version; what is trusted stays so until it is found to break something."""
    from execution.models.learning import IN_FORCE
    from execution.replay.tasks import have_checked

    if created:
        learned = apps.get_model("execution", "LearnedCorrection")
        found = learned.objects.filter(pack__workflow=instance.workflow_id, state__in=IN_FORCE)
        have_checked(found.values_list("pk", flat=True))


def _try(sender: Any, instance: Any, created: bool, **_more: Any) -> None:
    """On the stored pictures, once the transaction that it was learned in is through."""
    from execution.replay.tasks import have_checked

    if created and instance.kind != CorrectionKind.WAY:
        have_checked([instance.pk])


def _taught(sender: Any, instance: Any, created: bool, **_more: Any) -> None:
    from execution.actions.corrections import ways_taught

    if created:
        ways_taught(instance)
