"""What a pack of corrections holds, as it is in its file `corrections.json` (S6.4), and whether it can be that.

No names of people, and no whole screen where a part of one is enough: of a corrected place the target and what is
around it, of a picked screen the screen.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _

from execution.choices import CorrectionKind
from execution.learning.conditions import DARK, LIGHT, Conditions
from execution.learning.rules import is_of_one_run
from execution.models import LearnedCorrection
from workflows.archives import CORRECTIONS
from workflows.graph import GraphSpec, NormBox, TargetSpec, target_from_json
from workflows.places import LARGEST_SCREEN, can_be
from workflows.unpacking import BadBundle

CARRIED = (CorrectionKind.TARGET, CorrectionKind.PARAMS, CorrectionKind.NODE)
MOST = 300  # in one file
LONGEST_ID = LearnedCorrection._meta.get_field("edge_id").max_length or 200
LONGEST_NAME = LearnedCorrection._meta.get_field("elsewhere").max_length or 100
_DIGEST = re.compile(r"[0-9a-f]{64}")
_DIGEST_OF_TAUGHT = re.compile(r"[0-9a-f]{32}")
_EARLIEST = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class PackedWorkflow:
    workflow_id: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PackedCorrection:
    """`taught_as` says what it was learned of (`execution.learning.taught_as`): as that was taught then, and as it is
    taught since other corrections became part of it. `learned_in` is the installation."""

    kind: str
    taught_as: tuple[str, ...]
    learned_in: str
    learned_at: str
    of: Any
    edge_id: str = ""
    node_id: str = ""
    target: TargetSpec | None = None
    params: Mapping[str, Any] = field(default_factory=dict)
    picture: str = ""
    gone: tuple[str, ...] = ()
    box: NormBox | None = None
    conditions: Conditions | None = None

    @property
    def pictures(self) -> frozenset[str]:
        of_target = (self.target.picture, self.target.context) if self.target else ()
        return frozenset({self.picture, *of_target} - {""})


@dataclass(frozen=True, slots=True, kw_only=True)
class Pack:
    """What `corrections.json` holds."""

    format: str
    format_version: int
    workflow: PackedWorkflow
    exported_from: str
    corrections: tuple[PackedCorrection, ...]

    def pictures(self) -> frozenset[str]:
        return frozenset().union(*(one.pictures for one in self.corrections))


def pack_of(document: Mapping[str, Any]) -> Pack:
    """A document of that form as a pack. Raises BadBundle for the first thing that cannot be."""
    if len(document["corrections"]) > MOST:
        words = _("%(file)s holds %(count)d corrections; at most %(limit)d are taken. Export it again with fewer.")
        raise BadBundle(words % {"file": CORRECTIONS.document, "count": len(document["corrections"]), "limit": MOST})
    corrections = tuple(_correction(one) for one in document["corrections"])
    pack = Pack(
        **{**document, "workflow": PackedWorkflow(**document["workflow"]), "corrections": corrections},
    )
    for n, one in enumerate(corrections):
        if wrong := wrong_in(one):
            raise BadBundle(f"{where(n)}: {wrong}")
    return pack


def where(n: int) -> str:
    """Where in the file a correction stands, as its errors say it."""
    return f"{CORRECTIONS.document}.corrections[{n}]"


def learned_at(one: PackedCorrection) -> datetime | None:
    """When; None where that is no moment that can have been."""
    try:
        said = datetime.fromisoformat(one.learned_at)
    except ValueError:
        return None
    if said.tzinfo is None or said.year < _EARLIEST or said > timezone.now() + timedelta(days=1):
        return None
    return said


def _correction(data: Mapping[str, Any]) -> PackedCorrection:
    target, conditions, box = data.get("target"), data.get("conditions"), data.get("box")
    return PackedCorrection(
        **{
            **data,
            "target": target_from_json(target) if target else None,
            "conditions": Conditions.from_json(conditions) if conditions else None,
            "box": tuple(box) if box else None,
            "taught_as": tuple(data["taught_as"]),
            "gone": tuple(data.get("gone", ())),
        }
    )


def wrong_in(one: PackedCorrection) -> str:
    """What of it cannot be, whatever the workflow; "" where nothing."""
    if one.kind not in CARRIED:
        return _("“%(kind)s” is no kind of correction that a file carries.") % {"kind": one.kind[:40]}
    if not one.learned_in.strip() or len(one.learned_in) > LONGEST_NAME or learned_at(one) is None:
        return _("where and when it was learned cannot be read.")
    ids = (one.edge_id, one.node_id)
    if any(len(part) > LONGEST_ID for part in ids) or not all(map(_DIGEST_OF_TAUGHT.fullmatch, one.taught_as or ("",))):
        return _("what it was learned of cannot be read.")
    if any(not _DIGEST.fullmatch(digest) for digest in one.pictures):
        return _("a picture has no name that a picture can have.")
    if one.conditions and not _is_screen(one.conditions):
        return _("the theme or the size of the screen cannot be.")
    if one.kind == CorrectionKind.TARGET:
        return _wrong_place(one)
    if one.target or one.box:
        return _unlike(one)
    if one.kind == CorrectionKind.PARAMS:
        says = isinstance(one.of, dict) and bool(one.params) and one.of.keys() == one.params.keys()
        return "" if says and one.edge_id and not (one.node_id or one.picture or one.gone) else _unlike(one)
    says = one.of == one.node_id and bool(one.picture and one.conditions)
    return "" if says and one.node_id and not (one.edge_id or one.params) else _unlike(one)


def _wrong_place(one: PackedCorrection) -> str:
    """A look of a target: what a coach can have shown, and nothing that is acted on elsewhere than it is found."""
    look = one.target
    if look is None or not (one.edge_id and one.box and one.conditions):
        return _unlike(one)
    if (
        one.node_id
        or one.params
        or one.picture
        or one.gone
        or look.also
        or look.number_wanted
        or one.of != look.target_id
    ):
        return _unlike(one)
    if not (look.picture or look.text or look.named_by):
        return _("nothing is left to know the target by.")
    boxes = [box for box in (one.box, look.box, look.context_box) if box is not None]
    on_screen = all(_is_on_screen(box) for box in boxes) and all(0 <= part <= 1 for part in look.click)
    if not on_screen or not _is_near_screen(look):
        return _("a place of it is not on the screen.")
    return ""


def _unlike(one: PackedCorrection) -> str:
    return _("it is not what a correction of the kind “%(kind)s” says.") % {"kind": one.kind}


def _is_on_screen(box: Iterable[float]) -> bool:
    x, y, w, h = box
    return x >= 0 and y >= 0 and w > 0 and h > 0 and x + w <= 1.001 and y + h <= 1.001  # rounding


def _is_near_screen(look: TargetSpec) -> bool:
    """Whether windows, sizes and ways of it can be; a window may stand out of the screen."""
    windows = [box for box in (look.window_box, look.scroll_box) if box is not None]
    if any(not -1 <= part <= 2 for box in windows for part in box):
        return False
    if not can_be(look):
        return False
    near = [*look.neighbours, *look.around, *([look.named_by] if look.named_by else [])]
    ways = [(one.dx, one.dy) for one in near] + [(shape.dx, shape.dy) for shape in look.shapes]
    ways += [look.first_offset or (0, 0), look.next_offset or (0, 0)]
    sizes = [(shape.w, shape.h) for shape in look.shapes]
    return all(abs(part) <= LARGEST_SCREEN for way in ways for part in way) and all(
        0 <= part <= LARGEST_SCREEN for size in sizes for part in size
    )


def _is_screen(conditions: Conditions) -> bool:
    return conditions.theme in (DARK, LIGHT) and all(0 < part <= LARGEST_SCREEN for part in conditions.size)


def is_of(one: PackedCorrection, graph: GraphSpec) -> bool:
    """Whether it is a correction of what is taught there. What a taught target must have beside it (its row, what is
    needed of it) a look of it must have, too; and no rule says one run's data."""
    if one.kind == CorrectionKind.NODE:
        return graph.node(one.node_id) is not None
    edge = graph.edge(one.edge_id)
    if edge is None:
        return False
    if one.kind == CorrectionKind.PARAMS:
        known = all(name in edge.params and edge.params[name] == was for name, was in one.of.items())
        return known and not any(is_of_one_run(edge, name, value) for name, value in one.params.items())
    taught, look = edge.target, one.target
    if taught is None or look is None or taught.target_id != one.of or taught.number_wanted:
        return False
    return (look.row, look.needed) == (taught.row, taught.needed) and not (taught.row and look.number)
