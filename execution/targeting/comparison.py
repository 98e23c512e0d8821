"""Every candidate compared with what was taught, slot by slot, and how far it is ahead of the next (S5.3).

What cannot be told on this screen, or was not taught, is NaN: not told, which is not nothing.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import cv2
import numpy as np
from rapidfuzz import fuzz

from execution.language.letters import alone
from execution.language.rewording import compare
from execution.language.screen_texts import wanted
from execution.perception.eye.looking import the_eye
from execution.perception.scene import Scene, Source
from execution.perception.scene.drawn import gradient
from execution.targeting.boxes import same_thing
from execution.targeting.candidates import By, Candidate, one_place, wanted_text
from execution.targeting.context import Context
from execution.targeting.kinds import kind_likeness
from execution.targeting.pointing import around_of
from execution.targeting.runs import Alike, core
from execution.targeting.search import correlate
from execution.targeting.sides import SIDES, label_likeness, labels, same_label, side_of
from execution.targeting.windows import same_window
from execution.types import Box, ElementRole, ElementState
from workflows.graph import NeighbourSpec

_NAN = float("nan")
_REACH = 4  # pixels around a place in which the taught picture is looked for
_SHRUNK = 4  # the surroundings are compared in so many times fewer pixels each way
_AROUND = 32  # pixels of the surroundings
_PLAUSIBLE = 0.9  # of a logarithm: what differs more in size is not looked at
_MOST_LOOKED_AT = 30
_MOST_WORDS = 8  # of a caption that may mean the same in other words
_LABELLED = frozenset({ElementRole.FIELD, ElementRole.CHECKBOX, ElementRole.RADIO})

_PROPOSED = (By.THING, By.WORDS, By.PICTURE, By.POINTED, By.PLACE)
_SEEN = (Source.ELEMENT, Source.FRAME, Source.INK, Source.TEXT)
TEXT, PICTURE, AROUND, PLACE, KIND, GIVEN = "text", "picture", "around", "place", "kind", "given"


class Feature(NamedTuple):
    """`sign`: +1 where more speaks for the place and never against it, -1 the other way, 0 where it depends.

    `of` is the kind of evidence it belongs to; `leads` where it is also measured beside the best other place.
    """

    name: str
    sign: int
    of: str
    leads: bool = False


OWN = (
    Feature("said", 1, TEXT, leads=True),
    Feature("similar", 1, TEXT, leads=True),
    Feature("holds", 1, TEXT),
    Feature("longer", 0, TEXT),
    Feature("means", 1, TEXT, leads=True),
    Feature("against", -1, TEXT),
    Feature("begins", 1, TEXT),
    Feature("unread", 0, TEXT),
    Feature("digits", 1, TEXT),
    Feature("worded", 0, TEXT),
    Feature("sure", 0, TEXT),
    Feature("look", 1, PICTURE, leads=True),
    Feature("edges", 1, PICTURE, leads=True),
    Feature("fitted", 1, PICTURE, leads=True),
    Feature("around_picture", 1, PICTURE, leads=True),
    Feature("eye", 1, PICTURE, leads=True),
    Feature("colour", 1, PICTURE),
    Feature("busy", 0, PICTURE),
    Feature("vote", 1, AROUND, leads=True),
    Feature("nearest_votes", 1, AROUND, leads=True),
    Feature("column_votes", 1, AROUND),
    Feature("line_votes", 1, AROUND),
    Feature("neighbours", 1, AROUND, leads=True),
    Feature("left", 1, AROUND, leads=True),
    Feature("above", 1, AROUND, leads=True),
    Feature("below", 1, AROUND, leads=True),
    Feature("right", 1, AROUND),
    Feature("label", 1, AROUND),
    Feature("row", 1, AROUND),
    Feature("number", 1, AROUND),
    Feature("same_rank", 1, AROUND),
    Feature("as_many", 1, AROUND),
    Feature("same_from_end", 1, AROUND),
    Feature("must", 1, AROUND),
    Feature("alone_must", 1, AROUND),
    Feature("must_places", 0, AROUND),
    Feature("far", -1, PLACE, leads=True),
    Feature("far_across", -1, PLACE),
    Feature("far_down", -1, PLACE),
    Feature("same_kind", 1, KIND),
    Feature("like_kind", 1, KIND),
    Feature("shaped", 1, KIND),
    Feature("wide", -1, KIND),
    Feature("high", -1, KIND),
    Feature("captioned", 0, KIND),
    Feature("disabled", -1, KIND),
    *(Feature(f"by_{by}", 0, KIND) for by in _PROPOSED),
    *(Feature(f"from_{source}", 0, KIND) for source in _SEEN),
)
# What is the same for all places of one screen: it tells how much the others can say.
SCREEN = (
    "own_text", "variable", "letters", "readings", "best_reading", "votes", "texts", "near_texts", "asked_texts",
    "things", "alike", "more_alike", "shaped_alike", "by_row", "by_number", "musts", "named", "demonstrations",
    "window", "same_window", "other_language", "scale", "area", "tells", "was_read", "is_text", "is_field", "is_icon",
)  # fmt: skip
FEATURES = (
    *OWN,
    *(Feature(f"{f.name}_ahead", 1, f.of) for f in OWN if f.leads),
    *(Feature(name, 0, GIVEN) for name in SCREEN),
)
NAMES = tuple(f.name for f in FEATURES)


@dataclass(frozen=True, slots=True, eq=False)
class Compared:
    """The candidates that nothing a person said rules out, their features (candidates, len(NAMES)), and which of them
    are one place (candidates, candidates)."""

    candidates: tuple[Candidate, ...]
    features: np.ndarray
    one_place: np.ndarray


def compared(found: Sequence[Candidate], votes: np.ndarray, context: Context) -> Compared:
    """The candidates, slot by slot. What a person said must hold leaves out where it is seen not to."""
    table = _Table(found, votes, context)
    told = table.told()
    must = told["must"]
    keep = ~(must == 0) if np.isfinite(must).any() else np.ones(len(found), bool)
    kept = [one for one, is_kept in zip(found, keep.tolist(), strict=True) if is_kept]
    told = {name: values[keep] for name, values in told.items()}
    like = (told["like_kind"] >= _LIKE) & (told["wide"] < _AS_LARGE) & (told["high"] < _AS_LARGE)
    same = one_place(kept, like)
    told |= _alone(told["must"], like, same)
    own = np.stack([np.asarray(told[f.name], np.float32) for f in OWN], axis=1)
    leads = [_ahead(told[f.name], f.sign, same) for f in OWN if f.leads]
    given = table.given(told)
    row = np.array([given[name] for name in SCREEN], np.float32)
    features = np.concatenate([own, np.stack(leads, axis=1), np.tile(row, (len(kept), 1))], axis=1)
    return Compared(tuple(kept), features.astype(np.float32), same)


_LIKE, _AS_LARGE = 0.5, 0.95  # of the kind, and of a logarithm: what a click within is meant for


def _ahead(values: np.ndarray, sign: int, same: np.ndarray) -> np.ndarray:
    """How far each is ahead of the best that is another place."""
    if not len(values):
        return values
    nothing = -1.0 if sign > 0 else -1e3
    good = np.where(np.isnan(values), nothing, sign * values)
    others = np.where(same, -np.inf, good[None, :]).max(axis=1)
    return np.where(np.isnan(values), _NAN, good - np.where(np.isinf(others), good.min(), others))


def _alone(must: np.ndarray, like: np.ndarray, same: np.ndarray) -> dict[str, np.ndarray]:
    """At how many places all that must hold does, and whether it is this one alone."""
    if not np.isfinite(must).any():
        nothing = np.full(len(must), _NAN)
        return {"alone_must": nothing, "must_places": nothing}
    left, places = set(np.flatnonzero((must == 1) & (like | ~like.any())).tolist()), 0
    while left:
        at, places = left.pop(), places + 1
        left -= set(np.flatnonzero(same[at]).tolist())
    return {"alone_must": ((must == 1) & (places == 1)).astype(float), "must_places": np.full(len(must), float(places))}


class _Table:
    """The slots of all candidates, each as an array (candidates,)."""

    def __init__(self, found: Sequence[Candidate], votes: np.ndarray, context: Context) -> None:
        self.found, self.votes, self.context = found, votes, context
        self.scene, self.target, self.scale = context.scene, context.target, context.scales[0]
        self.nan = np.full(len(found), _NAN)
        self.boxes = np.array([one.box for one in found], float).reshape(-1, 4)
        self.points = np.array([one.point for one in found], float).reshape(-1, 2)
        self.size = np.array(context.taught[2:], float) * self.scale
        self.text = wanted_text(context) if context.text_was_read else ""
        texts = [one.thing.text for one in found]
        self.keys = [alone(text if context.is_variable else core(text)) for text in texts]
        self.near = around_of(context)

    def told(self) -> dict[str, np.ndarray]:
        told = {**self._caption(), **self._kind(), **self._place(), **self._surroundings(), **self._rank()}
        told |= self._look(told)
        return told | self._musts(told)

    def each(self, value: Callable[[Candidate], float]) -> np.ndarray:
        return np.array([value(one) for one in self.found], float)

    # --- caption ---
    def _caption(self) -> dict[str, np.ndarray]:
        read = {"sure": self.each(lambda one: one.thing.sure)}
        names = ("said", "similar", "holds", "longer", "means", "against", "begins", "unread", "digits", "worded")
        if not self.text:
            read |= dict.fromkeys(names, self.nan)
            if self.context.text_was_read:
                read["worded"] = np.array([float(len(key) > 1) for key in self.keys])
            return read
        want, numbers = alone(self.text), _numbers(self.text)
        said = self.each(lambda one: float(one.said))
        others = [_numbers(one.thing.text) for one in self.found]
        similar = np.array([fuzz.ratio(want, key) / 100 for key in self.keys])
        unequal = np.array([bool(key) and other != numbers for key, other in zip(self.keys, others, strict=True)], bool)
        similar[unequal & (said < Alike.CONFUSED)] = np.minimum(similar[unequal & (said < Alike.CONFUSED)], 0.5)
        return read | {
            "said": said,
            "similar": similar,
            "holds": np.array([fuzz.partial_ratio(want, key) / 100 if key else 0.0 for key in self.keys]),
            "longer": np.array([math.log((len(key) + 1) / (len(want) + 1)) for key in self.keys]),
            **self._wording(said),
            "begins": np.array([float(_is_cut(key, want)) for key in self.keys]),
            "unread": np.array([float(not key) for key in self.keys]),
            "digits": np.array([_agree(numbers, o, bool(k)) for o, k in zip(others, self.keys, strict=True)]),
            "worded": self.nan,
        }

    def _wording(self, said: np.ndarray) -> dict[str, np.ndarray]:
        """What other words may mean the same, and which say something else."""
        means, against = np.where(said > 0, 1.0, 0.0), np.zeros(len(said))
        for number, one in enumerate(self.found):
            if not said[number] and self.keys[number] and one.thing.is_one_line and len(one.thing.words) <= _MOST_WORDS:
                wording = compare(self.context.wanted, one.thing.text)
                means[number], against[number] = wording.score, float(wording.against and not wording.unknown)
        return {"means": means, "against": against}

    # --- kind ---
    def _kind(self) -> dict[str, np.ndarray]:
        role, (width, height) = self.target.role, self.size.tolist()
        has_size = width > 0
        return {
            "same_kind": self.each(lambda one: float(one.thing.kind == role)),
            "like_kind": self.each(lambda one: kind_likeness(one.thing.kind, role)),
            "shaped": self.each(lambda one: float(has_size and one.thing.is_shaped(width, height, role))),
            "wide": _apart_in_log(self.boxes[:, 2], width) if has_size else self.nan,
            "high": _apart_in_log(self.boxes[:, 3], height) if has_size else self.nan,
            "captioned": self.each(lambda one: float(one.thing.picture is not None)),
            "disabled": self.each(lambda one: float(ElementState.DISABLED in one.thing.states)),
            **{f"by_{by}": np.array([float(by in one.by) for one in self.found]) for by in _PROPOSED},
            **{f"from_{s}": np.array([float(one.thing.source is s) for one in self.found]) for s in _SEEN},
        }

    # --- place ---
    def _place(self) -> dict[str, np.ndarray]:
        click = np.array(self.target.click)
        places = [np.array(p[:2]) + click * np.array(p[2:]) for p in self.context.taught_places()]
        if not places:
            return dict.fromkeys(("far", "far_across", "far_down"), self.nan)
        apart = np.abs(self.points[None] - np.array(places)[:, None])
        nearest = apart[np.hypot(apart[:, :, 0], apart[:, :, 1]).argmin(axis=0), np.arange(len(self.found))]
        across, down = nearest.T
        if self.context.follows_record:  # it stands where its record does
            return {"far": self.nan, "far_across": np.log1p(across), "far_down": self.nan}
        return {"far": np.log1p(np.hypot(across, down)), "far_across": np.log1p(across), "far_down": np.log1p(down)}

    # --- surroundings ---
    @property
    def _middles(self) -> np.ndarray:
        """The middle of the taught thing, if each candidate is it."""
        return np.asarray(self.points - (np.array(self.target.click) - 0.5) * self.size)

    def _surroundings(self) -> dict[str, np.ndarray]:
        lines = np.array([line.box for line in self.scene.lines], float).reshape(-1, 4)
        keys = [line.key for line in self.scene.lines]
        told = {**self._votes(), "neighbours": self._neighbours(lines, keys)}
        now = labels(self.boxes, [one.thing.caption for one in self.found], lines, keys)
        taught = self._taught_labels()
        for side, name in enumerate(SIDES):
            told[name] = np.array([same_label(taught[side], now[side][n], side) for n in range(len(self.found))])
        label, told["label"] = self.target.named_by, self.nan
        if label is not None and not self.text:
            side = side_of(label, self.size)
            told["label"] = np.array(
                [label_likeness(label, now[side][n], self.keys[n]) for n in range(len(self.found))]
            )
        return told

    def _votes(self) -> dict[str, np.ndarray]:
        if not len(self.votes):
            return dict.fromkeys(("vote", "nearest_votes", "column_votes", "line_votes"), self.nan)
        apart = self.votes[None, :, :2] - self._middles[:, None]
        agree, weight = np.exp(-(apart**2).sum(axis=2) / 300), self.votes[:, 2] / self.votes[:, 2].sum()
        return {
            "vote": agree @ weight,
            "nearest_votes": agree[:, :3].max(axis=1),
            "column_votes": np.exp(-((apart[:, :, 0] / 10) ** 2)) @ weight,
            "line_votes": np.exp(-((apart[:, :, 1] / 6) ** 2)) @ weight,
        }

    def _neighbours(self, lines: np.ndarray, keys: Sequence[str]) -> np.ndarray:
        """How many of the nearest taught texts stand where they stood; another one in its place counts a little."""
        near = self.near[:8]
        if not near or not len(lines) or self.target.row:
            return self.nan
        middles, found, asked = lines[:, :2] + lines[:, 2:] / 2, np.zeros(len(self.found)), 0.0
        for one in near:
            weight = 1 / (1 + math.hypot(one.dx, one.dy) / 80)
            texts = {alone(wanted(text, self.context.variables).text) for text in one.texts}
            off = np.abs(middles[None] - self._middles[:, None] - self.scale * np.array((one.dx, one.dy)))
            there = (off[:, :, 1] < 14) & (off[:, :, 0] < 22)
            same = there & np.array([key in texts for key in keys], bool)
            asked += weight
            found += weight * np.where(same.any(axis=1), 1.0, np.where(there.any(axis=1), 0.3, 0.0))
        return found / asked

    def _taught_labels(self) -> tuple[str, ...]:
        if not self.near or not self.size.all():
            return ("", "", "", "")
        width, height = self.context.taught[2:]
        boxes = [(n.dx - n.w / 2 + width / 2, n.dy - n.h / 2 + height / 2, n.w, n.h) for n in map(_sized, self.near)]
        keys = [alone(wanted(n.text, self.context.variables).text) for n in self.near]
        found = labels(np.array([(0, 0, width, height)], float), [None], np.array(boxes, float), keys)
        return tuple(side[0] for side in found)

    def _rank(self) -> dict[str, np.ndarray]:
        """Which of the things of its shape each is, from either end."""
        (at, count), names = self.target.rank, ("same_rank", "as_many", "same_from_end")
        if not count or not self.size.all():
            return dict.fromkeys(names, self.nan)
        width, height = self.size.tolist()
        group = self.scene.shaped(width, height, self.target.role)
        number = {id(thing): n for n, thing in enumerate(group)}
        mine = np.array([number.get(id(one.thing), -1) for one in self.found])
        return {
            "same_rank": (mine == at).astype(float),
            "as_many": ((mine >= 0) & (len(group) == count)).astype(float),
            "same_from_end": ((mine >= 0) & (len(group) - mine == count - at)).astype(float),
        }

    # --- look ---
    def _look(self, told: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        names = ("look", "edges", "fitted", "around_picture", "eye", "colour", "busy")
        found = {name: self.nan.copy() for name in names}
        whole = None if self.context.is_variable else self.context.template
        if whole is None or min(whole.shape) < 4:
            return found
        if self.scale != 1.0:
            whole = np.asarray(cv2.resize(whole, None, fx=self.scale, fy=self.scale, interpolation=cv2.INTER_AREA))
        picture = self.context.pictures.load(self.target.picture)
        template = self.context.template_at(self.scale)
        left, top = (template.left, template.top) if template is not None else (0, 0)
        part = template.part if template is not None else whole
        grey = np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY))
        spread = float(picture.std())
        taught = _Taught(grey, _ground(picture), spread, part, gradient(whole), left, top, self.target.click)
        chosen = self._plausible(told)
        for number in chosen:
            one = self.found[number]
            for name, value in taught.compare(one, self.scene):
                found[name][number] = value
        crops = [np.ascontiguousarray(self.scene.frame.crop(self.found[n].box)) for n in chosen]
        directions = the_eye().directions([np.ascontiguousarray(picture), *crops])
        found["eye"][chosen] = directions[1:] @ directions[0]
        found["around_picture"] = self._around_picture()
        covered = [n for n, one in enumerate(self.found) if one.in_sight is not None]
        for name in ("fitted", "around_picture", "eye", "colour", "busy"):
            found[name][covered] = _NAN
        return found

    def _plausible(self, told: dict[str, np.ndarray]) -> list[int]:
        """The candidates that are looked at closely: those that read so or that a place proposed, and of about its
        size."""
        apart = np.maximum(told["wide"], told["high"])
        meant = (np.nan_to_num(told["said"]) > 0) | np.array([not one.by <= {By.THING} for one in self.found], bool)
        order = np.lexsort((apart, ~meant))
        return [int(n) for n in order if meant[n] or apart[n] < _PLAUSIBLE][:_MOST_LOOKED_AT]

    def _around_picture(self) -> np.ndarray:
        around = self.context.around
        if around is None or self.scale != 1.0 or self.target.row:
            return self.nan
        picture, outer, own = gradient(around[0]), around[1], self.context.taught
        left, top = max(0, own.x - outer.x - _AROUND), max(0, own.y - outer.y - _AROUND)
        right, bottom = own.right - outer.x + _AROUND, own.bottom - outer.y + _AROUND
        part, screen = _shrunk(picture[top:bottom, left:right]), self.scene.shrunk_edges
        if min(part.shape) < 3 or part.std() < 1 or part.shape[0] > screen.shape[0] or part.shape[1] > screen.shape[1]:
            return self.nan
        likeness = correlate(screen, part)
        offset = np.array((own.x - outer.x - left, own.y - outer.y - top)) + np.array(self.target.click) * self.size
        corners = np.round((self.points - offset) / _SHRUNK).astype(int)
        near = np.asarray(cv2.dilate(likeness, np.ones((3, 3), np.uint8)))
        x, y = (np.clip(corners[:, i], 0, near.shape[1 - i] - 1) for i in (0, 1))
        inside = (np.abs(corners - np.stack([x, y], axis=1)) <= 1).all(axis=1)
        return np.where(inside, near[y, x], 0.0)

    # --- what a person said ---
    def _musts(self, told: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Each condition: 1 where it is seen to hold, 0.5 where nobody can see it, 0 where it is seen not to."""
        musts, context, target = list[np.ndarray](), self.context, self.target
        row, number = self.nan, self.nan
        if context.is_variable and self.text:
            best = told["said"].max(initial=0)
            said = (told["said"] == best).astype(float)
            likely = (told["similar"] > 0.8) | (told["begins"] > 0)
            musts.append(said if best >= Alike.CONFUSED else np.where(likely, 0.5, 0.0))
        if target.row:
            wanted_row = context.wanted_row
            row = self.each(lambda one: float(not wanted_row.problem and wanted_row.holds(one.box, context.peers)))
            musts.append(row)
        if target.number_wanted:
            place = context.wanted_number.place
            number = self.each(lambda one: float(place is not None and same_thing(one.box, place)))
            musts.append(number)
        if target.role in _LABELLED and np.isfinite(told["label"]).any():
            musts.append(told["label"])
        must = np.min(musts, axis=0) if musts else self.nan
        return {"row": row, "number": number, "must": must}

    def given(self, told: dict[str, np.ndarray]) -> dict[str, float]:
        """What is the same for all candidates."""
        context, target, scene = self.context, self.target, self.scene
        asked = [alone(wanted(n.text, context.variables).text) for n in self.near]
        there = [float(scene.counts[key] > 0) for key in asked]
        said = told["said"]
        reads = float((said >= Alike.LETTERS).sum()) if self.text else _NAN
        role = target.role
        return {
            "own_text": float(bool(self.text)),
            "variable": float(context.is_variable),
            "letters": float(min(24, len(alone(self.text)))),
            "readings": reads,
            "best_reading": float(said.max(initial=0)) if self.text else _NAN,
            "votes": float(len(self.votes)),
            "texts": float(np.mean(there)) if there else _NAN,
            "near_texts": float(np.mean(there[:5])) if there else _NAN,
            "asked_texts": float(len(asked)),
            "things": math.log1p(len(scene.things)),
            "alike": float(min(12, target.alike)),
            "more_alike": float(np.clip(reads - target.alike, -4, 4)) if self.text and target.alike else _NAN,
            "shaped_alike": float(min(12, told["shaped"].sum())),
            "by_row": float(bool(target.row)),
            "by_number": float(bool(target.number_wanted)),
            "musts": float(np.isfinite(told["must"]).any()),
            "named": float(target.named_by is not None),
            "demonstrations": float(min(4, target.demonstrations)),
            "window": float(context.state.window is not None),
            "same_window": float(same_window(context)) if context.state.window else _NAN,
            "other_language": float(context.other_language),
            "scale": math.log(self.scale),
            "area": math.log1p(float(context.taught.area)),
            "tells": math.log1p(float(context.template.std())) if context.template is not None else _NAN,
            "was_read": float(context.text_was_read),
            "is_text": float(role in ("", ElementRole.TEXT, ElementRole.LINK)),
            "is_field": float(role == ElementRole.FIELD),
            "is_icon": float(role == ElementRole.ICON),
        }


@dataclass(frozen=True, slots=True, eq=False)
class _Taught:
    """The taught picture: in grey, the colour of its ground (BGR) and its contrast, the grey part that is compared with
    its place in it, the edges of all of it."""

    whole: np.ndarray
    ground: np.ndarray
    spread: float
    part: np.ndarray
    steep: np.ndarray
    left: int
    top: int
    click: tuple[float, float]

    def compare(self, one: Candidate, scene: Scene) -> Iterator[tuple[str, float]]:
        crop = np.ascontiguousarray(scene.frame.crop(one.box))
        height, width = self.part.shape
        steep = self.steep[self.top : self.top + height, self.left : self.left + width]
        looks, edges = [], []
        for x, y in self._corners(one):
            x, y = x + self.left, y + self.top
            here = Box(x - _REACH, y - _REACH, width + 2 * _REACH, height + 2 * _REACH)
            here = here.intersection(Box(0, 0, *scene.size))
            if here.w < width or here.h < height:
                continue
            rows, columns = slice(here.y, here.bottom), slice(here.x, here.right)
            looks.append(float(correlate(scene.grey[rows, columns], self.part).max()))
            edges.append(float(correlate(scene.edges[rows, columns], steep).max()))
        if looks:
            yield "look", max(looks)
            yield "edges", max(edges)
        if min(crop.shape[:2]) < 4:
            return
        shape = (self.whole.shape[1], self.whole.shape[0])
        fitted = cv2.resize(cv2.cvtColor(crop, cv2.COLOR_BGR2GRAY), shape, interpolation=cv2.INTER_AREA)
        yield "fitted", float(correlate(fitted, self.whole)[0, 0])
        yield "colour", -float(np.abs(_ground(crop) - self.ground).max())
        yield "busy", math.log((float(crop.std()) + 4) / (self.spread + 4))

    def _corners(self, one: Candidate) -> set[tuple[int, int]]:
        """Where the taught picture may begin: around the same middle, from the same left edge, or around its click."""
        box, (height, width) = one.box, self.steep.shape
        if not one.by & {By.THING, By.WORDS}:
            return {(round(one.point.x - self.click[0] * width), round(one.point.y - self.click[1] * height))}
        top = round(box.y + box.h / 2 - height / 2)
        return {(round(box.x + box.w / 2 - width / 2), top), (box.x, top)}


def _sized(neighbour: NeighbourSpec) -> NeighbourSpec:
    """With a size, for those that were taught before one was kept."""
    if neighbour.w:
        return neighbour
    return NeighbourSpec(text=neighbour.text, dx=neighbour.dx, dy=neighbour.dy, w=7 * len(neighbour.text), h=16)


def _apart_in_log(sizes: np.ndarray, taught: float) -> np.ndarray:
    return np.asarray(np.abs(np.log((sizes + 4) / (taught + 4))))


def _numbers(text: str) -> list[str]:
    return re.findall(r"\d+", text)


def _agree(want: list[str], read: list[str], is_read: bool) -> float:
    return float(want == read) if is_read and (want or read) else _NAN


def _is_cut(read: str, want: str) -> bool:
    """Whether something read is most of a text, which goes on where nothing was read."""
    return len(read) >= 4 and len(read) > 0.6 * len(want) and want != read and want.startswith(read)


def _ground(picture: np.ndarray) -> np.ndarray:
    return np.asarray(np.median(picture[::2, ::2].reshape(-1, 3), axis=0))


def _shrunk(picture: np.ndarray) -> np.ndarray:
    if min(picture.shape) < _SHRUNK:
        return np.zeros((0, 0), np.uint8)
    return np.asarray(cv2.resize(picture, None, fx=1 / _SHRUNK, fy=1 / _SHRUNK, interpolation=cv2.INTER_AREA))
