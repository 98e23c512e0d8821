"""The pages of lists: all of them with their bars, and one with its rows, what waits for a person first (S12)."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from execution.choices import Origin
from execution.models import Worklist
from execution.models.worklist import ItemState, WorklistState
from execution.pages import worklist_texts as texts
from execution.permissions import OPERATE, VIEW
from execution.record.secret_values import secret_names
from execution.worklists.actions.lists import create_list, extend_window, pause_list, start_list
from execution.worklists.actions.rows import VERBS, Moved
from execution.worklists.progress import Progress, progress_of, progress_of_each
from sentences.said import worded
from workflows.exceptions import DomainError
from workflows.models import Workflow
from workflows.parsing import whole_number
from workflows.permissions import permitted

ROWS, LISTS = 50, 25
MOST_AT_ONCE = 100_000


@permitted(VIEW)
@require_safe
def lists(request: HttpRequest) -> HttpResponse:
    """Each list with its bar; those that need somebody first."""
    found = Worklist.objects.select_related("workflow", "version").order_by(*texts.LISTS_IN_ORDER)
    page = Paginator(found, LISTS).get_page(request.GET.get("page"))
    told = progress_of_each(page.object_list)
    cards = [texts.list_card(one, told[one.pk]) for one in page.object_list]
    template = "execution/_lists_board.html" if request.GET.get("board") else "execution/lists.html"
    context = {
        "page": page,
        "cards": cards,
        "may_operate": request.user.has_perm(OPERATE),
        "nav": "lists",
    }
    return render(request, template, context)


@permitted(VIEW)
@require_safe
def worklist(request: HttpRequest, worklist_id: str) -> HttpResponse:
    """One list: how far it is, what happened, its rows, and the story of the one that is open."""
    one = Worklist.objects.by_id(worklist_id)
    told = progress_of(one)
    context = {**_head(one, told), **_table(request, one, told), **_opened(request, one)}
    context |= {"may_operate": request.user.has_perm(OPERATE), "nav": "lists"}
    template = "execution/_worklist_board.html" if request.GET.get("board") else "execution/worklist.html"
    return render(request, template, context)


def _head(one: Worklist, told: Progress) -> dict[str, Any]:
    return {
        "list": one,
        "card": texts.list_card(one, told),
        "progress": told,
        "happened": texts.happened(one),
        "starts": one.state in (WorklistState.READY, WorklistState.PAUSED, WorklistState.STANDS),
        "needs_reason": texts.needs_reason(one),
    }


def _table(request: HttpRequest, one: Worklist, told: Progress) -> dict[str, Any]:
    state, text = request.GET.get("state", ""), request.GET.get("q", "")[:200].strip()
    state = state if state in ItemState.values else ""
    found = texts.found(one, state=state, text=text)
    pages = Paginator(found, ROWS)
    if not text:  # as many as the bar says, without counting them again
        pages.count = told.counts[state] if state else told.total
    page = pages.get_page(request.GET.get("page"))
    kept = request.GET.copy()
    for name in ("page", "board", "row"):
        kept.pop(name, None)
    counts = told.counts
    filters = [("", _("All"), told.total)]
    filters += [
        (s, texts.counted(ItemState(s), counts[s]), counts[s]) for s in texts.FILTERS if counts[s] or s == state
    ]
    return {
        "page": page,
        "rows": [texts.row_of(item, one) for item in page.object_list],
        "columns": texts.shown_columns(one),
        "has_reference": texts.shows_reference(one),
        "value_names": texts.value_columns(one),
        "filters": filters,
        "state": state,
        "q": text,
        "kept": kept.urlencode(),
    }


def _opened(request: HttpRequest, one: Worklist) -> dict[str, Any]:
    number = whole_number(request.GET.get("row", ""))
    if not number:
        return {"opened": None}
    item = one.items.filter(number=number).select_related("execution__robot").first()
    return {"opened": texts.story_of(item, one) if item else None}


@permitted(OPERATE)
@require_POST
def worklist_control(request: HttpRequest, worklist_id: str) -> HttpResponse:
    """Start, go on, pause, let rows begin for longer, or cancel what is new."""
    asked: dict[str, Any] = {"worklist_id": worklist_id, "user": request.user, "origin": Origin.PAGE}
    try:
        match request.POST.get("verb"):
            case "start":
                start_list(reason=request.POST.get("reason", ""), **asked)
            case "pause":
                pause_list(**asked)
            case "extend":
                until = parse_datetime(request.POST.get("until", ""))
                if until is not None and timezone.is_aware(until):
                    extend_window(until=until, **asked)
            case "cancel":
                _say(request, VERBS["cancel"](numbers=None, **asked))
    except DomainError as error:
        messages.error(request, worded(error))
    return redirect("list", worklist_id)


@permitted(OPERATE)
@require_POST
def worklist_rows(request: HttpRequest, worklist_id: str) -> HttpResponse:
    """What is asked of the chosen rows, or of all that the filter finds."""
    verb, one = request.POST.get("verb", ""), Worklist.objects.by_id(worklist_id)
    if request.POST.get("all"):
        chosen = texts.found(one, state=request.POST.get("state", ""), text=request.POST.get("q", ""))
        numbers = list(chosen.values_list("number", flat=True)[:MOST_AT_ONCE])
    else:
        numbers = [number for given in request.POST.getlist("row") if (number := whole_number(given))]
    asked: dict[str, Any] = {"worklist_id": worklist_id, "user": request.user, "origin": Origin.PAGE}
    reason = request.POST.get("reason", "").strip()
    more: dict[str, str] = {"again": {"not_saved": reason}, "skip": {"reason": reason}}.get(verb, {})
    more = {"reason": reason} if verb == "set_aside" else more
    try:
        if verb in VERBS and numbers:
            _say(request, VERBS[verb](numbers=numbers, **more, **asked))
    except DomainError as error:
        messages.error(request, worded(error))
    back = request.POST.get("back", "")
    return redirect(f"{reverse('list', args=[worklist_id])}{f'?{back}' if back else ''}")


def _say(request: HttpRequest, moved: Moved) -> None:
    if moved.numbers:
        said = ngettext("Done with %(n)d row.", "Done with %(n)d rows.", len(moved.numbers))
        messages.success(request, said % {"n": len(moved.numbers)})
    if moved.saved:
        messages.warning(
            request,
            ngettext(
                "Row %(rows)s may have saved something. Look at the program; if nothing is there, say so.",
                "Rows %(rows)s may have saved something. Look at the program; if nothing is there, say so.",
                len(moved.saved),
            )
            % {"rows": ", ".join(map(str, moved.saved[:10]))},
        )
    if moved.left:
        said = ngettext("%(n)d row stands otherwise by now.", "%(n)d rows stand otherwise by now.", len(moved.left))
        messages.info(request, said % {"n": len(moved.left)})


# --- a new list: which workflow works off its rows, its name, and which values tell its rows apart (S12.1) ----------
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
