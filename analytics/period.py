"""Which days a page is about: of figures by the installation's clock, of what people did by the reader's."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

from django.http import HttpRequest
from django.utils import timezone
from django.utils.functional import Promise, cached_property
from django.utils.translation import gettext_lazy as _

from workflows.parsing import whole_number

COOKIE = "timezone"  # chrome.js writes there which one the browser has
SPANS: dict[int, str | Promise] = {7: _("7 days"), 30: _("30 days"), 91: _("13 weeks"), 364: _("52 weeks")}
USUAL = 30
LONGEST = 400
BY_DAY = 31  # of more days a bar is a week


@dataclass(frozen=True)
class Period:
    """The last `days` days, today included, as `zone` counts them; `until` is the day after the last."""

    days: int
    until: date
    zone: ZoneInfo

    @property
    def since(self) -> date:
        return self.until - timedelta(days=self.days)

    @property
    def last(self) -> date:
        return self.until - timedelta(days=1)

    @property
    def begin(self) -> datetime:
        return self._midnight(self.since)

    @property
    def end(self) -> datetime:
        return self._midnight(self.until)

    @property
    def before(self) -> Period:
        """As many days, right before."""
        return Period(days=self.days, until=self.since, zone=self.zone)

    @property
    def days_a_bar(self) -> int:
        return 1 if self.days <= BY_DAY else 7

    @cached_property
    def bars(self) -> list[date]:
        """The first day of each bar."""
        return [self.since + timedelta(days=n) for n in range(0, self.days, self.days_a_bar)]

    def _midnight(self, day: date) -> datetime:
        return datetime.combine(day, time.min, tzinfo=self.zone).astimezone(UTC)


@cache
def _zones() -> set[str]:
    """Every zone there is: looking for them takes longer than the figures of a week."""
    return available_timezones()


def house_zone() -> ZoneInfo:
    return ZoneInfo(timezone.get_default_timezone_name())


def zone_of(request: HttpRequest) -> ZoneInfo:
    """The reader's own where their browser has told, else the installation's."""
    named = request.COOKIES.get(COOKIE, "").replace("%2F", "/")
    return ZoneInfo(named) if named in _zones() else house_zone()


def period_of(request: HttpRequest, zone: ZoneInfo | None = None) -> Period:
    """The period that is asked for: `days` up to today or up to `until`; what is none is the usual one."""
    zone = zone or house_zone()
    days = whole_number(request.GET.get("days", ""), most=LONGEST) or USUAL
    try:
        until = date.fromisoformat(request.GET.get("until", ""))
        until = until if until.year > 1970 else timezone.localdate(timezone=zone)
    except ValueError:
        until = timezone.localdate(timezone=zone)
    return Period(days=days, until=until + timedelta(days=1), zone=zone)
