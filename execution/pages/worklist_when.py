"""When a list begins by itself, on its own page: what follows from a schedule is shown before it is kept (S12.9)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.dates import WEEKDAYS_ABBR
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from execution.choices import Origin, Rhythm
from execution.models import ListStart, Schedule, Worklist
from execution.pages import worklist_when_texts as texts
from execution.pages.worklist_called import called_context
from execution.pages.worklist_texts import needs_reason
from execution.pages.worklist_told import told_context
from execution.pages.worklist_when_form import ScheduleForm
from execution.permissions import OPERATE, VIEW
from execution.worklists.actions.when import check_timing, keep_files, plan, switch, take_back
from execution.worklists.clock import Timing
from execution.worklists.results import KINDS
from execution.worklists.schedules import timing_of
from sentences.said import worded
from workflows.exceptions import DomainError
from workflows.models import Address, AddressKind
from workflows.permissions import permitted

NEW = "new"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A schedule in the list at the left."""

    schedule: Schedule
    title: str
    about: str
    is_open: bool


@permitted(VIEW)
@require_safe
def worklist_when(request: HttpRequest, worklist_id: str) -> HttpResponse:
    """All of it; with `part`, what follows from a form that is being filled in."""
    one = Worklist.objects.by_id(worklist_id)
    if request.GET.get("part"):
        followed = _followed(request, one, ScheduleForm(request.GET))
        return render(request, "execution/_when_told.html", followed)
    schedules = _schedules(one)
    chosen = _chosen(request, schedules)
    ready = request.GET.get("ready", "")
    form = ScheduleForm(schedule=chosen, ready=ready) if chosen or request.GET.get("schedule") == NEW else None
    return render(request, "execution/worklist_when.html", _context(request, one, schedules, chosen, form))


@permitted(OPERATE)
@require_POST
def worklist_when_change(request: HttpRequest, worklist_id: str) -> HttpResponse:
    """Keep a schedule, switch it, take it back; say where results are written."""
    one = Worklist.objects.by_id(worklist_id)
    schedule_id, verb = request.POST.get("schedule", ""), request.POST.get("verb", "")
    who: dict[str, Any] = {"worklist_id": worklist_id, "user": request.user, "origin": Origin.PAGE}
    if verb == "save":
        return _saved(request, one, schedule_id, who)
    goes_to = reverse("list_when", args=[worklist_id])
    try:
        if verb in ("on", "off"):
            switch(schedule_id=schedule_id, is_on=verb == "on", **who)
            goes_to += f"?schedule={schedule_id}"
        elif verb == "delete":
            take_back(schedule_id=schedule_id, **who)
        elif verb == "files":
            writes, takes_good = request.POST.get("writes", ""), bool(request.POST.get("takes_good"))
            keep_files(writes=writes, takes_good=takes_good, **who)
            messages.success(request, _("Saved."))
    except DomainError as error:
        messages.error(request, worded(error))
    return redirect(goes_to)


def _saved(request: HttpRequest, one: Worklist, schedule_id: str, who: dict[str, Any]) -> HttpResponse:
    form = ScheduleForm(request.POST)
    before = Schedule.objects.filter(worklist=one, schedule_id=schedule_id).first()
    if form.is_valid():
        data = form.cleaned_data
        try:
            kept = plan(
                timing=form.timing(),
                days=form.days,
                schedule_id=before.schedule_id if before else "",
                takes_files=data["takes_files"],
                is_on=before.is_on if before else True,
                reason=data["reason"],
                **who,
            )
        except DomainError as error:
            form.add_error(None, worded(error))
        else:
            messages.success(request, _("Saved."))
            return redirect(f"{reverse('list_when', args=[one.worklist_id])}?schedule={kept.schedule_id}")
    schedules = _schedules(one)
    return render(request, "execution/worklist_when.html", _context(request, one, schedules, before, form), status=422)


def _schedules(one: Worklist) -> list[Schedule]:
    return list(one.schedules.select_related("changed_by").order_by("pk"))


def _chosen(request: HttpRequest, schedules: list[Schedule]) -> Schedule | None:
    asked = request.GET.get("schedule", "")
    if asked == NEW:
        return None
    return next((one for one in schedules if one.schedule_id == asked), schedules[0] if schedules else None)


def _context(
    request: HttpRequest, one: Worklist, schedules: list[Schedule], chosen: Schedule | None, form: ScheduleForm | None
) -> dict[str, Any]:
    now = timezone.now()
    first = texts.month_of(request.GET.get("month", ""), timezone.localdate(now))
    came = texts.starts_that_came(one, first)
    addresses = list(Address.objects.order_by("name").values_list("name", "kind"))
    comes_in = [name for name, kind in addresses if kind == AddressKind.INCOMING]
    goes_out = [name for name, kind in addresses if kind != AddressKind.INCOMING]
    return {
        "list": one,
        "nav": "lists",
        "may_operate": request.user.has_perm(OPERATE),
        "schedules": [
            Entry(
                schedule=schedule,
                title=texts.title_of(timing_of(schedule)),
                about=texts.about_of(schedule),
                is_open=schedule == chosen,
            )
            for schedule in schedules
        ],
        "chosen": chosen,
        "chosen_title": texts.title_of(timing_of(chosen)) if chosen else _("New schedule"),
        "next_words": texts.next_words(one, schedules, now),
        "latest": texts.latest(came),
        "before": texts.month_before(came, first),
        "needs_reason": needs_reason(one),
        "rhythms": Rhythm.choices,
        "days": [(str(n), str(name)) for n, name in WEEKDAYS_ABBR.items()],
        "kinds": list(KINDS),
        "form": form,
        **told_context(request, one, goes_out),
        **called_context(request, one, comes_in),
        **(_followed(request, one, form, chosen=chosen, schedules=schedules, came=came) if form else {}),
    }


def _followed(
    request: HttpRequest,
    one: Worklist,
    form: ScheduleForm,
    *,
    chosen: Schedule | None = None,
    schedules: list[Schedule] | None = None,
    came: list[ListStart] | None = None,
) -> dict[str, Any]:
    """What the form would come to: its sentence and its starts, or what is wrong with it; and the month."""
    schedules = _schedules(one) if schedules is None else schedules
    asked = request.GET.get("of", "") if chosen is None else chosen.schedule_id
    others = [timing_of(one) for one in schedules if one.is_on and one.schedule_id != asked]
    timing, wrong = _timing(form, chosen)
    now = timezone.now()
    first = texts.month_of(request.GET.get("month", ""), timezone.localdate(now))
    came = texts.starts_that_came(one, first) if came is None else came
    return {
        "form": form,
        "list": one,
        "wrong": wrong,
        "told": texts.told_of(timing, now) if timing else None,
        "month": texts.calendar_of(came, [*others, *([timing] if timing else [])], first, now),
        "month_named": f"{first:%Y-%m}",
        "open_id": asked,
    }


def _timing(form: ScheduleForm, chosen: Schedule | None) -> tuple[Timing | None, list[str]]:
    if not form.is_bound:
        if chosen is not None:
            return timing_of(chosen), []
        form = ScheduleForm(_as_posted(form))
    if not form.is_valid():
        return None, [str(error) for errors in form.errors.values() for error in errors]
    timing = form.timing()
    try:
        check_timing(timing)
    except DomainError as error:
        return None, [worded(error)]
    return timing, []


def _as_posted(form: ScheduleForm) -> QueryDict:
    """The form as it stands, as if somebody had sent it."""
    posted = QueryDict(mutable=True)
    for name in form.fields:
        value = form[name].value()
        posted.setlist(name, list(value) if isinstance(value, list) else [str(value or "")])
    return posted
