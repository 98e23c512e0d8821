"""Why a run waits, and behind whom: the rule by which robots take runs, told of runs that nobody has taken (S9.4).

`Execution.objects.fitting` and `with_room` are that rule as one statement; here it is looked at from the run's side,
for any number of runs with as many queries as for one.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.utils import timezone

from execution.choices import ON_DESKTOP, WAITING, ExecutionState, LessonKind
from execution.models import Execution, Lesson, Robot
from sentences.said import by_sentence, listed, say
from workflows.choices import AbilityKind
from workflows.models import WorkflowVersion
from workflows.needs import NO_NEEDS, RobotNeeds, needs_of, together

# a run on a desktop, for each workflow that it does: its key, that one's, its robot's, its own workflow's name, state
_AtWork = tuple[int, int, int | None, str, str]

MOST_NAMED = 3  # robots in a sentence
MOST_BEHIND = 20  # runs that are named; how many there are is told


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A living robot as those see it who wait."""

    name: str
    desktops: Collection[str]
    width: int
    height: int
    tags: frozenset[str] = frozenset()
    programs: frozenset[str] = frozenset()
    takes: bool = True  # not in maintenance
    run: int | None = None  # the one on it
    lesson: int | None = None  # that is given on it
    busy_with: str = ""  # which of these, in words

    def lacks(self, needs: RobotNeeds) -> list[str]:
        """What of these it does not have, in words; nothing where it fits."""
        small = self.width < needs.smallest_width or self.height < needs.smallest_height
        return [
            *(say("waiting.tag", name=name) for name in needs.tags if name not in self.tags),
            *(say("waiting.program", name=name) for name in needs.programs if name not in self.programs),
            *([say("waiting.screen", width=needs.smallest_width, height=needs.smallest_height)] if small else []),
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Flow:
    """A workflow that runs do, as theirs or inside of theirs."""

    name: str
    needs: RobotNeeds = NO_NEEDS
    most_at_once: int | None = None
    at_work: tuple[int, ...] = ()  # the runs on desktops that do it

    @property
    def is_full(self) -> bool:
        return self.most_at_once is not None and len(self.at_work) >= self.most_at_once


@dataclass(frozen=True, slots=True)
class Waiter:
    """A queued run, and the version that it is of."""

    pk: int
    version: int
    desktop: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """`behind` are the runs that it waits for, those at work first; `ahead` how many wait before it; `lessons` those
    that hold a desktop which it fits."""

    message: str
    behind: tuple[int, ...] = ()
    lessons: tuple[int, ...] = ()
    ahead: int = 0


def told(
    line: Sequence[Waiter], places: Sequence[Place], flows: Mapping[int, Sequence[Flow]]
) -> Callable[[int], Waiting | None]:
    """Of the queue in its order: why the run of that key waits; None of one that is not in it.

    `flows` are by version: its own workflow, then those that it does inside.
    """
    index = {waiter.pk: n for n, waiter in enumerate(line)}
    needs = {version: together(flow.needs for flow in does) for version, does in flows.items()}
    full = {version: [flow for flow in does if flow.is_full] for version, does in flows.items()}

    @cache
    def there(desktop: str) -> tuple[int, ...]:
        return tuple(n for n, place in enumerate(places) if not desktop or desktop in place.desktops)

    @cache
    def fitting(version: int, desktop: str) -> frozenset[int]:
        return frozenset(n for n in there(desktop) if not places[n].lacks(needs[version]))

    @cache
    def open_to(version: int, desktop: str) -> frozenset[int]:
        return frozenset(n for n in fitting(version, desktop) if places[n].takes)

    @cache
    def begins_before(one: int, other: int) -> bool:
        """Of two versions: whether nothing holds runs of the one up that does not hold up those of the other."""
        return all(flow in flows[other] for flow in full[one])

    def before(waiter: Waiter) -> list[int]:
        mine = open_to(waiter.version, waiter.desktop)
        return [
            one.pk
            for one in line[: index[waiter.pk]]
            if mine & open_to(one.version, one.desktop) and begins_before(one.version, waiter.version)
        ]

    def why(pk: int) -> Waiting | None:
        if pk not in index:
            return None
        waiter = line[index[pk]]
        near = [places[n] for n in there(waiter.desktop)]
        fit = [places[n] for n in sorted(fitting(waiter.version, waiter.desktop))]
        if not places:
            return Waiting(message=say("waiting.no_robot"))
        if not near:
            return Waiting(message=say("waiting.other_desktop", desktop=waiter.desktop))
        if not fit:
            return Waiting(message=say("waiting.lacking", robots=_lacking(near, needs[waiter.version])))
        if not any(place.takes for place in fit):
            return Waiting(message=say("waiting.maintenance", robots=_named(fit)))
        ahead, lessons = before(waiter), list[int]()
        if held := full[waiter.version]:
            of_its_own = held[0] is flows[waiter.version][0]
            code = "waiting.full" if of_its_own else "waiting.full_inside"
            message, at_work = say(code, n=held[0].most_at_once, workflow=held[0].name), list(held[0].at_work)
        elif all(place.lesson or place.run for place in fit if place.takes):
            busy = [place for place in fit if place.takes]
            message = say("waiting.busy", robots=_busy(busy))
            at_work = [place.run for place in busy if place.run]
            lessons = [place.lesson for place in busy if place.lesson and not place.run]
        else:
            message, at_work = say("waiting.next"), []
        if ahead:
            message = by_sentence([message, say("waiting.behind", n=len(ahead))])
        behind = (*at_work, *ahead)[:MOST_BEHIND]
        return Waiting(message=message, behind=behind, lessons=tuple(lessons[:MOST_BEHIND]), ahead=len(ahead))

    return why


def _named(places: Iterable[Place]) -> str:
    return listed(_few([place.name for place in places]))


def _busy(places: Iterable[Place]) -> str:
    told = [say("waiting.robot_busy", robot=p.name, what=p.busy_with) if p.busy_with else p.name for p in places]
    return listed(_few(told))


def _few(names: list[str]) -> list[str]:
    return [*names[:MOST_NAMED], *(["…"] if len(names) > MOST_NAMED else [])]


def _lacking(places: Iterable[Place], needs: RobotNeeds) -> str:
    """The robots that lack least come first."""
    told = sorted(((place.lacks(needs), place.name) for place in places), key=lambda one: (len(one[0]), one[1]))
    return listed(_few([say("waiting.robot_lacks", robot=name, what=listed(what)) for what, name in told]))


# --- from the rows ----------------------------------------------------------------------------------------------------
def waiting() -> Callable[[int], Waiting | None]:
    """Why each queued run waits, as it is now; asked by the run's key."""
    queued = Execution.objects.queued().values_list("pk", "version_id", "desktop")
    line = [Waiter(*row) for row in queued]
    on_desktops = Execution.objects.filter(state__in=ON_DESKTOP).order_by("pk")
    columns = ("pk", "version__does", "robot_id", "version__workflow__name", "state")
    at_work = list(on_desktops.values_list(*columns))
    return told(line, _places(at_work), _flows({waiter.version for waiter in line}, at_work))


def waiting_of(execution: Execution) -> dict[str, Any] | None:
    """Why that run waits for a robot, or for its own that has gone, and for which runs; None of one that does not."""
    if execution.state in ON_DESKTOP:
        gone = vanished([execution]).get(execution.pk)
        return {"message": gone, "behind": [], "lessons": [], "ahead": 0} if gone else None
    found = waiting()(execution.pk) if execution.state == ExecutionState.QUEUED else None
    if found is None:  # nor of one that a robot has just taken
        return None
    runs = Execution.objects.select_related("version__workflow").defer("version__graph").in_bulk(found.behind)
    behind = [
        {"execution_id": run.execution_id, "number": pk, "workflow_name": run.version.workflow.name, "state": run.state}
        for pk in found.behind
        if (run := runs.get(pk))
    ]
    lessons = [
        {"lesson_id": one.lesson_id, "workflow_name": one.workflow.name, "teacher": _teacher(one)}
        for one in Lesson.objects.filter(pk__in=found.lessons).select_related("workflow", "teacher").order_by("pk")
    ]
    return {"message": found.message, "behind": behind, "lessons": lessons, "ahead": found.ahead}


def is_waited_for(lesson: Lesson) -> bool:
    """Whether a queued run waits for the desktop on which that lesson is given."""
    why = waiting()
    queued = Execution.objects.queued().values_list("pk", flat=True)
    return any(lesson.pk in found.lessons for pk in queued if (found := why(pk)))


def _teacher(lesson: Lesson) -> str:
    return lesson.teacher.get_username() if lesson.teacher else ""


def vanished(executions: Iterable[Execution]) -> dict[int, str]:
    """Of these runs those whose robot has gone, with the sentence that says so; one query, of those whose lease is
    over."""
    now = timezone.now()
    keys = [e.pk for e in executions if e.state in ON_DESKTOP and e.lease_until is not None and e.lease_until < now]
    if not keys:
        return {}
    left = Execution.objects.left_behind().filter(pk__in=keys).values_list("pk", "robot__name")
    return {pk: say("waiting.vanished", robot=name) for pk, name in left}


def _places(at_work: Iterable[_AtWork]) -> list[Place]:
    runs = {robot: (pk, name, state) for pk, _flow, robot, name, state in at_work}
    taught = Lesson.objects.open().filter(kind=LessonKind.DESKTOP).select_related("workflow", "teacher")
    lessons = {lesson.robot_id: lesson for lesson in taught}
    return [
        Place(
            name=robot.name,
            desktops=robot.known_as,
            width=robot.screen_width,
            height=robot.screen_height,
            tags=frozenset(one.name for one in robot.abilities.all() if one.kind == AbilityKind.TAG),
            programs=frozenset(one.name for one in robot.abilities.all() if one.kind == AbilityKind.PROGRAM),
            takes=not robot.is_in_maintenance,
            run=runs[robot.pk][0] if robot.pk in runs else None,
            lesson=lessons[robot.pk].pk if robot.pk in lessons else None,
            busy_with=_run_told(*runs[robot.pk]) if robot.pk in runs else _lesson_told(lessons.get(robot.pk)),
        )
        for robot in Robot.objects.alive().order_by("name").prefetch_related("abilities")
    ]


def _run_told(pk: int, workflow: str, state: str) -> str:
    told = "waiting.run_paused" if state == ExecutionState.PAUSED else "waiting.run"
    return say("waiting.run_asks" if state in WAITING else told, run=str(pk), workflow=workflow)


def _lesson_told(lesson: Lesson | None) -> str:
    if lesson is None:
        return ""
    who = {"who": _teacher(lesson)} if lesson.teacher else {}
    return say("waiting.lesson_by" if who else "waiting.lesson", workflow=lesson.workflow.name, **who)


def _flows(versions: Collection[int], at_work: Collection[_AtWork]) -> dict[int, list[Flow]]:
    rows = WorkflowVersion.objects.filter(pk__in=versions).only("workflow_id").prefetch_related("does__needs")
    flows = dict[int, Flow]()
    for flow in {flow.pk: flow for row in rows for flow in row.does.all()}.values():
        runs = tuple(pk for pk, key, *_more in at_work if key == flow.pk)
        flows[flow.pk] = Flow(name=flow.name, needs=needs_of(flow), most_at_once=flow.most_at_once, at_work=runs)
    return {
        row.pk: [flows[row.workflow_id], *(flows[one.pk] for one in row.does.all() if one.pk != row.workflow_id)]
        for row in rows
    }
