"""The form that starts a run: what is missing or wrong is said beside its field."""

from __future__ import annotations

from typing import Any

from django import forms
from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from execution.actions.start import earned, offered, resolve_mode, start
from execution.choices import MODE_EXPLAINED, ExecutionMode, Origin
from execution.exceptions import MissingVariable, ModeNotEarned
from execution.models import Execution, Robot
from execution.pages.presets import PRESETS
from execution.record.secret_values import secret_names
from sentences.said import worded
from workflows.choices import Priority, VariableKind
from workflows.exceptions import DomainError
from workflows.graph import GraphSpec, VariableSpec
from workflows.models import Workflow
from workflows.permissions import DESIGN
from workflows.typed_text import TypedTextField, as_written, plain_breaks
from workflows.values import TRIMMED, value_problem

INPUT_TYPE = {VariableKind.DATE: "date", VariableKind.EMAIL: "email", VariableKind.NUMBER: "number"}
PREFIX = "var_"


class StartForm(forms.Form):
    """Starting one workflow; its variables are fields named `var_<name>`."""

    mode = forms.ChoiceField(choices=ExecutionMode.choices, widget=forms.RadioSelect)
    reason = forms.CharField(
        required=False,
        max_length=300,
        label=gettext_lazy("Why it is to act by itself"),
        help_text=gettext_lazy("The workflow has not earned that yet. What you write is kept with the run."),
    )
    start_node_id = forms.ChoiceField(required=False, label=gettext_lazy("First screen"))
    desktop = forms.ChoiceField(required=False, label=gettext_lazy("Desktop"))
    priority = forms.TypedChoiceField(
        coerce=int, empty_value=None, required=False, label=gettext_lazy("Priority"), choices=Priority.choices
    )
    preset = forms.ChoiceField(
        required=False,
        label=gettext_lazy("How it looks at the screen"),
        choices=[(name, preset.label) for name, preset in PRESETS.items()],
    )
    window_info_provider = forms.ChoiceField(
        required=False,
        label=gettext_lazy("Window info provider"),
        help_text=gettext_lazy("For Citrix and RDP: what tells which window is open inside."),
    )

    def __init__(
        self,
        *args: Any,
        workflow: Workflow,
        graph: GraphSpec,
        user: Any,
        version_number: int | None = None,
        **kwargs: Any,
    ) -> None:
        self.workflow, self.graph, self.user, self.version_number = workflow, graph, user, version_number
        super().__init__(*args, **kwargs)
        usual = resolve_mode(None, earned(workflow, self.graph))
        # Whoever starts a run of a workflow that has proved nothing yet is there to coach it.
        self.fields["mode"].initial = ExecutionMode.COACHING if usual == ExecutionMode.OBSERVATION else usual
        if usual == ExecutionMode.AUTOMATIC or not user.has_perm(DESIGN):
            del self.fields["reason"]
        self._offer(
            "start_node_id", [("", self._entry_words()), *((n.node_id, graph.name_of(n.node_id)) for n in graph.nodes)]
        )
        self.fields["priority"].initial = workflow.priority
        desktops = Robot.objects.alive().order_by("desktop").values_list("desktop", flat=True)
        self._offer("desktop", [("", _("Any that is free")), *((d, d) for d in desktops)])
        if settings.RPA_WINDOW_PROVIDERS and user.has_perm(DESIGN):
            names = [(name, name) for name in settings.RPA_WINDOW_PROVIDERS]
            self._offer("window_info_provider", [("", _("As the workflow says")), *names])
        else:
            del self.fields["window_info_provider"]
        for variable in graph.variables:
            name = PREFIX + variable.name
            self.fields[name] = variable_field(variable, shown=str(self.initial.get(name, variable.default)))
        for name, field in self.fields.items():
            if name != "mode":
                field.widget.attrs.setdefault("class", "input")

    def _offer(self, name: str, choices: list[tuple[str, str]]) -> None:
        field = self.fields[name]
        assert isinstance(field, forms.ChoiceField)
        field.choices = choices

    def _entry_words(self) -> str:
        entry = self.graph.node(next(iter(self.graph.entry_nodes), ""))
        return _("“%(name)s”, as taught") % {"name": entry.name} if entry else _("As taught")

    @property
    def modes(self) -> list[dict[str, Any]]:
        """Each mode with its line of explanation; the one that follows from what was learned is said."""
        chosen, suggested = self["mode"].value(), self.fields["mode"].initial
        return [
            {
                "value": mode.value,
                "label": mode.label,
                "explained": MODE_EXPLAINED[mode],
                "checked": mode.value == chosen,
                "suggested": mode == suggested,
                "barred": mode == ExecutionMode.AUTOMATIC != suggested and "reason" not in self.fields,
            }
            for mode in ExecutionMode
        ]

    @property
    def variable_fields(self) -> list[forms.BoundField]:
        return [self[PREFIX + v.name] for v in self.graph.asked]

    @property
    def rare_fields(self) -> list[forms.BoundField]:
        rare = ("start_node_id", "desktop", "priority", "preset", "window_info_provider")
        return [self[name] for name in rare if name in self.fields]

    @property
    def has_rare_errors(self) -> bool:
        return any(field.errors for field in self.rare_fields)

    def clean(self) -> dict[str, Any]:
        values = super().clean() or {}
        counting = self.graph.counting_variables
        for variable in self.graph.asked:
            name = PREFIX + variable.name
            value = str(values.get(name) or "")
            if variable.kind not in TRIMMED:
                value = values[name] = as_written(value, self.initial.get(name, variable.default))
            if variable.required and value and not value.strip() and name not in self.errors:
                self.add_error(name, self.fields[name].error_messages["required"])  # blanks are written, not a value
            if value and name not in self.errors and (problem := value_problem(variable, value, counting)):
                self.add_error(name, worded(problem))
        return values

    def start(self) -> Execution | None:
        """The run, or None with what the domain refused put beside its field."""
        values = self.cleaned_data
        flags = dict(PRESETS[values["preset"]].flags)
        if provider := values.get("window_info_provider"):
            flags["window_info_provider"] = provider
        try:
            return start(
                workflow_id=self.workflow.workflow_id,
                version_number=self.version_number,
                mode=values["mode"],
                start_node_id=values["start_node_id"] or None,
                variables={v.name: values[PREFIX + v.name] for v in self.graph.asked},
                user=self.user,
                origin=Origin.PAGE,
                desktop=values["desktop"],
                priority=values["priority"],
                reason=values.get("reason", ""),
                flags=flags,
            )
        except ModeNotEarned as error:
            self.add_error("reason" if "reason" in self.fields else "mode", worded(error))
        except MissingVariable as error:
            for name in error.names:
                self.add_error(PREFIX + name if PREFIX + name in self.fields else None, worded(error))
        except DomainError as error:
            self.add_error(None, worded(error))
        return None


def _choice_field(variable: VariableSpec, label: str) -> forms.ChoiceField:
    """One of the allowed values; what is not needed may stay empty."""
    needed = variable.required and not variable.default
    nothing = [] if variable.default in variable.choices else [("", "–")]
    return forms.ChoiceField(
        label=label,
        required=needed,
        initial=offered(variable),
        choices=[*nothing, *((value, value) for value in variable.choices)],
        error_messages={"required": _("“%(name)s” is missing. Choose its value here.") % {"name": label}},
    )


def variable_field(variable: VariableSpec, *, shown: str) -> forms.Field:
    """A field of the variable's kind, with `shown` in it; the kind is checked by the rule that the API uses too."""
    label = variable.label or variable.name
    secret = bool(secret_names([variable]))
    attrs = {
        "type": INPUT_TYPE.get(VariableKind(variable.kind), "text") if variable.kind in VariableKind.values else "text",
        "autocomplete": "off",
    }
    if variable.choices:
        return _choice_field(variable, label)
    if variable.example:
        attrs["placeholder"] = _("for example %(value)s") % {"value": variable.example}
    if attrs["type"] == "number":
        attrs["step"] = "any"
    is_typed = variable.kind not in TRIMMED
    lines = len(plain_breaks(shown).split("\n")) if is_typed else 1
    if variable.kind == VariableKind.LINES:
        lines = max(lines, 3)
    widget = forms.TextInput(attrs=attrs) if lines == 1 else forms.Textarea(attrs={"rows": min(lines, 8)})
    return (TypedTextField if is_typed else forms.CharField)(
        label=label,
        required=variable.required and not variable.default,
        initial=offered(variable),
        max_length=2000,
        widget=forms.PasswordInput(attrs={"autocomplete": "off"}) if secret else widget,
        error_messages={"required": _("“%(name)s” is missing. Write its value here.") % {"name": label}},
    )
