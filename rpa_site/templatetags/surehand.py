"""What every template of the product uses: icons, times, durations, and the role that a permission takes."""

from __future__ import annotations

from datetime import datetime

from django import template
from django.templatetags.static import static
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from execution.models import Execution
from execution.pages.snapshot import desktop_words
from rpa_site.roles import role_needed
from rpa_site.script_catalogue import address

register = template.Library()

SPRITE = "rpa_site/vendor/tabler-icons.svg"


@register.simple_tag
def icon(name: str, css: str = "") -> SafeString:
    """An icon of the sprite; decoration, the word beside it is what counts."""
    return format_html(
        '<svg class="icon {}" aria-hidden="true" focusable="false"><use href="{}#{}"></use></svg>',
        css,
        static(SPRITE),
        name,
    )


@register.simple_tag
def ago(when: datetime | None) -> SafeString | str:
    """“3 min ago”, kept fresh by chrome.js, with the exact time on hover."""
    if when is None:
        return "–"
    local = timezone.localtime(when)
    return format_html(
        '<time datetime="{}" title="{}" data-ago>{}</time>',
        when.isoformat(),
        date_format(local, "DATETIME_FORMAT"),
        ago_words((timezone.now() - when).total_seconds()),
    )


def ago_words(seconds: float) -> str:
    if seconds < 45:
        return _("just now")
    if seconds < 3600:
        return _("%(n)d min ago") % {"n": max(1, round(seconds / 60))}
    if seconds < 86_400:
        return _("%(n)d h ago") % {"n": round(seconds / 3600)}
    return _("%(n)d d ago") % {"n": round(seconds / 86_400)}


@register.filter
def duration(seconds: float | None) -> str:
    """0.21 s below ten seconds, else 4:12 or 1:04:12."""
    if seconds is None:
        return "–"
    if seconds < 10:
        return _("%(n).2f s") % {"n": seconds}
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


@register.filter
def desktop(execution: Execution) -> str:
    return desktop_words(execution)


@register.filter
def role_for(permission: str) -> str:
    """The lowest role that holds a permission; empty for what is no permission's name."""
    name = str(permission)
    return str(role_needed(name).label) if name.count(".") == 1 and " " not in name else ""


@register.simple_tag
def script_catalogue() -> str:
    return address()
