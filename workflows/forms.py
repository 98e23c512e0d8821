"""The forms of the pages; the admin has its own."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from workflows.models import WorkflowVersion
from workflows.models.workflow import text_id
from workflows.unpacking import uploaded


class PublishForm(forms.Form):
    note = forms.CharField(
        label=_("What has changed"), required=False, max_length=WorkflowVersion._meta.get_field("note").max_length
    )


class ImportForm(forms.Form):
    file = forms.FileField(label=_("Workflow file"), widget=forms.FileInput(attrs={"accept": ".zip"}))
    workflow_id = forms.CharField(
        label=_("Import under another id"), required=False, max_length=100, validators=[text_id]
    )

    def read(self) -> dict[str, Any]:
        """What `import_bundle` takes; raises BadBundle."""
        return {"data": uploaded(self.cleaned_data["file"]), "workflow_id": self.cleaned_data["workflow_id"]}
