"""A new list: which workflow works off its rows, its name, and which values tell its rows apart (S12.1)."""

from __future__ import annotations

from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from execution.choices import Origin
from execution.models import Worklist
from execution.permissions import OPERATE
from execution.record.secret_values import secret_names
from execution.worklists.actions.lists import create_list
from sentences.said import worded
from workflows.exceptions import DomainError
from workflows.models import Workflow
from workflows.permissions import permitted


class WorkflowForm(forms.Form):
    """Of the workflows that are published, the one that works off the rows."""

    workflow = forms.ChoiceField(
        label=gettext_lazy("Workflow that works off each row"), widget=forms.Select(attrs={"class": "input"})
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        known = Workflow.objects.exclude(versions=None).order_by("name", "pk").values_list("workflow_id", "name")
        field = self.fields["workflow"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = list(known)


class ListForm(forms.Form):
    """The columns of a new list are the values that its workflow asks for."""

    name = forms.CharField(
        max_length=200,
        label=gettext_lazy("Name of the list"),
        widget=forms.TextInput(attrs={"class": "input", "autocomplete": "off"}),
    )
    keys = forms.MultipleChoiceField(
        required=False,
        label=gettext_lazy("Columns that tell the rows apart"),
        help_text=gettext_lazy("Such as the number of the stay. A row that says the same there comes in only once."),
        widget=forms.CheckboxSelectMultiple,
    )

    def __init__(self, *args: Any, workflow: Workflow, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        graph = workflow.latest_version().spec()
        self.workflow, secret = workflow, secret_names(graph.variables)
        asked = [variable for variable in graph.asked if variable.name not in secret]
        labels = [variable.label or variable.name for variable in asked]
        self.mapping = {
            variable.name: label if labels.count(label) == 1 else variable.name
            for variable, label in zip(asked, labels, strict=True)
        }
        field = self.fields["keys"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [(column, column) for column in self.mapping.values()]

    def make(self, user: Any) -> Worklist | None:
        """The list; None, with the reason in the form, where it cannot be made."""
        if not self.mapping:
            self.add_error(None, _("“%(name)s” asks for no value that a row could give.") % {"name": self.workflow})
            return None
        try:
            return create_list(
                name=self.cleaned_data["name"],
                workflow_id=self.workflow.workflow_id,
                columns=list(self.mapping.values()),
                mapping=self.mapping,
                keys=self.cleaned_data["keys"],
                user=user,
                origin=Origin.PAGE,
            )
        except DomainError as error:
            self.add_error(None, worded(error))
            return None


@permitted(OPERATE)
@require_http_methods(["GET", "HEAD", "POST"])
def worklist_new(request: HttpRequest) -> HttpResponse:
    """First the workflow, then the name; a list that was made goes on with its rows."""
    chosen = WorkflowForm(request.GET if "workflow" in request.GET else None)
    form = None
    if chosen.is_valid():
        workflow = Workflow.objects.by_id(chosen.cleaned_data["workflow"])
        form = ListForm(request.POST if request.method == "POST" else None, workflow=workflow)
        if form.is_valid() and (made := form.make(request.user)) is not None:
            return redirect("list_add", made.worklist_id)
    return render(request, "execution/worklist_new.html", {"chosen": chosen, "form": form, "nav": "lists"})
