"""The form of a schedule: what is typed becomes a timing, and what cannot be is said in words (S12.9)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any
from zoneinfo import available_timezones

import holidays
from django import forms
from django.forms.utils import flatatt
from django.http import QueryDict
from django.utils import timezone
from django.utils.dates import WEEKDAYS
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from holidays.registry import COUNTRIES

from execution.choices import Rhythm, WhileRunning
from execution.models import Schedule
from execution.worklists.clock import Timing
from execution.worklists.schedules import timing_from

MOST_DAYS = 50
_INPUT = {"class": "input"}
_TYPED = {**_INPUT, "spellcheck": "false", "autocomplete": "off"}
MADE_UP, SKIPPED = "make_up", "skip"


def _countries() -> list[tuple[str, str]]:
    named = {codes[1]: re.sub(r"(?<=[a-z])(?=[A-Z])", " ", codes[0]) for codes in COUNTRIES.values()}
    known = holidays.list_supported_countries()
    return sorted(((code, named.get(code, code)) for code in known if len(code) == 2), key=lambda one: one[1])


def regions_of(country: str) -> list[str]:
    """The parts of a country that have holidays of their own, by their codes."""
    return list(holidays.list_supported_countries().get(country, ()))


class LongSelect(forms.Select):
    """A choice of hundreds, written at once: Django fills in two templates for each line, most of what a page takes."""

    def render(self, name: str, value: Any, attrs: Any = None, renderer: Any = None) -> SafeString:
        shown = self.get_context(name, value, attrs)["widget"]
        lines = [line for _group, some, _index in shown["optgroups"] for line in some]
        options = format_html_join(
            "",
            '<option value="{}"{}>{}</option>',
            ((one["value"], flatatt(one["attrs"]), one["label"]) for one in lines),
        )
        return format_html('<select name="{}"{}>{}</select>', name, flatatt(shown["attrs"]), options)


def _clock() -> forms.TimeInput:
    return forms.TimeInput(attrs={**_INPUT, "type": "time"}, format="%H:%M")


class ScheduleForm(forms.Form):
    """Times are those of the clock on the wall in the zone."""

    kind = forms.ChoiceField(choices=Rhythm.choices)
    at = forms.TimeField(
        required=False,
        label=gettext_lazy("At"),
        widget=_clock(),
    )
    on = forms.DateField(
        required=False,
        label=gettext_lazy("Day"),
        widget=forms.DateInput(attrs={**_INPUT, "type": "date"}, format="%Y-%m-%d"),
        input_formats=["%Y-%m-%d"],
    )
    weekdays = forms.MultipleChoiceField(
        required=False, label=gettext_lazy("On"), choices=[(str(n), name) for n, name in WEEKDAYS.items()]
    )
    cron = forms.CharField(
        required=False,
        max_length=100,
        label=gettext_lazy("Cron rule"),
        widget=forms.TextInput(attrs={**_TYPED, "placeholder": "0 2 * * 1-5"}),
    )
    zone = forms.CharField(max_length=60, label=gettext_lazy("Time zone"), widget=LongSelect(attrs=_INPUT))
    until = forms.TimeField(
        required=False,
        label=gettext_lazy("No row begins from"),
        widget=_clock(),
    )
    country = forms.ChoiceField(required=False, label=gettext_lazy("Holidays in"), widget=LongSelect(attrs=_INPUT))
    region = forms.CharField(
        required=False, max_length=20, label=gettext_lazy("Region"), widget=forms.Select(attrs=_INPUT)
    )
    missed = forms.ChoiceField(choices=[(MADE_UP, MADE_UP), (SKIPPED, SKIPPED)], required=False)
    make_up_until = forms.TimeField(
        required=False,
        label=gettext_lazy("until"),
        widget=_clock(),
    )
    while_running = forms.ChoiceField(choices=WhileRunning.choices, required=False)
    takes_files = forms.BooleanField(required=False)
    reason = forms.CharField(
        required=False,
        max_length=300,
        label=gettext_lazy("Why it may act by itself"),
        widget=forms.TextInput(attrs=_TYPED),
    )

    def __init__(self, data: QueryDict | None = None, *, schedule: Schedule | None = None, ready: str = "") -> None:
        initial = initial_of(schedule) if schedule else ready_made(ready)
        super().__init__(data, initial=initial, auto_id="when-%s")
        for name, choices in (
            ("zone", [(zone, zone) for zone in sorted(available_timezones())]),
            ("country", [("", _("no holidays")), *_countries()]),
            ("region", [("", _("all regions")), *((code, code) for code in regions_of(self.value("country")))]),
        ):
            field = self.fields[name]
            if isinstance(field, forms.ChoiceField):
                field.choices = choices
            else:
                field.widget.choices = choices  # type: ignore[attr-defined]
        self.days = _days(data) if data is not None else initial["not_on"]

    def value(self, name: str) -> str:
        """As it stands in the form now."""
        return str(self[name].value() or "")

    def chosen(self) -> list[str]:
        return [str(day) for day in self["weekdays"].value() or ()]

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        if data.get("kind") != Rhythm.CRON and not data.get("at") and "at" not in self.errors:
            self.add_error("at", _("Say at what time."))
        if data.get("missed") == MADE_UP and not data.get("make_up_until"):
            self.add_error("make_up_until", _("Say until when it is made up."))
        return data

    def timing(self) -> Timing:
        """Of a form that is valid."""
        data = self.cleaned_data
        makes_up = data.get("missed") == MADE_UP
        return timing_from(
            {
                **data,
                "kind": Rhythm(data["kind"]),
                "weekdays": [int(day) for day in data["weekdays"]],
                "not_on": list(self.days),
                "make_up_until": data["make_up_until"] if makes_up else None,
                "while_running": WhileRunning(data["while_running"] or WhileRunning.WAIT),
            }
        )


def ready_made(kind: str) -> dict[str, Any]:
    """A schedule to begin with: a night of a working day, unless another rhythm was chosen."""
    return {
        "kind": kind if kind in Rhythm.values else Rhythm.WEEKDAYS,
        "at": "02:00",
        "on": timezone.localdate() + timedelta(days=1),
        "weekdays": ["0", "1", "2", "3", "4"],
        "zone": timezone.get_current_timezone_name(),
        "until": "06:00",
        "missed": MADE_UP,
        "make_up_until": "05:00",
        "while_running": WhileRunning.WAIT,
        "not_on": {},
    }


def initial_of(schedule: Schedule) -> dict[str, Any]:
    plain = ("kind", "at", "on", "cron", "zone", "until", "country", "region", "make_up_until", "while_running")
    return {
        **{name: getattr(schedule, name) for name in (*plain, "takes_files", "reason")},
        "weekdays": [str(day) for day in schedule.weekdays],
        "missed": MADE_UP if schedule.make_up_until else SKIPPED,
        "not_on": {date.fromisoformat(day): what for day, what in schedule.not_on.items()},
    }


def _days(data: QueryDict) -> Mapping[date, str]:
    """Days of one's own with what they are; what is no day is left out."""
    found: dict[date, str] = {}
    for day, what in zip(data.getlist("day")[:MOST_DAYS], data.getlist("day_what"), strict=False):
        try:
            found[date.fromisoformat(day)] = what.strip()[:100]
        except ValueError:
            continue
    return found
