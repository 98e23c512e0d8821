"""What a workflow needs of a robot, as one value: read, written, carried from one installation to another (S9.4)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.db import transaction

from workflows.choices import AbilityKind
from workflows.models import Need, Workflow, plain_name


@dataclass(frozen=True, slots=True, kw_only=True)
class RobotNeeds:
    """Tags and programs by their plain names; a side of 0 is one that does not matter."""

    tags: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()
    smallest_width: int = 0
    smallest_height: int = 0

    def __bool__(self) -> bool:
        return self != NO_NEEDS


NO_NEEDS = RobotNeeds()


def needs_of(workflow: Workflow) -> RobotNeeds:
    """Without a query where `needs` was prefetched."""
    rows = sorted(workflow.needs.all(), key=lambda need: need.name)
    return RobotNeeds(
        tags=tuple(need.name for need in rows if need.kind == AbilityKind.TAG),
        programs=tuple(need.name for need in rows if need.kind == AbilityKind.PROGRAM),
        smallest_width=workflow.smallest_width,
        smallest_height=workflow.smallest_height,
    )


def together(needs: Iterable[RobotNeeds]) -> RobotNeeds:
    """What a robot must have for all of these."""
    found = list(needs)
    return RobotNeeds(
        tags=tuple(sorted({name for one in found for name in one.tags})),
        programs=tuple(sorted({name for one in found for name in one.programs})),
        smallest_width=max((one.smallest_width for one in found), default=0),
        smallest_height=max((one.smallest_height for one in found), default=0),
    )


def write_needs(workflow: Workflow, needs: RobotNeeds) -> None:
    """These and no others, in one transaction; raises ValidationError for a name or a side that cannot be kept."""
    workflow.smallest_width, workflow.smallest_height = needs.smallest_width, needs.smallest_height
    workflow.clean_fields(exclude={f.name for f in workflow._meta.fields} - {"smallest_width", "smallest_height"})
    named = {(AbilityKind.TAG, plain_name(name)) for name in needs.tags}
    named |= {(AbilityKind.PROGRAM, plain_name(name)) for name in needs.programs}
    rows = [Need(workflow=workflow, kind=kind, name=name) for kind, name in sorted(named)]
    for row in rows:
        row.clean_fields()
    with transaction.atomic():
        workflow.save(update_fields=["smallest_width", "smallest_height"])
        workflow.needs.all().delete()
        Need.objects.bulk_create(rows)
