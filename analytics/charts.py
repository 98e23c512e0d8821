"""Charts as SVG from the server: no script, the colours of the theme; the page has a table behind each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

WIDTH, HEIGHT, FOOT, RIGHT = 720, 170, 20, 36
SPARK_WIDTH, SPARK_HEIGHT = 100, 22


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """One bar: its name, what it is made of from below, where it leads and what is told of it."""

    label: str
    parts: tuple[int, ...]
    url: str
    told: str


def top_of(most: int) -> int:
    """A round number that nothing reaches beyond, four lines high."""
    size = 1
    while True:
        for quarter in (1, 1.5, 2, 2.5, 5):
            if quarter * size == int(quarter * size) and 4 * quarter * size >= most:
                return int(4 * quarter * size)
        size *= 10


def bars(drawn: Sequence[Bar], classes: Sequence[str], label: str) -> SafeString:
    """Stacked bars; each leads to what it counts."""
    top = top_of(max((sum(bar.parts) for bar in drawn), default=0))
    high = HEIGHT - FOOT - 8
    wide = (WIDTH - RIGHT) / max(1, len(drawn))
    lines = format_html_join(
        "",
        '<line class="grid" x1="0" x2="{}" y1="{}" y2="{}"></line><text class="axis" x="{}" y="{}">{}</text>',
        (
            (WIDTH - RIGHT, _n(y), _n(y), WIDTH - RIGHT + 6, _n(y + 4), value)
            for value, y in ((top * n // 4, 8 + high - high * n / 4) for n in range(5))
        ),
    )
    stacks = format_html_join("", "{}", ((_stack(bar, n, wide, high, top, classes),) for n, bar in enumerate(drawn)))
    names = SafeString("")
    if drawn:
        names = format_html(
            '<text class="axis" x="0" y="{0}">{1}</text><text class="axis end" x="{2}" y="{0}">{3}</text>',
            HEIGHT - 4, drawn[0].label, WIDTH - RIGHT, drawn[-1].label,
        )  # fmt: skip
    return format_html(
        '<svg class="bars" viewBox="0 0 {} {}" role="group" aria-label="{}">{}{}{}</svg>',
        WIDTH, HEIGHT, label, lines, stacks, names,
    )  # fmt: skip


def _stack(bar: Bar, n: int, wide: float, high: float, top: int, classes: Sequence[str]) -> SafeString:
    if not sum(bar.parts):
        return SafeString("")
    x, width, y = n * wide + wide * 0.13, wide * 0.74, 8 + high
    boxes = []
    for part, name in zip(bar.parts, classes, strict=True):
        tall = high * part / top
        if part:
            y -= tall
            boxes.append((name, _n(x), _n(y), _n(width), _n(max(1.0, tall - 1))))
    rects = format_html_join("", '<rect class="{}" x="{}" y="{}" width="{}" height="{}" rx="1.5"></rect>', boxes)
    hit = format_html('<rect class="hit" x="{}" y="8" width="{}" height="{}"></rect>', _n(n * wide), _n(wide), _n(high))
    return format_html(
        '<a href="{}" aria-label="{}"><title>{}</title>{}{}</a>', bar.url, bar.told, bar.told, hit, rects
    )


def spark(values: Sequence[float | None], css: str = "") -> SafeString:
    """A line without axes, beside the number whose way it shows; nothing of fewer than two values."""
    known = [(n, value) for n, value in enumerate(values) if value is not None]
    if len(known) < 2:
        return SafeString("")
    low, high = min(value for _n_, value in known), max(value for _n_, value in known)
    span = (high - low) or 1.0
    last = max(1, len(values) - 1)
    points = " ".join(
        f"{2 + (SPARK_WIDTH - 4) * n / last:.1f},{SPARK_HEIGHT - 3 - (SPARK_HEIGHT - 6) * (value - low) / span:.1f}"
        for n, value in known
    )
    return format_html(
        '<svg class="spark {}" viewBox="0 0 {} {}" aria-hidden="true"><polyline points="{}"></polyline></svg>',
        css, SPARK_WIDTH, SPARK_HEIGHT, points,
    )  # fmt: skip


def strip(percent: float, css: str = "") -> SafeString:
    """A bar of so many per cent."""
    return format_html(
        '<svg class="strip" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">'
        '<rect class="{}" width="{}" height="10"></rect></svg>',
        css, _n(max(0.6, min(100.0, percent))),
    )  # fmt: skip


def _n(value: float) -> str:
    """With a point in every language."""
    return f"{ceil(value * 100) / 100:g}"
