"""Files of a list's own folder become its rows when it begins (S12.3, S12.14).

What is read and checked is read before anything is written. What came in is known by what the file holds, so a process
that dies before the file is moved takes nothing twice.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

from django.conf import settings
from django.utils import translation

from audit.models import Verb
from execution.choices import Origin
from execution.models import BroughtFile, ListStart, Schedule, Worklist
from execution.worklists import folder
from execution.worklists.actions.asking import record_of
from execution.worklists.adding import keep_rows
from execution.worklists.bringing import Looked, grow, look_at
from execution.worklists.intake.cells import Unreadable
from execution.worklists.intake.preview import Choices
from sentences.said import say, told_by, worded
from workflows.exceptions import DomainError

log = logging.getLogger(__name__)

BETWEEN = timedelta(seconds=5)  # two looks at a file: if it is the same in both, it stands still


@dataclass(frozen=True, slots=True, kw_only=True)
class Paper:
    """A file that was read: its rows, or why none of it comes in. `report` is what lies beside it afterwards."""

    taken: folder.Taken
    report: str
    looked: Looked | None = None
    is_known: bool = False


@dataclass(slots=True, kw_only=True)
class Brought:
    """What lay in the folder for one start. `waits`: why it is too early to say, if it is."""

    papers: list[Paper] = field(default_factory=list)
    waits: str = ""
    came_in: dict[Path, str] = field(default_factory=dict)  # what is said of it in the report, once it is kept
    too_large: list[tuple[Path, str]] = field(default_factory=list)

    @property
    def good(self) -> list[Paper]:
        return [paper for paper in self.papers if paper.looked is not None]

    @property
    def why_nothing(self) -> str:
        if self.waits:
            return self.waits
        refused = self.too_large or any(paper.looked is None and not paper.is_known for paper in self.papers)
        return say("clock.no_good_file" if refused else "clock.no_new_file")


@dataclass(frozen=True, slots=True)
class _Seen:
    at: datetime
    standing: Mapping[str, folder.Standing]


_seen: dict[str, _Seen] = {}  # folders by name, as this process saw them last


def folder_of(worklist: Worklist) -> Path:
    return Path(settings.DATA_DIR) / "in" / worklist.folder


def watch(now: datetime) -> None:
    """Look at every folder, so that what has stood still is known when a list begins."""
    for schedule in Schedule.objects.watched().filter(takes_files=True):
        _look(schedule.worklist, now)


def _look(worklist: Worklist, now: datetime) -> folder.Look:
    """What lies in the folder, compared with what lay there some seconds ago."""
    place = folder_of(worklist)
    place.mkdir(parents=True, exist_ok=True)
    before = _seen.get(worklist.folder)
    found = folder.look(place, before.standing if before and now - before.at >= BETWEEN else {})
    if before is None or now - before.at >= BETWEEN:
        _seen[worklist.folder] = _Seen(now, found.standing)
    return found


def look_into(schedule: Schedule, now: datetime) -> Brought:
    """Read and check each file that stands still, in the language of whoever planned the schedule."""
    worklist, brought = schedule.worklist, Brought()
    found = _look(worklist, now)
    if not found.ready:
        brought.waits = next(iter(found.waiting.values()), "")
        return brought
    with translation.override(schedule.language):
        for path in found.ready:
            try:
                taken = folder.take(path, found.standing[path.name])
                brought.papers.append(_paper(worklist, taken, brought))
            except folder.StillWritten:
                brought.waits = say("folder.still_written")
            except Unreadable as error:
                brought.too_large.append((path, folder.report_on(error)))
    if brought.papers or brought.too_large:
        brought.waits = ""  # what is still written comes in with the next start
    return brought


def _paper(worklist: Worklist, taken: folder.Taken, brought: Brought) -> Paper:
    """The file as rows; one that was taken before, or lies here twice, brings none."""
    before = BroughtFile.objects.filter(worklist=worklist, digest=taken.digest, is_taken=True).first()
    twin = next((paper.taken.path for paper in brought.good if paper.taken.digest == taken.digest), None)
    if before is not None or twin is not None:
        name = before.name if before is not None else twin.name if twin is not None else ""
        report = worded(say("folder.taken_before", name=name)) + "\n"
        return Paper(taken=taken, report=report, is_known=True)
    try:
        looked = look_at(worklist, taken.data, Choices())
    except DomainError as error:
        return Paper(taken=taken, report=f"{worded(told_by(error))}\n")
    asked = [question.said for question in looked.preview.questions]
    report = folder.report_of(looked.checked, open_questions=asked)
    is_good = looked.may_come_in and (worklist.takes_good or not looked.checked.bad)
    return Paper(taken=taken, report=report, looked=looked if is_good else None)


def bring_in(worklist: Worklist, start: ListStart, brought: Brought) -> int:
    """Keep the rows of the good files; how many are new. Inside the transaction in which the list begins."""
    new = 0
    for paper in brought.papers:
        looked, added = paper.looked, 0
        if looked is not None:
            grow(worklist, looked.grown)
            kept = keep_rows(worklist, looked.new_rows())
            added = len(kept.numbers)
            brought.came_in[paper.taken.path] = say("folder.came_in", n=added, known=len(kept.known))
            record_of(Verb.ADDED, worklist, None, Origin.LIST, rows=added, columns=len(looked.grown))
        if not paper.is_known:
            BroughtFile.objects.create(
                worklist=worklist,
                start=start,
                name=paper.taken.path.name[:255],
                digest=paper.taken.digest,
                is_taken=looked is not None,
                rows=added,
                bad=len(looked.checked.bad_rows) if looked is not None else 0,
            )
        new += added
    return new


def put_away(schedule: Schedule, brought: Brought) -> None:
    """Move the files once their rows are kept; one that cannot be moved is known by what it holds."""
    with translation.override(schedule.language):
        for path, where, report in _moves(brought):
            try:
                folder.put_away(path, where, report)
            except OSError as error:
                log.warning("%s stays where it is: %s", path, error.strerror or error)
    _seen.pop(schedule.worklist.folder, None)


def _moves(brought: Brought) -> Iterator[tuple[Path, str, str]]:
    for paper in brought.papers:
        done = paper.looked is not None or paper.is_known
        said = brought.came_in.get(paper.taken.path)
        report = f"{paper.report}{worded(said)}\n" if said else paper.report
        yield paper.taken.path, folder.DONE if done else folder.REFUSED, report
    for path, report in brought.too_large:
        yield path, folder.REFUSED, report
