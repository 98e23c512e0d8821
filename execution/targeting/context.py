"""What the rungs of one resolution share: the screen made ready for searching, and the taught evidence at its scale."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import cv2
import numpy as np

from execution.language import fuzzy
from execution.language.lexicon import is_known, mean_the_same
from execution.language.screen_texts import ScreenWords, Sighting, Wanted, wanted
from execution.language.shortcuts import without_shortcut
from execution.perception.pictures import PictureSource
from execution.perception.scene import Scene, scene_of
from execution.perception.scene.cells import in_cells
from execution.targeting.kinds import same_kind
from execution.targeting.numbers import BY_TEXT, WantedNumber, known_as, wanted_number
from execution.targeting.peers import peers_of
from execution.targeting.places import PlaceStore
from execution.targeting.rows import WantedRow, wanted_row
from execution.targeting.scale import scales_of
from execution.targeting.search import Template, is_plain, made_ready, usable
from execution.targeting.signs import Signs
from execution.types import Box, Element, ElementRole, Frame, ScreenState, Size, TextLine
from sentences.said import say
from workflows.exceptions import PictureError
from workflows.graph import NeighbourSpec, TargetSpec
from workflows.places import has_size
from workflows.text import names

CACHE = "coords_cache"
ANCHOR = "anchor_template"
TEXT = "ocr_text"
MARKS = "som_text_match"
VLM = "som_vlm"

# Which element is like which taught shape: shape (shapes, elements); by axis the least and the most of their offsets.
Rooms = tuple[np.ndarray, list[tuple[np.ndarray, np.ndarray]]]

_MOST_SIGHTINGS = 400
_FEW_TRANSLATED = 2  # labels: one alone may be a button renamed
_LEAST_ON_ICON = 3  # letters: fewer are rather the drawing
_FEW_LINES, _FEW_TEXTS, _MOST_WORDS = 4, 3, 2
_SAME_IN_BOTH = 0.4  # of the texts: names, and words that two languages share


@dataclass(kw_only=True)
class Context:
    """One resolution.

    `places` remembers where targets of `workflow_id` were, None where nobody remembers. `as_list`: the target may be a
    whole list; `goes_on`: it is the next line of a list that was begun; `for_each`: it is done
    for each line of one. What is the same for all places, or was seen at
    one already, is kept as long as the resolution lasts: `examined` (`examination`), `contrasts` (`contrast`) and
    `shape_rooms` (`shapes`).
    """

    target: TargetSpec
    state: ScreenState
    variables: Mapping[str, str]
    pictures: PictureSource
    words: ScreenWords
    workflow_id: str = ""
    places: PlaceStore | None = None
    as_list: bool = False
    goes_on: bool = False
    for_each: bool = False
    examined: dict[Box, Signs] = field(default_factory=dict)
    contrasts: dict[Box, float] = field(default_factory=dict)
    shape_rooms: dict[float, Rooms] = field(default_factory=dict)

    @cached_property
    def scene(self) -> Scene:
        """The things of this screen."""
        return scene_of(self.state)

    @property
    def grey(self) -> np.ndarray:
        return self.scene.grey

    @cached_property
    def wanted(self) -> Wanted:
        """The target's text in this run; of a menu's entry its words alone where it is not read with its keys."""
        whole = wanted(self.target.text, self.variables)
        if self.target.role != ElementRole.MENU_ITEM or not (entry := without_shortcut(self.target.text)):
            return whole
        with_keys = any(s.whole and s.score >= fuzzy.SAME for s in self.sightings(whole.text))
        return whole if with_keys else wanted(entry, self.variables)

    @property
    def text_was_read(self) -> bool:
        return bool(self.state.text_method)

    @property
    def has_own_text(self) -> bool:
        """True for a target that is known by what it reads.

        What stood in a field is not evidence, a variable is; nor is what only one of a list said, of which a run wants
        another one, nor an icon that was read as a letter.
        """
        if self.target.number_wanted and known_as(self.target) != BY_TEXT:
            return self.is_variable
        if self.is_variable:
            return True
        if self.target.role == ElementRole.FIELD:
            return False
        least = _LEAST_ON_ICON if self.target.role == ElementRole.ICON else 1
        return len(fuzzy.words(self.target.text).key) >= least

    @property
    def is_variable(self) -> bool:
        """True for a target whose own text is another one in each run."""
        return bool(names(self.target.text))

    @cached_property
    def follows_record(self) -> bool:
        """True for one of several alike, beside what names the record of this run, wherever that is in its list."""
        target = self.target
        return bool(target.row) or (target.alike > 1 and any(names(neighbour.text) for neighbour in target.neighbours))

    @cached_property
    def other_language(self) -> bool:
        """True where hardly any of the taught texts is on the screen, and others are: it speaks another language."""
        target = self.target
        if not self.text_was_read or len(self.words.lines) < _FEW_LINES:
            return False
        every = [n for n in (target.named_by, *target.neighbours) if n is not None]
        asked = [n for n in every if len(n.text.split()) <= _MOST_WORDS]  # what is longer is rather what a person wrote
        seen = sum(1 for n in asked if self.neighbour_places(n))
        if len(asked) >= _FEW_TEXTS and seen <= _SAME_IN_BOTH * len(asked):
            return True
        return self._is_translated([n.text for n in asked] + [self.wanted.text])

    def _is_translated(self, texts: Sequence[str]) -> bool:
        """True where known labels are gone and what they mean is read in another language, more than stayed."""
        known = [text for text in dict.fromkeys(texts) if text and is_known(text)]
        gone = [text for text in known if not self.sightings(text)]
        now = [line.text for line in self.words.lines]
        translated = sum(any(mean_the_same(text, other) for other in now) for text in gone)
        return translated >= _FEW_TRANSLATED and translated > len(known) - len(gone)

    @cached_property
    def taught(self) -> Box:
        """The target's box on the screen it was taught on."""
        return taught_box(self.target, self.state.frame)

    @cached_property
    def template(self) -> np.ndarray | None:
        """The taught picture, grey; None where there is none that can be loaded, see `template_problem`."""
        return self._loaded[0]

    @property
    def template_problem(self) -> str:
        """Why there is no template; "" if there is one."""
        return self._loaded[1]

    def template_at(self, scale: float) -> Template | None:
        """The taught picture at `scale`, made ready; None where it cannot be searched for."""
        if scale not in self._templates:
            self._templates[scale] = self._scaled(scale)
        return self._templates[scale]

    @cached_property
    def _templates(self) -> dict[float, Template | None]:
        return {}

    def _scaled(self, scale: float) -> Template | None:
        template = self.template
        if template is None or scale == 1.0 or usable(template):
            return made_ready(template) if template is not None else None
        how = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
        return made_ready(np.asarray(cv2.resize(template, None, fx=scale, fy=scale, interpolation=how)))

    @cached_property
    def picture_problem(self) -> str:
        """Why the taught picture tells nothing: there is none, it cannot be loaded, or it shows too little."""
        return self.template_problem or (usable(self.template) if self.template is not None else "")

    @cached_property
    def is_bare(self) -> bool:
        """True for a place where nothing was: no text, no kind of control, no label, a picture of the ground.

        What stood around it tells where it was, not what is there now: a list, a picture, another program's page.
        """
        target = self.target
        told = target.text or target.role or target.named_by or target.row or target.number_wanted
        return not told and bool(target.box) and self.template is not None and is_plain(self.template)

    @cached_property
    def _loaded(self) -> tuple[np.ndarray | None, str]:
        if not self.target.picture:
            return None, say("targeting.no_picture")
        try:
            return np.asarray(cv2.cvtColor(self.pictures.load(self.target.picture), cv2.COLOR_BGR2GRAY)), ""
        except PictureError as error:
            return None, say("targeting.picture_unusable", error=error)

    @cached_property
    def around(self) -> tuple[np.ndarray, Box] | None:
        """The taught picture with its surroundings, grey, and its box on the taught screen; None without one."""
        target = self.target
        if not (target.context and target.context_box and target.box):
            return None
        try:
            picture = cv2.cvtColor(self.pictures.load(target.context), cv2.COLOR_BGR2GRAY)
        except PictureError:
            return None
        size = Size(*target.screen_size) if all(target.screen_size) else self.state.frame.size
        return np.asarray(picture), Box.from_normalised(target.context_box, size)

    @cached_property
    def surroundings(self) -> Template | None:
        """The picture of `around`, made ready; None where it cannot be searched for."""
        return made_ready(self.around[0]) if self.around is not None else None

    def sightings(self, text: str, *, exact: bool = False) -> list[Sighting]:
        """Where `text` is read, alone, within a line or over several; looked for once."""
        key = (text, exact)
        if key not in self._sightings:
            self._sightings[key] = self.words.sightings(text, strict=exact)[:_MOST_SIGHTINGS]
        return self._sightings[key]

    @cached_property
    def _sightings(self) -> dict[tuple[str, bool], list[Sighting]]:
        return {}

    def neighbour_boxes(self, neighbour: NeighbourSpec) -> np.ndarray:
        """The middles of everything on the screen that reads like a taught neighbour: shape (count, 2)."""
        return np.array([(x, y) for x, y, _ in self.neighbour_places(neighbour)], float).reshape(-1, 2)

    def neighbour_places(self, neighbour: NeighbourSpec) -> tuple[tuple[int, int, int], ...]:
        """The same as numbers, for it is mostly one: x and y of the middle, and how wide it is; looked for once."""
        key = neighbour.texts
        if key not in self._neighbours:
            wants = [want for text in key if not (want := wanted(text, self.variables)).problem]
            found = [s.box for want in wants for s in self.sightings(want.text, exact=want.exact)]
            self._neighbours[key] = tuple((*box.center, box.w) for box in found)
        return self._neighbours[key]

    @cached_property
    def _neighbours(self) -> dict[tuple[str, ...], tuple[tuple[int, int, int], ...]]:
        return {}

    @cached_property
    def scales(self) -> tuple[float, ...]:
        """How much larger everything is drawn than when it was taught, the likeliest first; 1 is always among them."""
        return scales_of(self)

    @cached_property
    def controls(self) -> tuple[Element, ...]:
        """The elements that can be acted on, within the area that is searched."""
        passive = (ElementRole.GROUP, ElementRole.TEXT)
        return tuple(e for e in self.state.elements if e.role not in passive and self.area.contains(e.box.center))

    @cached_property
    def control_boxes(self) -> np.ndarray:
        """The boxes of `controls`: shape (count, 4), in pixels."""
        return np.array([e.box for e in self.controls], int).reshape(-1, 4)

    @cached_property
    def peers(self) -> tuple[Box, ...]:
        """What on the screen could be taken for the target, itself among them."""
        return peers_of(self)

    @cached_property
    def wanted_row(self) -> WantedRow:
        """Where the texts of the row are that the target must be in."""
        return wanted_row(self)

    @cached_property
    def wanted_number(self) -> WantedNumber:
        """Which of its group this run wants, and where that one is."""
        return wanted_number(self)

    @cached_property
    def line_boxes(self) -> np.ndarray:
        """The boxes of all lines that were read: shape (count, 4), in pixels."""
        return np.array([line.box for line in self.words.lines], int).reshape(-1, 4)

    def texts_in(self, box: Box) -> list[TextLine]:
        """Everything read whose middle lies in the box; of a value that a run has, cell by cell where it is a table."""
        x, y, w, h = self._text_boxes.T
        across, down = x + w // 2 - box.x, y + h // 2 - box.y
        inside = (across >= 0) & (across < box.w) & (down >= 0) & (down < box.h)
        return [self._read[i] for i in np.flatnonzero(inside).tolist()]

    @cached_property
    def _text_boxes(self) -> np.ndarray:
        return np.array([line.box for line in self._read], int).reshape(-1, 4)

    @cached_property
    def _read(self) -> tuple[TextLine, ...]:
        return in_cells(self.state).texts if self.is_variable else self.state.texts

    @cached_property
    def element_table(self) -> np.ndarray:
        """Middle and size of every element: shape (count, 4), in pixels."""
        return np.array([(*e.box.center, e.box.w, e.box.h) for e in self.state.elements], float).reshape(-1, 4)

    @cached_property
    def shape_table(self) -> np.ndarray:
        """Where every taught shape stood from the target, and how high it was: shape (count, 3), in pixels."""
        return np.array([(s.dx, s.dy, s.h) for s in self.target.shapes], float).reshape(-1, 3)

    @cached_property
    def shape_kinds(self) -> np.ndarray:
        """Whether every taught shape is of the kind of every element: shape (shapes, elements)."""
        kinds = [[same_kind(s.role, e.role) for e in self.state.elements] for s in self.target.shapes]
        return np.array(kinds, bool).reshape(len(self.target.shapes), -1)

    @cached_property
    def area(self) -> Box:
        """The part of the screen that may hold the target: its window with its frame, or all of it."""
        return self.state.front if self.is_in_window else Box(0, 0, *self.state.frame.size)

    @property
    def is_in_window(self) -> bool:
        """True for a target that was taught within a window."""
        part = self.target.window_box
        if part is None:
            return False
        return 0 <= part[0] + part[2] / 2 <= 1 and 0 <= part[1] + part[3] / 2 <= 1

    def taught_places(self) -> list[Box]:
        """Where the target would be if nothing had moved within its window, or on the screen.

        A window of another size keeps things at their distance from either edge, or in proportion.
        """
        return list(dict.fromkeys(self._taught_places()))

    def _taught_places(self) -> Iterator[Box]:
        frame, window, part = self.state.frame, self.state.window, self.target.window_box
        if part and window and window.box:
            box, (wide, high) = window.box, self.taught_window
            taught = self.taught if self.target.box else Box(0, 0, round(part[2] * wide), round(part[3] * high))
            left, top = part[0] * wide, part[1] * high
            across, down = part[0] + part[2] / 2, part[1] + part[3] / 2
            xs = (left, box.w - wide + left, across * box.w - taught.w / 2)
            ys = (top, box.h - high + top, down * box.h - taught.h / 2)
            order = ((0, 0), (1, 0), (0, 1), (1, 1), (2, 0), (2, 1), (0, 2), (1, 2), (2, 2))
            for i, j in order:
                yield Box(box.x + round(xs[i]), box.y + round(ys[j]), taught.w, taught.h)
        if self.target.box:
            yield taught_box(self.target, frame)

    @cached_property
    def taught_window(self) -> tuple[float, float]:
        """The size of the window the target was taught in, in pixels; that of the present one where nobody knows."""
        target, window = self.target, self.state.window
        if all(target.window_size):
            return float(target.window_size[0]), float(target.window_size[1])
        part = target.window_box
        if part and target.box and all(target.screen_size) and has_size(part):
            return self.taught.w / part[2], self.taught.h / part[3]
        now = window.box if window else None
        return (float(now.w), float(now.h)) if now else (1.0, 1.0)

    @cached_property
    def stretch(self) -> tuple[float, float]:
        """How much wider and higher the window is than when the target was taught; 1, 1 where nobody knows."""
        window = self.state.window
        if not (self.target.window_box and window and window.box and min(self.taught_window) > 1):
            return 1.0, 1.0
        return window.box.w / self.taught_window[0], window.box.h / self.taught_window[1]


def taught_box(target: TargetSpec, frame: Frame) -> Box:
    """The target's box on the screen it was taught on, or on this one if that is not known."""
    size = Size(*target.screen_size) if all(target.screen_size) else frame.size
    return Box.from_normalised(target.box or (0, 0, 0, 0), size)
