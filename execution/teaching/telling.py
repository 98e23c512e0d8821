"""What a target is told by, in sentences for people."""

from __future__ import annotations

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from workflows.graph import NeighbourSpec, TargetSpec

# What a target without a text of its own is called: one of it, several of it.
ROLES = {
    "button": (gettext_lazy("a button"), gettext_lazy("buttons")),
    "field": (gettext_lazy("a field"), gettext_lazy("fields")),
    "checkbox": (gettext_lazy("a check box"), gettext_lazy("check boxes")),
    "radio": (gettext_lazy("a radio button"), gettext_lazy("radio buttons")),
    "tab": (gettext_lazy("a tab"), gettext_lazy("tabs")),
    "menu_item": (gettext_lazy("a menu entry"), gettext_lazy("menu entries")),
    "link": (gettext_lazy("a link"), gettext_lazy("links")),
    "icon": (gettext_lazy("a small picture"), gettext_lazy("small pictures")),
}


def ways_to_tell(target: TargetSpec) -> tuple[str, ...]:
    """What tells this target from everything else, the strongest sign first; empty where nothing was taught."""
    said = [
        _number(target),
        *(_("in the row of “%(text)s”") % {"text": text} for text in target.row),
        _("named by “%(text)s”") % {"text": " / ".join(target.named_by.texts)} if target.named_by else "",
        _beside(target),
        _around(target),
        _picture(target),
        _("in the window “%(title)s”") % {"title": target.window_title} if target.window_title else "",
        _("inside something that scrolls") if target.scroll_box else "",
        _demonstrations(target),
    ]
    return tuple(sentence for sentence in said if sentence)


def _number(target: TargetSpec) -> str:
    """The third of 5 “Open”; the text alone where there was no other."""
    one, several = ROLES.get(target.role, ("", _("places that look like it")))
    if target.number_wanted:
        return _("number %(number)s of its list, as the run says") % {"number": target.number_wanted}
    if target.alike > 1 and target.number_taught:
        ordinals = {1: _("the first"), 2: _("the second"), 3: _("the third")}
        ordinal = ordinals.get(target.number_taught) or _("number %(number)d") % {"number": target.number}
        kind = _("“%(text)s”") % {"text": target.text} if target.text else str(several)
        return _("%(ordinal)s of %(alike)d %(kind)s") % {"ordinal": ordinal, "alike": target.alike, "kind": kind}
    return _("the text “%(text)s”") % {"text": target.text} if target.text else str(one)


def _beside(target: TargetSpec) -> str:
    """The text of its own row, if there is one."""
    height = target.box[3] * target.screen_size[1] if target.box else 0
    row = [n for n in target.neighbours if abs(n.dy) <= height / 2]
    return _("beside “%(text)s”") % {"text": _nearest(row).text} if row else ""


def _around(target: TargetSpec) -> str:
    others = len(target.neighbours)
    shapes = len(target.shapes)
    parts = []
    if others:
        parts.append(ngettext("%(count)d text around it", "%(count)d texts around it", others) % {"count": others})
    if shapes:
        parts.append(
            ngettext("%(count)d control around it", "%(count)d controls around it", shapes) % {"count": shapes}
        )
    return ", ".join(parts)


def _picture(target: TargetSpec) -> str:
    if not target.picture:
        return ""
    if target.role == "field":
        return _("its picture, empty or not: what it holds is no sign")
    return _("its picture")


def _demonstrations(target: TargetSpec) -> str:
    if target.demonstrations <= 1:
        return ""
    return _("what %(count)d demonstrations had in common") % {"count": target.demonstrations}


def _nearest(neighbours: list[NeighbourSpec]) -> NeighbourSpec:
    return min(neighbours, key=lambda n: abs(n.dx) + abs(n.dy))
