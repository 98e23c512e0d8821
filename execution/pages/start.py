"""The form that starts a run; an ordinary POST, it works without script."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean, median, quantiles
from typing import Any

from django import forms
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_http_methods

from execution.actions.start import earned, effective_flags, offered, resolve_mode
from execution.actions.start import start as start_run
from execution.choices import MODE_EXPLAINED, MODE_OFFERED_BECAUSE, ExecutionMode, Origin
from execution.exceptions import MissingVariable, ModeNotEarned
from execution.models import Execution, Robot, Step
from execution.permissions import OPERATE
from execution.record.hidden import HIDDEN
from execution.record.secret_values import secret_names
from sentences.said import worded
from workflows.choices import Priority, VariableKind
from workflows.exceptions import DomainError
from workflows.graph import GraphSpec, VariableSpec
from workflows.models import Workflow
from workflows.models.workflow import WorkflowQuerySet
from workflows.permissions import DESIGN, permitted
from workflows.typed_text import TypedTextField, as_written, plain_breaks
from workflows.values import TRIMMED, value_problem
from workflows.words import sentence

# How a run looks at its screens: presets of the perception flags (S2.2), each with a word on when.


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    label: str | Promise
    when: str | Promise
    flags: Mapping[str, Any] = field(default_factory=dict)


PRESETS: Mapping[str, Preset] = {
    "": Preset(
        label=gettext_lazy("As the workflow says"),
        when=gettext_lazy("The flags of the workflow, else those of the settings."),
    ),
    "standard": Preset(
        label=gettext_lazy("Standard"),
        when=gettext_lazy("Reads text and detects elements; degraded after an analysis of more than 8 s."),
        flags={"enable_ui_detection": True, "enable_ocr": True, "analyze_timeout_ms": 8000},
    ),
    "vlm_down": Preset(
        label=gettext_lazy("Model is down"),
        when=gettext_lazy("Text only: no elements, no marks, nothing is sent to a model."),
        flags={"enable_ui_detection": False, "enable_ocr": True},
    ),
    "slow": Preset(
        label=gettext_lazy("Slow machine"),
        when=gettext_lazy("Waits up to 20 s for an analysis before it is degraded."),
        flags={"enable_ui_detection": True, "enable_ocr": True, "analyze_timeout_ms": 20_000},
    ),
    "gpu": Preset(
        label=gettext_lazy("GPU server"),
        when=gettext_lazy("With a GPU of its own an analysis of more than 3 s is a fault."),
        flags={"enable_ui_detection": True, "enable_ocr": True, "analyze_timeout_ms": 3000},
    ),
    "remote": Preset(
        label=gettext_lazy("Citrix or RDP"),
        when=gettext_lazy("The useful window is inside the session: name the provider that knows it."),
        flags={"enable_ui_detection": True, "enable_ocr": True},
    ),
    "embedding": Preset(
        label=gettext_lazy("Likeness only"),
        when=gettext_lazy("Neither text nor elements: screens are told apart by their look alone."),
        flags={"enable_ui_detection": False, "enable_ocr": False},
    ),
    "profiling": Preset(
        label=gettext_lazy("Profiling"),
        when=gettext_lazy("Never degraded, however long it takes."),
        flags={"enable_ui_detection": True, "enable_ocr": True, "analyze_timeout_ms": 999_999},
    ),
}


# The form that starts a run: what is missing or wrong is said beside its field.

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
        for name, one in self.fields.items():
            if name != "mode":
                one.widget.attrs.setdefault("class", "input")

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
    def offered_because(self) -> str:
        return str(MODE_OFFERED_BECAUSE[self.fields["mode"].initial])

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
            return start_run(
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


@permitted(OPERATE)
@require_http_methods(["GET", "HEAD", "POST"])
def start(request: HttpRequest) -> HttpResponse:
    """Choose a workflow, then its mode and values; what is wrong comes back beside its field."""
    published = Workflow.objects.filter(versions__isnull=False).distinct()
    asked = request.POST.get("workflow") or request.GET.get("workflow", "")
    workflow = Workflow.objects.by_id(asked) if asked else _usual(request, published)
    context: dict[str, Any] = {"workflows": published, "workflow": workflow, "robots": Robot.objects.alive().count()}
    if workflow is None:
        return render(request, "execution/start.html", context)
    latest = workflow.latest_version()
    number = request.POST.get("version") or request.GET.get("version", "")
    version = workflow.version_numbered(int(number)) if number.isdecimal() else latest
    graph = version.spec()
    form = StartForm(
        request.POST or None,
        initial=_again(request),
        workflow=workflow,
        graph=graph,
        user=request.user,
        version_number=version.number if number else None,
    )
    if request.method == "POST" and form.is_valid():
        execution = form.start()
        if execution is not None:
            return redirect("run", execution_id=execution.execution_id)
    entry = graph.node(next(iter(graph.entry_nodes), ""))
    named = {v.name: f"[{v.label or v.name}]" for v in graph.variables}  # nobody has given their values yet
    context |= {
        "form": form,
        "version": version,
        "latest": latest,
        "entry": entry,
        "flags": flag_rows(workflow),
        "presets": [preset for name, preset in PRESETS.items() if name],
        "path": [sentence(edge, graph, named) for edge in graph.likely_path(entry.node_id)] if entry else [],
    }
    return render(request, "execution/start.html", context, status=422 if form.errors else 200)


def _usual(request: HttpRequest, published: WorkflowQuerySet) -> Workflow | None:
    """The workflow this person started last, else the first one."""
    last = Execution.objects.filter(started_by__username=request.user.get_username()).order_by("-created_at").first()
    return last.version.workflow if last else published.first()


def _again(request: HttpRequest) -> dict[str, str]:
    """The values of an earlier run, to start the same again."""
    execution = Execution.objects.filter(execution_id=request.GET.get("again", "")).first()
    if execution is None:
        return {}
    return {
        "mode": execution.mode,
        "start_node_id": request.GET.get("node", ""),
        **{f"var_{name}": value for name, value in execution.variables.items() if value != HIDDEN},
    }


# What each perception flag cost and gained in a workflow's last runs here, beside the flag's present value (S2.2).

LAST_STEPS = 1000
_COLUMNS = (
    "analyze_ms", "confidence", "degraded", "execution__enable_ocr", "execution__enable_ui_detection",
    "execution__window_info_provider",
)  # fmt: skip

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class FlagRow:
    """One flag: its label, the value that a run gets unless it asks for another, and what was measured with it."""

    label: str
    now: str
    gained: str


def flag_rows(workflow: Workflow) -> list[FlagRow]:
    """The four flags, with what the last steps of this workflow say of them."""
    flags = effective_flags(workflow, {})
    steps = Step.objects.closed().filter(execution__version__workflow=workflow).order_by("-pk")
    rows = list(steps.values(*_COLUMNS)[:LAST_STEPS])
    return [
        FlagRow(
            label=_("Read text"),
            now=_on_off(flags["enable_ocr"]),
            gained=_compared(rows, "execution__enable_ocr", _("On"), _("Off")),
        ),
        FlagRow(
            label=_("Detect elements"),
            now=_on_off(flags["enable_ui_detection"]),
            gained=_compared(rows, "execution__enable_ui_detection", _("On"), _("Off")),
        ),
        FlagRow(
            label=_("Limit of an analysis"), now=_("%(n)d ms") % {"n": flags["analyze_timeout_ms"]}, gained=_slow(rows)
        ),
        FlagRow(
            label=_("Window info provider"),
            now=flags["window_info_provider"] or _("the desktop"),
            gained=_compared(rows, "execution__window_info_provider", _("With one"), _("Without")),
        ),
    ]


def _on_off(value: bool) -> str:
    return _("on") if value else _("off")


def _compared(rows: Sequence[Row], column: str, yes: str, no: str) -> str:
    """Time and confidence of the steps with the flag against those without it."""
    groups = [(yes, [r for r in rows if r[column]]), (no, [r for r in rows if not r[column]])]
    return " ".join(_measured(name, group) for name, group in groups if group) or _nothing()


def _measured(name: str, rows: Sequence[Row]) -> str:
    recognised = [r["confidence"] for r in rows if r["confidence"]]
    words = {
        "name": name,
        "ms": round(median(r["analyze_ms"] for r in rows)),
        "confidence": round(100 * fmean(recognised)) if recognised else 0,
        "n": len(rows),
    }
    said = ngettext(
        "%(name)s: %(ms)d ms a step, confidence %(confidence)d %% (%(n)d step).",
        "%(name)s: %(ms)d ms a step, confidence %(confidence)d %% (%(n)d steps).",
        len(rows),
    )
    return said % words


def _slow(rows: Sequence[Row]) -> str:
    if not rows:
        return _nothing()
    words = {
        "ms": round(_p95(r["analyze_ms"] for r in rows)),
        "degraded": sum(r["degraded"] for r in rows),
        "n": len(rows),
    }
    said = ngettext(
        "95 %% took at most %(ms)d ms; %(degraded)d of %(n)d step was degraded.",
        "95 %% took at most %(ms)d ms; %(degraded)d of %(n)d steps were degraded.",
        len(rows),
    )
    return said % words


def _p95(values: Iterable[float]) -> float:
    known = list(values)
    return quantiles(known, n=20, method="inclusive")[-1] if len(known) > 1 else known[0]


def _nothing() -> str:
    return _("Nothing was measured here yet.")
