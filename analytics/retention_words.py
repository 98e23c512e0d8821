"""What was deleted, or would be, in words."""

from __future__ import annotations

from django.utils.translation import ngettext

from analytics.retention import Pruned


def told(done: Pruned, *, dry: bool = False) -> list[str]:
    """A line for each kind of which something is deleted."""
    lines = []
    if runs := done.runs["texts"]:
        words = ngettext("the texts of %(n)d run (%(steps)s)", "the texts of %(n)d runs (%(steps)s)", runs)
        lines.append(words % {"n": runs, "steps": _steps(done.steps_with_texts)})
    if runs := done.runs["pictures"]:
        words = ngettext("the pictures of %(n)d run (%(steps)s)", "the pictures of %(n)d runs (%(steps)s)", runs)
        lines.append(words % {"n": runs, "steps": _steps(done.steps_with_pictures)})
    if n := done.learned:
        lines.append(ngettext("the pictures of %(n)d correction", "the pictures of %(n)d corrections", n) % {"n": n})
    if done.pictures:
        words = ngettext("%(n)d file, %(mb).1f MB", "%(n)d files, %(mb).1f MB", done.pictures)
        at_most = ngettext("at most %(n)d file", "at most %(n)d files", done.pictures)
        lines.append((at_most if dry else words) % {"n": done.pictures, "mb": done.freed_bytes / 1e6})
    if runs := done.runs["events"]:
        words = ngettext("the events of %(n)d run (%(m)d)", "the events of %(n)d runs (%(m)d)", runs)
        lines.append(words % {"n": runs, "m": done.events})
    if done.metrics or done.samples:
        words = ngettext(
            "%(n)d metric of a step and %(m)d samples of the machine; their sums stay",
            "%(n)d metrics of steps and %(m)d samples of the machine; their sums stay",
            done.metrics,
        )
        lines.append(words % {"n": done.metrics, "m": done.samples})
    return lines


def _steps(n: int) -> str:
    return ngettext("%(n)s step", "%(n)s steps", n) % {"n": n}
