"""What is measured of every place that may be the target, in absolute terms and beside the other places (S5.3).

A measure that cannot be told on this screen, or was not taught, is NaN: not told, which is not nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from execution.language.fuzzy import SAME, similarity, words
from execution.perception.eye.looking import the_eye
from execution.targeting.context import Context
from execution.targeting.contrast import contrast_share, is_written_faintly
from execution.targeting.ink import TaughtPicture
from execution.targeting.kinds import TICKED, role_likeness, same_kind
from execution.targeting.looks import ground_change, surroundings_likeness
from execution.targeting.proposals import Proposal
from execution.targeting.signs import Signs
from execution.targeting.windows import same_window
from execution.types import Box, ElementRole, ElementState
from workflows.exceptions import PictureError

_FAR = 0.3  # of the window: from here on the place says nothing
_PLAIN = 20.0  # a contrast beyond which it says no more
_MOST = 12  # a count beyond which it says no more
_NAN = float("nan")
_GREY, _EDGES = (0.8, 1.0), (0.5, 0.95)  # correlations worth nothing and everything (`picture_fit`)
_EYE = (0.5, 0.9)  # cosines so; of different things one in a thousand is above 0.74 (tools/eye)
_WEIGHTS = (3.0, 3.0, 2.0, 1.0, 2.0, 0.7, 0.7)  # of text, look, standing, shapes, label, place and kind in their mean
_AS_GOOD = 0.1
_CLEAREST = 1.5  # of the contrast of others of its kind
_BESIDE_WORDS = TICKED | {ElementRole.FIELD}  # what is read there is a label beside, or data


class Feature(NamedTuple):
    """`sign`: +1 where more speaks for the place and never against it, -1 the other way, 0 where it depends.

    `of` is the kind of evidence it belongs to; `leads` where it is also measured beside the best of the others.
    """

    name: str
    sign: int
    of: str
    leads: bool = False


TEXT, PICTURE, AROUND, PLACE, KIND = "text", "picture", "around", "place", "kind"
TOGETHER, GIVEN = "together", "given"

# What cannot be told of a control by a part of it.
_OF_ALL_OF_IT = (
    "silent", "worded", "reads", "ink", "eye", "contrast", "faded", "contrast_share", "around_picture", "role", "kind",
    "high", "wide", "disabled", "is_element",
)  # fmt: skip

PLACES = (
    Feature("text", 1, TEXT, leads=True),
    Feature("whole", 1, TEXT),
    Feature("held", 1, TEXT),
    Feature("wording", 1, TEXT, leads=True),
    Feature("similar", 1, TEXT, leads=True),
    Feature("says_else", -1, TEXT),
    Feature("unknown_words", 0, TEXT),
    Feature("silent", -1, TEXT),
    Feature("worded", -1, TEXT),
    Feature("label_wording", 1, TEXT, leads=True),
    Feature("label_says_else", -1, TEXT),
    Feature("reads", 0, TEXT),
    Feature("grey", 1, PICTURE, leads=True),
    Feature("edges", 1, PICTURE, leads=True),
    Feature("ink", 1, PICTURE, leads=True),
    Feature("eye", 1, PICTURE, leads=True),
    Feature("contrast", 0, PICTURE),
    Feature("faded", -1, PICTURE),
    Feature("contrast_share", 1, PICTURE),
    Feature("ground_changed", -1, PICTURE),
    Feature("off", -1, PICTURE),
    Feature("share", 1, AROUND, leads=True),
    Feature("fair_share", 1, AROUND, leads=True),
    Feature("row_share", 1, AROUND, leads=True),
    Feature("absent", 0, AROUND),
    Feature("nearby", 1, AROUND),
    Feature("elsewhere", -1, AROUND),
    Feature("other_record", -1, AROUND),
    Feature("label", 1, AROUND, leads=True),
    Feature("shapes", 1, AROUND, leads=True),
    Feature("numbered", 1, AROUND, leads=True),
    Feature("sequence", 1, AROUND, leads=True),
    Feature("standing", 1, AROUND, leads=True),
    Feature("around_picture", 1, AROUND, leads=True),
    Feature("place", 1, PLACE, leads=True),
    Feature("far", -1, PLACE),
    Feature("column", -1, PLACE),
    Feature("line", -1, PLACE),
    Feature("role", 1, KIND),
    Feature("kind", 1, KIND),
    Feature("high", -1, KIND, leads=True),
    Feature("wide", 0, KIND),
    Feature("disabled", -1, KIND),
    Feature("is_element", 1, KIND),
)
# All signs of a place together, and how it stands among the others.
SUMS = (
    Feature("agreement", 1, TOGETHER, leads=True),
    Feature("identity", 1, TOGETHER, leads=True),
    Feature("weakest", 1, TOGETHER, leads=True),
    Feature("as_good", -1, TOGETHER),
    Feature("ahead_of_equals", 1, TOGETHER),
)
# What is the same for all places of one screen: it tells how much the others can say.
SCREEN = (
    "places", "sightings", "alike", "peers", "more_peers", "letters", "variable", "by_row", "own_text", "was_read",
    "window", "same_window", "other_language", "scale", "neighbours", "named", "shaped", "tells", "area",
    "is_field", "is_ticked", "is_icon", "is_item", "stretch",
)  # fmt: skip
OWN = (*PLACES, *SUMS)
ALL = (
    *OWN,
    *(Feature(f"{f.name}_ahead", 1, f.of) for f in OWN if f.leads),
    *(Feature(n, 0, GIVEN) for n in SCREEN),
)
NAMES = tuple(f.name for f in ALL)


def measured(proposed: Sequence[Proposal], signs: Sequence[Signs], context: Context) -> np.ndarray:
    """The features of every place: float32 of shape (places, len(NAMES)), NaN where not told."""
    taught = _picture(context)
    rows = [_of_place(p, s, taught, context) for p, s in zip(proposed, signs, strict=True)]
    for number, likeness in _seen_again(signs, context):
        rows[number]["eye"] = likeness
    for row, one in zip(rows, signs, strict=True):
        if one.in_sight is not None:
            row.update(dict.fromkeys(_OF_ALL_OF_IT, _NAN))
    table = np.array([[row.get(f.name, _NAN) for f in PLACES] for row in rows], np.float32).reshape(-1, len(PLACES))
    given = _of_screen(len(rows), context)
    return completed(table, np.array([given[name] for name in SCREEN], np.float32))


def completed(table: np.ndarray, given: np.ndarray) -> np.ndarray:
    """All features out of those of each place (places, len(PLACES)) and of the screen (len(SCREEN),)."""
    own = np.concatenate([table, _together(table)], axis=1)
    leads = np.stack([_ahead(own[:, i], f.sign) for i, f in enumerate(OWN) if f.leads], axis=1)
    return np.concatenate([own, leads, np.tile(given, (len(table), 1))], axis=1)


def _together(table: np.ndarray) -> np.ndarray:
    """`SUMS` of every place: its told signs together, and how many others are as good."""
    told = {f.name: table[:, i] for i, f in enumerate(PLACES)}
    text = np.fmax(np.fmax(told["text"], told["wording"]), told["label_wording"])
    look = np.fmax(np.fmax(_graded(told["grey"], *_GREY), 0.9 * _graded(told["edges"], *_EDGES)), told["ink"])
    look = np.fmax(look, 0.9 * _graded(told["eye"], *_EYE))
    signs = np.stack([text, look, told["standing"], told["shapes"], told["label"], told["place"], told["kind"]], axis=1)
    known = ~np.isnan(signs)
    weights = known * np.array(_WEIGHTS)
    agreement = _share(np.nansum(signs * _WEIGHTS, axis=1), weights.sum(axis=1))
    identity = _share(np.nansum(signs[:, :2], axis=1), known[:, :2].sum(axis=1))
    weakest = np.where(known[:, :3].any(axis=1), np.min(np.where(known[:, :3], signs[:, :3], np.inf), axis=1), np.nan)
    as_good = (agreement[None, :] >= agreement[:, None] - _AS_GOOD).sum(axis=1) - 1.0
    equals = (identity[None, :] >= identity[:, None] - _AS_GOOD) & known[:, 2]
    np.fill_diagonal(equals, val=False)
    best = np.where(equals, signs[:, 2], -np.inf).max(axis=1, initial=-np.inf)
    ahead = np.where(equals.any(axis=1), signs[:, 2] - best, 1.0)
    ahead[~known[:, 2] | np.isnan(identity)] = np.nan
    return np.stack([agreement, identity, weakest, as_good, ahead], axis=1).astype(np.float32)


def _graded(values: np.ndarray, nothing: float, perfect: float) -> np.ndarray:
    return np.asarray(np.clip((values - nothing) / (perfect - nothing), 0.0, 1.0))


def _share(sums: np.ndarray, weights: np.ndarray) -> np.ndarray:
    return np.asarray(np.where(weights > 0, sums / np.maximum(weights, 1e-6), np.nan))


def _ahead(values: np.ndarray, sign: int) -> np.ndarray:
    """How far each is ahead of the best other one; of one alone, its own value."""
    good = sign * values
    found = np.full(len(good), _NAN, np.float32)
    told = np.flatnonzero(~np.isnan(good))
    if len(told):
        order = told[np.argsort(-good[told], kind="stable")]
        best, second = good[order[0]], good[order[1]] if len(order) > 1 else 0.0
        found[told] = good[told] - best
        found[order[0]] = best - second
    return found


def _of_place(proposal: Proposal, signs: Signs, taught: TaughtPicture | None, context: Context) -> dict[str, float]:
    return {
        **_text(signs, context),
        **_look(signs, taught, context),
        **_around(signs, context),
        **_place(proposal.box, context),
        **_kind(signs, context),
    }


def _text(signs: Signs, context: Context) -> dict[str, float]:
    found = {"reads": float(bool(signs.read))} if context.text_was_read else {}
    if signs.label_wording is not None:
        found |= {
            "label_wording": signs.label_wording.score,
            "label_says_else": float(signs.label_wording.against and not signs.label_wording.unknown),
        }
    if signs.text is None or signs.wording is None:
        if context.text_was_read and context.target.role not in _BESIDE_WORDS:
            found["worded"] = math.log1p(len(words(signs.read).key))
        return found
    found |= {
        "text": signs.text if signs.whole else 0.9 * signs.text,
        "whole": float(signs.whole and signs.text >= SAME),
        "held": _NAN if signs.held is None else signs.held,
        "wording": max(signs.wording.score, signs.text if signs.whole else 0.0),
        "similar": max(similarity(context.wanted.text, signs.read), signs.text) if signs.read else 0.0,
        "says_else": float(signs.wording.against and not signs.wording.unknown and signs.text < SAME),
        "unknown_words": float(signs.wording.unknown),
        "silent": float(not signs.read),
    }
    return found


def _look(signs: Signs, taught: TaughtPicture | None, context: Context) -> dict[str, float]:
    """What the picture says; where the target's own text is another one in each run, its picture is too."""
    if context.is_variable:
        return {}
    found: dict[str, float] = {}
    if signs.look is not None:
        look = signs.look
        found |= {
            "grey": look.grey,
            "edges": look.edges,
            "contrast": math.log(min(_PLAIN, max(1 / _PLAIN, look.contrast))),
            "off": math.log1p(math.dist(look.box.center, signs.box.center)),
        }
    faded = signs.look is not None and signs.look.faded
    if taught is not None and context.target.role != ElementRole.FIELD:
        boxes = [signs.box] if signs.element is None else [signs.box, signs.element.box]
        looks = [taught.look(context.state.frame, box) for box in dict.fromkeys(boxes)]
        told = [look.likeness for look in looks if look.likeness is not None]
        found |= {"ink": max(told)} if told else {}
        faded = faded or any(look.faded for look in looks)
    faded = faded and not is_written_faintly(signs, context)
    share = contrast_share(signs, context)
    found |= {} if share is None else {"contrast_share": min(_CLEAREST, share)}
    changed = ground_change(signs.box, context) if context.target.role == ElementRole.FIELD else None
    return {**found, "faded": float(faded), **({} if changed is None else {"ground_changed": float(changed)})}


def _seen_again(signs: Sequence[Signs], context: Context) -> Iterator[tuple[int, float]]:
    """What the learned eye says of every place that may show the taught picture: the cosine of the two directions."""
    if not context.target.picture or context.template is None or context.is_variable:
        return
    crops = [context.pictures.load(context.target.picture)]
    crops += [context.state.frame.crop(s.element.box if s.element is not None else s.box) for s in signs]
    directions = the_eye().directions(crops)
    for number, likeness in enumerate(directions[1:] @ directions[0]):
        if not np.isnan(likeness):
            yield number, float(likeness)


def _around(signs: Signs, context: Context) -> dict[str, float]:
    around, found = signs.around, dict[str, float]()
    if around.asked:
        found |= {
            "share": around.share,
            "fair_share": around.fair_share,
            "absent": around.absent / around.asked,
            "nearby": around.nearby / around.asked,
            "elsewhere": float(bool(around.elsewhere)),
            "other_record": float(bool(around.other_record)),
        }
    if around.row_asked:
        found["row_share"] = around.row_seen / around.row_asked
    for name, value in (
        ("label", signs.label), ("shapes", signs.shapes), ("numbered", signs.numbered), ("standing", signs.standing),
        ("sequence", signs.in_sequence),
    ):  # fmt: skip
        if value is not None:
            found[name] = float(value)
    if signs.scale == 1.0 and not context.target.row and not context.is_variable:
        likeness = surroundings_likeness(signs.box, context)
        found |= {} if likeness is None else {"around_picture": likeness}
    return found


def _place(box: Box, context: Context) -> dict[str, float]:
    places = context.taught_places()
    if not places:
        return {}
    window = context.state.window.box if context.state.window else None
    width, height = (window.w, window.h) if window else context.state.frame.size
    centre = box.center
    shares = [
        max(abs(centre.x - p.center.x) / max(1, width), abs(centre.y - p.center.y) / max(1, height)) for p in places
    ]
    across = [min(abs(box.x - p.x), abs(centre.x - p.center.x), abs(box.right - p.right)) for p in places]
    column = {"column": math.log1p(min(across))}
    if context.follows_record:  # it stands where its record does
        return column
    return {
        **column,
        "place": max(0.0, 1.0 - min(shares) / _FAR),
        "far": math.log1p(min(math.dist(centre, p.center) for p in places)),
        "line": math.log1p(min(abs(centre.y - p.center.y) for p in places)),
    }


def _kind(signs: Signs, context: Context) -> dict[str, float]:
    role, element, taught = context.target.role, signs.element, context.taught
    box = element.box if element is not None else signs.box
    found = {"is_element": float(element is not None)}
    if context.state.elements:
        found["disabled"] = float(element is not None and ElementState.DISABLED in element.states)
        if role:
            found["role"] = role_likeness(role, element.role) if element is not None else 0.0
            found["kind"] = float(element is not None and same_kind(role, element.role))
    if taught.area and element is not None:
        found["high"] = min(abs(math.log(max(1, box.h) / (taught.h * s))) for s in {signs.scale, 1.0})
        if not context.is_variable:
            found["wide"] = math.log(max(1, box.w) / (taught.w * signs.scale))
    return found


def _of_screen(count: int, context: Context) -> dict[str, float]:
    target, want = context.target, context.wanted
    template = context.template
    own = context.has_own_text and context.text_was_read and not want.problem
    seen = context.sightings(want.text, exact=want.exact) if own else []
    wide, high = context.stretch
    alike = target.alike or len(context.peers)  # where nobody counted when it was taught
    return {
        "places": math.log(max(1, count)),
        "sightings": min(_MOST, sum(s.score >= SAME and s.whole and context.area.contains(s.box.center) for s in seen))
        if own
        else _NAN,
        "alike": min(_MOST, alike),
        "peers": min(_MOST, len(context.peers)),
        "more_peers": max(-4, min(4, len(context.peers) - alike)),
        "letters": min(16, len(words(want.text).key)) if context.has_own_text else _NAN,
        "variable": context.is_variable,
        "by_row": bool(target.row),
        "own_text": context.has_own_text,
        "was_read": context.text_was_read,
        "window": context.state.window is not None,
        "same_window": float(same_window(context)) if context.state.window else _NAN,
        "other_language": context.other_language,
        "scale": math.log(context.scales[0]),
        "neighbours": len(target.neighbours),
        "named": target.named_by is not None,
        "shaped": len(target.shapes),
        "tells": math.log1p(float(template.std())) if template is not None else _NAN,
        "area": math.log(max(1, context.taught.area)),
        "is_field": target.role == ElementRole.FIELD,
        "is_ticked": target.role in TICKED,
        "is_icon": target.role == ElementRole.ICON,
        "is_item": target.role in (ElementRole.MENU_ITEM, ElementRole.TAB),
        "stretch": max(abs(math.log(max(0.1, wide))), abs(math.log(max(0.1, high)))),
    }


def _picture(context: Context) -> TaughtPicture | None:
    """The target's picture, None where there is none that could be compared."""
    if not context.target.picture:
        return None
    try:
        picture = TaughtPicture(context.pictures.load(context.target.picture))
    except PictureError:
        return None
    return None if picture.problem else picture
