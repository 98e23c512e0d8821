"""The forms of workflows, screens, targets and actions; what rows keep as JSON is checked here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from workflows.admin.fields import LinesField, PictureField, ReadableJSONField
from workflows.catalogue import ACTIONS, ALLOWED_ACTION_TYPES
from workflows.graph import ExpectSpec, IdentitySpec, TargetSpec, number_in
from workflows.models import Edge, Node, Target, Variable, Workflow
from workflows.parsing import whole_number
from workflows.shape import WrongShape, check
from workflows.text import sole_name
from workflows.typed_text import TypedTextField, as_written

# What an action keeps as JSON, and of which form it must be; the model itself checks the others.
SHAPES: Mapping[str, Any] = {
    "params": Mapping[str, Any], "before": ExpectSpec, "identity": tuple[IdentitySpec, ...], "expect": ExpectSpec,
}  # fmt: skip
PARTS = (*SHAPES, "condition", "repeat", "proof")


class WithPictures(forms.ModelForm):
    """`pictures` says which form field fills which column; each can be replaced or taken away."""

    pictures: Mapping[str, str] = {}

    def save(self, commit: bool = True) -> Any:
        for upload, column in self.pictures.items():
            if picture := self.cleaned_data.get(upload):
                setattr(self.instance, column, picture)
            elif self.cleaned_data.get(f"remove_{column}"):
                setattr(self.instance, column, None)
        return super().save(commit)


class WorkflowForm(forms.ModelForm):
    popups = ReadableJSONField(
        label=gettext_lazy("Dialogs that may come"),
        required=False,
        rows=8,
        help_text=gettext_lazy(
            'Such as [{"name": "Update available", "texts": ["Restart now"], "window_title": "Update*", '
            '"click": "Later"}], or "keys": "escape" in the place of "click". A dialog is closed only if its window '
            "title fits and all its texts stand in it."
        ),
    )

    class Meta:
        model = Workflow
        fields = "__all__"  # noqa: DJ007  the admin's fieldsets say which fields are shown

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "window_info_provider" not in self.fields:
            return
        was = self.instance.window_info_provider
        names = [(name, name) for name in settings.RPA_WINDOW_PROVIDERS]
        if was and was not in settings.RPA_WINDOW_PROVIDERS:
            names.append((was, _("%(name)s (not on this server)") % {"name": was}))
        self.fields["window_info_provider"] = forms.ChoiceField(
            label=self.fields["window_info_provider"].label,
            required=False,
            choices=[("", _("As the server is set")), *names],
        )

    def clean_window_info_provider(self) -> str:
        name = str(self.cleaned_data["window_info_provider"])
        if name and name not in settings.RPA_WINDOW_PROVIDERS:
            raise ValidationError(_("“%(name)s” is not on this server. Choose another one."), params={"name": name})
        return name

    def clean_masks(self) -> list[Any]:
        return self.cleaned_data["masks"] or []

    def clean_ask_below(self) -> float:
        return self.cleaned_data["ask_below"] or 0.0

    def clean_smallest_width(self) -> int:
        return self.cleaned_data["smallest_width"] or 0

    def clean_smallest_height(self) -> int:
        return self.cleaned_data["smallest_height"] or 0

    def clean_mask_patterns(self) -> list[Any]:
        return self.cleaned_data["mask_patterns"] or []

    def clean_popups(self) -> list[Any]:
        return self.cleaned_data["popups"] or []


class NodeForm(WithPictures):
    pictures = {"new_picture": "reference"}

    texts = LinesField(
        label=gettext_lazy("Texts that must be seen"),
        help_text=gettext_lazy("One a line. All of them must be on the screen. May hold {{variables}}."),
    )
    absent = LinesField(
        label=gettext_lazy("Texts that must not be seen"),
        help_text=gettext_lazy("One a line. Helps to tell this screen from one that looks like it."),
    )
    new_picture = PictureField(
        label=gettext_lazy("Upload a picture"), help_text=gettext_lazy("The whole screen, as it was when taught.")
    )
    remove_reference = forms.BooleanField(label=gettext_lazy("Take the picture away"), required=False)

    class Meta:
        model = Node
        exclude = ("reference", "looks")  # noqa: DJ006  the admin's fieldsets say which fields are shown
        help_texts = {"window_title": gettext_lazy("* stands for any text. Empty: any window.")}


class TargetForm(WithPictures):
    pictures = {"new_picture": "picture", "new_context": "context"}
    fielded = frozenset({"row", "number"})  # of the evidence

    row_texts = LinesField(
        label=gettext_lazy("Texts in its row"),
        help_text=gettext_lazy("For a row of a list. One a line; all must stand beside it. May hold {{variables}}."),
    )
    number = forms.CharField(
        label=gettext_lazy("Which of its like"),
        required=False,
        max_length=100,
        help_text=gettext_lazy(
            "A number is a sign: so many-th it was when it was taught. A variable such as {{n}} is what is wanted: "
            "that one of its list, in reading order, and no other."
        ),
    )
    new_picture = PictureField(label=gettext_lazy("Upload a picture of it"))
    remove_picture = forms.BooleanField(label=gettext_lazy("Take the picture away"), required=False)
    new_context = PictureField(label=gettext_lazy("Upload it with its surroundings"))
    remove_context = forms.BooleanField(label=gettext_lazy("Take that picture away"), required=False)

    class Meta:
        model = Target
        exclude = ("picture", "context")  # noqa: DJ006
        help_texts = {
            "label": gettext_lazy("What people read: Click “…”."),
            "text": gettext_lazy("The text that stands on it; empty for an icon."),
            "role": gettext_lazy("Such as button, menu item or field."),
            "evidence": gettext_lazy(
                "Boxes are left, top, width, height as fractions of the taught screen; click is where inside the box."
            ),
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        evidence = self.instance.evidence if isinstance(self.instance.evidence, dict) else {}
        self.initial.setdefault("row_texts", evidence.get("row"))
        self.initial.setdefault("number", evidence.get("number"))
        if self.fielded & set(evidence):
            self.initial["evidence"] = {name: value for name, value in evidence.items() if name not in self.fielded}

    def save(self, commit: bool = True) -> Any:
        given = {"row": self.cleaned_data.get("row_texts"), "number": self.cleaned_data.get("number")}
        self.instance.evidence = {**self.instance.evidence, **{name: value for name, value in given.items() if value}}
        return super().save(commit)

    def clean_number(self) -> int | str:
        number = number_in(self.cleaned_data["number"])
        if isinstance(number, str) and not sole_name(number):
            raise ValidationError(
                _("“%(number)s” is no number. Write one from 1 on, or one variable such as {{n}}.") % {"number": number}
            )
        return number

    def clean_evidence(self) -> dict[str, Any]:
        evidence = self.cleaned_data["evidence"] or {}
        if not isinstance(evidence, dict):
            raise ValidationError(_("Evidence must be an object."))
        own = {"target_id", "label", "text", "role", "picture", "context", *self.fielded}
        if doubled := sorted(own & set(evidence)):
            raise ValidationError(_("“%(name)s” has a field of its own.") % {"name": doubled[0]})
        try:
            check({"target_id": "", "label": "", **evidence}, TargetSpec, _("evidence"))
        except WrongShape as error:
            raise ValidationError(str(error)) from error
        return evidence


class EdgeForm(forms.ModelForm):
    """An action, its parts as readable JSON. Choices are those of its own workflow."""

    action_type = forms.ChoiceField(label=gettext_lazy("Action"), choices=())

    class Meta:
        model = Edge
        fields = "__all__"  # noqa: DJ007  the admin's fieldsets say which fields are shown
        field_classes = dict.fromkeys(PARTS, ReadableJSONField)
        help_texts = {
            "before": gettext_lazy('Such as {"texts": ["Ready"], "gone": ["Busy"], "window_title": "Note*"}.'),
            "identity": gettext_lazy(
                'Such as [{"label": "Patient", "value": "{{patient}}"}]. What is not surely seen is not acted on; a '
                "person is asked."
            ),
            "expect": gettext_lazy('Such as {"texts": ["Saved"], "gone": ["Saving…"], "window_title": "Note*"}.'),
            "condition": gettext_lazy(
                'Such as [{"value": "amount", "test": "more", "to": ["100"]}]; all must hold. Tests: equals, is_not, '
                "one_of, contains, empty, not_empty, less, more, before, after. Empty: in any case."
            ),
            "repeat": gettext_lazy(
                'Such as {"counter": "n", "most": 50, "until": ["No more files"], "steps": []}: the action begins a '
                "round for each line {{n}}, until the run is on this screen again. “until” are texts that say that "
                "there is no more, “steps” the ids of further actions of this screen that belong to a round."
            ),
            "proof": gettext_lazy(
                'Such as {"workflow": "wf_look", "version": 1, "values": {"patient": "{{patient}}"}}: a published '
                "workflow that only looks, done after the action; what it reads must hold. Empty: none."
            ),
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._offer_actions()
        limit_to_workflow(self)
        if "params" in self.fields:
            takes = [
                f"{name}: {', '.join(p.name for p in spec.params)}" for name, spec in ACTIONS.items() if spec.params
            ]
            self.fields["params"].help_text = " · ".join(takes)

    def _offer_actions(self) -> None:
        field = self.fields.get("action_type")
        if not isinstance(field, forms.ChoiceField):  # shown read-only
            return
        known = [(name, spec.label) for name, spec in ACTIONS.items() if name in ALLOWED_ACTION_TYPES]
        if (own := self.instance.action_type) and own not in ACTIONS:
            known.append((own, _("%(name)s (not known)") % {"name": own}))
        field.choices = known

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        workflow = data.get("workflow") or getattr(self.instance, "workflow", None)
        for name in ("source", "destination", "target"):
            row = data.get(name)
            if row and workflow and row.workflow_id != workflow.pk:
                self.add_error(name, _("“%(name)s” belongs to another workflow.") % {"name": row})
        for name in PARTS:
            if name in data and not data[name]:
                data[name] = getattr(Edge(), name)  # what a new one has
            elif name in data and name in SHAPES:
                self._check(name, data[name])
        return data

    def _check(self, name: str, value: Any) -> None:
        try:
            check(value, SHAPES[name], name)
        except WrongShape as error:
            self.add_error(name, str(error))


class VariableForm(forms.ModelForm):
    """Its default is what is typed where nobody gives a value."""

    choices = LinesField(
        label=gettext_lazy("Allowed values"),
        help_text=gettext_lazy("One a line; empty: any."),
        widget=forms.Textarea(attrs={"rows": 1, "cols": 20}),
    )

    class Meta:
        model = Variable
        fields = "__all__"  # noqa: DJ007  the inline says which fields are shown
        field_classes = {"default": TypedTextField, "example": TypedTextField}
        widgets = {name: forms.Textarea(attrs={"rows": 1, "cols": 30}) for name in ("default", "example")}

    def clean_default(self) -> str:
        return as_written(self.cleaned_data["default"], self.instance.default)


def limit_to_workflow(form: forms.ModelForm) -> None:
    """Screens and targets of the form's own workflow alone."""
    key = whole_number(
        str(form.instance.workflow_id or form.data.get("workflow") or form.initial.get("workflow") or "")
    )
    for name in ("source", "destination", "target"):
        field = form.fields.get(name)
        if isinstance(field, forms.ModelChoiceField) and field.queryset is not None and key is not None:
            field.queryset = field.queryset.filter(workflow=key)
