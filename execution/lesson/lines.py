"""The target of a step as one line of its list, counted on the picture that it was taught on (S6.13)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping
from copy import deepcopy
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import numpy as np
from django.db import transaction
from django.utils.translation import gettext as _

from execution.exceptions import BadEdit
from execution.language.fuzzy import SEEN, folded
from execution.language.lexicon import is_known
from execution.language.screen_texts import ScreenWords
from execution.lesson.as_it_was import dropped, said_by
from execution.lesson.here import Here
from execution.lesson.screens import Look
from execution.lesson.understanding import EACH_LINE, Answer, Understood
from execution.lesson.ways import repeat_of
from execution.matching.sheet import outside
from execution.models import LessonStep
from execution.perception.scene.cells import in_cells
from execution.teaching.counting import counted, lines_from, lines_like
from execution.teaching.expectations import Told
from execution.teaching.listing import area_of_list
from execution.types import Box, ElementRole, Frame, ScreenState, Size, Window
from sentences.said import say, told_by
from workflows.choices import RegionKind
from workflows.exceptions import DomainError
from workflows.graph import TargetSpec
from workflows.models import Target
from workflows.specs import target_spec
from workflows.text import names, sole_name

_LEAST_SAID = 3  # letters or digits: what is shorter stands anywhere by chance
_LEVEL = 0.5  # of a line's height
_MOST_OF_IT = 0.5  # of what a list says: a picture that says so much of it at its place shows it
_NO_LINES = frozenset({ElementRole.MENU_ITEM, ElementRole.TAB, ElementRole.BUTTON, ElementRole.FIELD})
_SEVERAL = 2  # lines of a list: of one alone nobody can tell what a line is


def with_each_line(found: Understood, state: ScreenState) -> Understood:
    """The same; where it is the first line of a list, it may be meant for each of them."""
    if not found.is_asked or found.named_by is not None or found.role == ElementRole.FIELD:
        return found
    box, size = found.box, state.frame.size
    spec = TargetSpec(
        target_id="", label=found.label, text=found.text, role=found.role, alike=len(found.alike),
        box=box.normalised(size), screen_size=(size.width, size.height),
    )  # fmt: skip
    members = lines_from(spec, box, state, least=_SEVERAL)
    if not members:
        return found
    each = Answer(code=EACH_LINE, text=say("lesson.each_line"), boxes=members)
    return replace(found, answers=(*found.answers, each))


def repeat_for_each_line(here: Here, step: LessonStep, wanted: Mapping[str, Any]) -> None:
    """The step is done for each line of its list from now on; it was shown on the first one. Raises BadEdit."""
    edge = step.edge
    if edge is None or edge.target is None:
        raise BadEdit(say("lesson.no_line"))
    counter, target = str(wanted.get("counter") or ""), edge.target
    number = "{{" + counter + "}}"
    with transaction.atomic():
        repeat, said, shown = repeat_of(here.lesson, edge, wanted), {target.text}, None
        if sole_name(str(target.evidence.get("number") or "")) != counter:
            was_target = step.screen.get("uncounted") or {"label": target.label, "evidence": target.evidence}
            label = _("line %(number)s") % {"number": number}
            shown = _as_line(here, step, target, number, counter)
            here.draft.change_target(target, shown.spec)
            said |= shown.said
            step.note(uncounted={**was_target, "says": sorted(said)})
            Target.objects.filter(pk=target.pk).update(label=label)
        edge.repeat = repeat
        edge.save(update_fields=["repeat"])
        was = said_by(here.draft.workflow)
        _differs_with_the_line(here, said)
        if shown is not None:
            _is_known_without(shown, here)
        step.drops(dropped(was, said_by(here.draft.workflow)))
        here.mark_ends()


def shown_line_again(here: Here) -> None:
    """What was taught since of the line that was shown is another line's with the next one, too."""
    for step in here.lesson.steps.kept():
        if says := (step.screen.get("uncounted") or {}).get("says"):
            was = said_by(here.draft.workflow)
            _differs_with_the_line(here, says)
            if gone := dropped(was, said_by(here.draft.workflow)):
                step.drops(gone)


def _differs_with_the_line(here: Here, said: Collection[str]) -> None:
    """What the line that was shown says is another line's with the next one: no screen is known by it, no target by
    what stands around it, and nothing that must be seen after a step says it."""
    keys = [key for text in said if len(key := folded(text).strip()) >= _LEAST_SAID]
    if not keys:
        return
    its = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, keys))})(?!\w)")
    for node in here.draft.nodes():
        own = [text for text in node.texts if its.search(folded(text))]
        title = _without(its, node.window_title)
        if not own and title == node.window_title:
            continue
        node.texts = [text for text in node.texts if text not in own]
        node.aside = [*node.aside, *({"text": text, "kind": Told.DATA.value} for text in own)]
        node.window_title = title
        node.save(update_fields=["texts", "aside", "window_title"])
    for edge in here.draft.workflow.edges.all():
        was = deepcopy((edge.before, edge.expect))
        for wanted in (edge.before, edge.expect):
            for texts in wanted.keys() & {"texts", "gone"}:
                wanted[texts] = [text for text in wanted[texts] if not its.search(folded(text))]
            if wanted.get("window_title"):
                wanted["window_title"] = _without(its, wanted["window_title"])
        if (edge.before, edge.expect) != was:
            edge.save(update_fields=["before", "expect"])
    for target in here.draft.workflow.targets.all():
        spec = target_spec(target)
        row = tuple(text for text in spec.row if not its.search(folded(text)))
        near, around = (tuple(n for n in of if not its.search(folded(n.text))) for of in (spec.neighbours, spec.around))
        if (row, near, around) != (spec.row, spec.neighbours, spec.around):
            here.draft.change_target(target, replace(spec, row=row, neighbours=near, around=around))


def _without(its: re.Pattern[str], title: str) -> str:
    """A title with * for what the line said, case and accents aside; "" where nothing else is in it."""
    plain = "".join((folded(c) or c)[:1] for c in title)
    for found in reversed(list(its.finditer(plain))):
        title = f"{title[: found.start()]}*{title[found.end() :]}"
    return title if any(c.isalnum() for c in title) else ""


@dataclass(frozen=True, slots=True)
class _Shown:
    """A target as a line of its list, what this line says that no other does, and where its list stood."""

    spec: TargetSpec
    said: frozenset[str]
    area: Box
    state: ScreenState

    def is_on(self, look: Look) -> bool:
        """Whether a picture shows the same list at the same place."""
        there: dict[str, list[int]] = {}
        for line in look.texts:
            there.setdefault(folded(line.text), []).append(line.box.center.y)
        rows = [line for line in self.state.texts if self.area.contains(line.box.center)]
        seen = sum(
            any(abs(y - line.box.center.y) <= _LEVEL * line.box.h for y in there.get(folded(line.text), ()))
            for line in rows
        )
        return look.state.frame.size == self.state.frame.size and seen >= _MOST_OF_IT * len(rows)


def opened_by_name(here: Here, step: LessonStep, spec: TargetSpec, box: Box, state: ScreenState) -> None:
    """A line of a list was opened by what it says: other lines are there another day, as few as one."""
    members = lines_like(spec, box, state)
    if len(members) < _SEVERAL or spec.role in _NO_LINES:
        return
    shown = _Shown(spec, frozenset(), area_of_list(members, state), state)
    if not _tells_without(shown, here):
        return
    was = said_by(here.draft.workflow)
    _is_known_without(shown, here)
    step.drops(dropped(was, said_by(here.draft.workflow)))


def _tells_without(shown: _Shown, here: Here) -> bool:
    """Whether what stands around the list still tells its screen from all others, and is no title of a window alone."""
    looks = here.looks()
    for node in here.draft.nodes():
        look = next(iter(looks.get(node.node_id, ())), None)
        if look is None or not shown.is_on(look):
            continue
        around = ScreenWords(outside(look.texts, [shown.area]))
        left = [text for text in node.texts if names(text) or around.seen(text) >= SEEN]
        others = [one for name, many in looks.items() if name != node.node_id for one in many[:1]]
        words = [ScreenWords(one.texts) for one in others]
        if not left or any(all(word.seen(text) >= SEEN for text in left) for word in words):
            return False
    return True


def _is_known_without(shown: _Shown, here: Here) -> None:
    """Every screen that shows the list is known by what stands around it: its lines differ another day."""
    region = {"box": list(shown.area.normalised(shown.state.frame.size)), "kind": RegionKind.LIST.value}
    nodes, looks, rows = here.draft.nodes(), here.looks(), set[str]()
    for node in nodes:
        look = next(iter(looks.get(node.node_id, ())), None)
        if look is None or not shown.is_on(look):
            continue
        around = ScreenWords(outside(look.texts, [shown.area]))
        own = [text for text in node.texts if not names(text) and around.seen(text) < SEEN]
        node.regions = [*(known for known in node.regions if known != region), region]
        node.texts = [text for text in node.texts if text not in own]
        node.aside = [*node.aside, *({"text": text, "kind": Told.DATA.value} for text in own)]
        rows.update(own)
    for node in nodes:  # a text of a row tells no other screen either by not being there
        node.absent = [text for text in node.absent if text not in rows]
        node.save(update_fields=["regions", "texts", "aside", "absent"])


def _as_line(here: Here, step: LessonStep, target: Target, number: str, counter: str) -> _Shown:
    """The target as the line of that number."""
    spec = target_spec(target)
    if not step.picture_before or spec.box is None:
        raise BadEdit(say("lesson.no_picture_of_it"))
    try:
        pixels = here.draft.store.get(step.picture_before)
        size = Size(pixels.shape[1], pixels.shape[0])
        frame = Frame(pixels=np.ascontiguousarray(pixels), taken_at=datetime.now(UTC))
        state = here.shown(here.analyzer.analyze(frame, _window_of(spec, size)))
        box = Box.from_normalised(spec.box, size)
        values = {**here.known.values, counter: "1"}
        line, members = counted(spec, box, state, number=number, values=values, least=_SEVERAL)
        return _Shown(line, _said_by_the_line(box, state), area_of_list(members, state), state)
    except (ValueError, DomainError, OSError) as error:
        raise BadEdit(say("lesson.not_counted", why=told_by(error))) from error


def _said_by_the_line(box: Box, state: ScreenState) -> frozenset[str]:
    cells = in_cells(state).texts
    times = Counter(folded(cell.text).strip() for cell in cells)
    level = (cell for cell in cells if abs(cell.box.center.y - box.center.y) <= _LEVEL * min(cell.box.h, box.h))
    return frozenset(c.text for c in level if times[folded(c.text).strip()] == 1 and not is_known(c.text))


def _window_of(spec: TargetSpec, size: Size) -> Window | None:
    """The window that it was taught in, as far as the target knows of it."""
    if not spec.window_title:
        return None
    box = None
    if spec.window_box and spec.box and all(spec.window_size):
        here = Box.from_normalised(spec.box, size)
        inside = Box.from_normalised(spec.window_box, Size(*spec.window_size))
        box = Box(here.x - inside.x, here.y - inside.y, *spec.window_size)
    return Window(title=spec.window_title, app_name=spec.app_name, box=box)
