"""A file of corrections comes in from another installation (S6.4).

Nothing of it is trusted: it is laid over only what was taught as it was there, is tried on the stored pictures of this
installation like any other, and is on trial. What was refused here stays refused.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, replace
from typing import IO, Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from audit.models import Verb
from audit.recording import record
from execution.actions.asking import name_of
from execution.actions.export_pack import LEAVING
from execution.actions.packed import Pack, PackedCorrection, is_of, learned_at, pack_of, where
from execution.choices import CorrectionKind, CorrectionState, Origin
from execution.learning.overlay import MOST_LOOKS, overlaid
from execution.learning.taught_as import taught_as
from execution.models import CorrectionPack, LearnedCorrection
from execution.models.learning import IN_FORCE, said_as
from execution.record.corrections import as_taught, first_state_of_look, is_one_place
from execution.record.learned_pictures import is_off_for_its_pictures
from sentences.said import say
from workflows.archives import CORRECTIONS, Archive, taken_apart
from workflows.graph import EdgeSpec, GraphSpec, TargetSpec
from workflows.models import Workflow, WorkflowVersion
from workflows.permissions import DESIGN, require
from workflows.unpacking import BadBundle
from workflows.validation import errors
from workflows.words import sentence


@dataclass(slots=True)
class Imported:
    """What became of a pack: `known` are here already, `refused` are switched off here or wait for a person, `unfit`
    were learned of what is taught otherwise here, `full` had no room. The last two by what they are of."""

    workflow: Workflow
    where_from: str
    taken: list[LearnedCorrection] = field(default_factory=list)
    known: int = 0
    refused: int = 0
    unfit: list[str] = field(default_factory=list)
    full: list[str] = field(default_factory=list)

    def told(self) -> list[str]:
        """What became of them, in sentences."""
        taken = ngettext(
            "%(n)d correction from %(where)s is on trial here from now on.",
            "%(n)d corrections from %(where)s are on trial here from now on.",
            len(self.taken),
        )
        known = ngettext("%(n)d was known here already.", "%(n)d were known here already.", self.known)
        refused = ngettext(
            "%(n)d was switched off here, or waits for a person here: it stays as it is.",
            "%(n)d were switched off here, or wait for a person here: they stay as they are.",
            self.refused,
        )
        unfit = ngettext(
            "%(n)d does not fit, because that is taught otherwise here: %(what)s.",
            "%(n)d do not fit, because that is taught otherwise here: %(what)s.",
            len(self.unfit),
        )
        full = ngettext(
            "For %(n)d there is no room: %(what)s has as many looks on trial or trusted as a run looks for.",
            "For %(n)d there is no room: %(what)s have as many looks on trial or trusted as a run looks for.",
            len(self.full),
        )
        said = [taken % {"n": len(self.taken), "where": self.where_from}]
        said += [words % {"n": n} for words, n in ((known, self.known), (refused, self.refused)) if n]
        these = ((unfit, self.unfit), (full, self.full))
        return said + [words % {"n": len(names), "what": listed(names)} for words, names in these if names]


def import_pack(
    data: bytes | IO[bytes], *, workflow_id: str = "", user: Any = None, origin: Origin = Origin.PROGRAM
) -> Imported:
    """What of a file fits the newest version of its workflow, or of `workflow_id`, is on trial here from now on.

    Raises BadBundle with the reason, and PermissionDenied; then nothing has changed.
    """
    require(user, DESIGN)
    with taken_apart(data, CORRECTIONS, Pack) as archive:
        pack = pack_of(archive.document)
        archive.take_pictures(pack.pictures())
        version = _newest(workflow_id or pack.workflow.workflow_id, pack)
        imported = Imported(version.workflow, pack.exported_from)
        read = _Reading(version, archive, imported, who=name_of(user, origin)).all_of(pack)
        with transaction.atomic():
            row, _made = CorrectionPack.objects.get_or_create(workflow=version.workflow)
            _take(read, CorrectionPack.objects.select_for_update().get(pk=row.pk), archive, imported)
            if not (imported.taken or imported.known or imported.refused or imported.full):
                words = _("Nothing of the file fits: what it corrects is taught otherwise here (%(what)s).")
                raise BadBundle(words % {"what": listed(imported.unfit) or pack.workflow.name})
            record(
                Verb.ADDED, user=user, who=name_of(user, origin), origin=origin, kind="corrections",
                about=version.workflow.workflow_id, exported_from=pack.exported_from,
                corrections=[one.pk for one in imported.taken], refused=imported.refused or None,
            )  # fmt: skip
    return imported


def listed(names: Iterable[str], most: int = 5) -> str:
    """The first of them, each once."""
    every = list(dict.fromkeys(names))
    said = [_("“%(text)s”") % {"text": name[:60]} for name in every[:most]]
    return ", ".join([*said, "…"] if len(every) > most else said)


def _newest(workflow_id: str, pack: Pack) -> WorkflowVersion:
    found = WorkflowVersion.objects.filter(workflow__workflow_id=workflow_id).select_related("workflow")
    version = found.order_by("-number").first()
    if version is None:
        words = _("The corrections are of the workflow “%(name)s” (%(id)s), of which nothing is published here. Import "
                  "and publish it first, or say which workflow of this installation it is.")  # fmt: skip
        raise BadBundle(words % {"name": pack.workflow.name[:80], "id": workflow_id[:80]})
    return version


@dataclass(frozen=True, slots=True)
class _Read:
    """A correction of the file that fits here, as it would be kept."""

    name: str
    made: LearnedCorrection
    pictures: frozenset[str]


def _take(read: Iterable[_Read], pack: CorrectionPack, archive: Archive, told: Imported) -> None:
    """What is not here yet is kept; inside a transaction, with the pack locked."""
    here = [row for row in pack.corrections.all() if not is_off_for_its_pictures(row)]
    pictures = frozenset[str]()
    for one in read:
        same = [row for row in here if says_the_same(row, one.made)]
        if any(row.state not in LEAVING for row in same):
            told.refused += 1
        elif same:
            told.known += 1
        elif _is_full(one.made, here):
            told.full.append(one.name)
        else:
            pictures |= one.pictures
            here.append(one.made)
            told.taken.append(one.made)
    for digest in sorted(pictures):
        archive.keep(digest)
    for made in told.taken:
        made.pack = pack
        made.save()


class _Reading:
    """What of a file fits, each checked on the graph; nothing is kept, and nobody waits for it."""

    def __init__(self, version: WorkflowVersion, archive: Archive, told: Imported, *, who: str) -> None:
        self.version = version
        self.graph = version.spec()
        self.archive = archive
        self.told = told
        self.who = who
        self.wrong_before = self._errors(self.graph)

    def all_of(self, pack: Pack) -> list[_Read]:
        return [one for n, packed in enumerate(pack.corrections) if (one := self._read(packed, where(n)))]

    def _read(self, one: PackedCorrection, at: str) -> _Read | None:
        own = taught_as(one.kind, self.graph, edge_id=one.edge_id, node_id=one.node_id)
        if own not in one.taught_as:
            self.told.unfit.append(self._name(one))
        elif _is_part(one, self.graph):
            self.told.known += 1
        elif not _is_of_these_params(one, self.graph):
            self.told.unfit.append(self._name(one))
        elif not is_of(one, self.graph):
            raise BadBundle(_("%(where)s: it does not fit what it says it was learned of.") % {"where": at})
        else:
            made = self._made_of(one, own)
            if made.state in IN_FORCE:
                self._check(made, at)
            return _Read(self._name(one), made, one.pictures)
        return None

    def _made_of(self, one: PackedCorrection, taught: str) -> LearnedCorrection:
        state, why = CorrectionState.ON_TRIAL, say("corrections.imported")
        payload: dict[str, Any] = {"params": dict(one.params)}
        if one.target is not None:
            payload = {"target": asdict(one.target)}
        elif (node := self.graph.node(one.node_id)) is not None:
            payload = {"picture": one.picture, "gone": [text for text in one.gone if text in node.texts]}
            state, why = first_state_of_look(self.graph, one.node_id, payload["gone"], else_why=why)
        return LearnedCorrection(
            kind=one.kind,
            edge_id=one.edge_id,
            node_id=one.node_id,
            of=one.of,
            taught_as=taught,
            payload=payload,
            conditions=one.conditions.to_json() if one.conditions else {},
            picture=one.picture,
            box=list(one.box) if one.box else None,
            version_number=self.version.number,
            learned_at=learned_at(one) or timezone.now(),
            elsewhere=one.learned_in,
            state=state,
            began_as=state,
            why=why,
            changed_by=self.who,
        )

    def _check(self, made: LearnedCorrection, at: str) -> None:
        """With it laid over, the workflow must be as publishable as without; a look stands alone for that, as it is
        looked for alone."""
        over = overlaid(self.graph, [as_taught(made)])
        graph = over.graph
        if made.kind == CorrectionKind.TARGET:
            graph = replace(
                graph, edges=tuple(_with_last_look(e) if e.edge_id == made.edge_id else e for e in graph.edges)
            )
        if not over.taught or (found := self._errors(graph) - self.wrong_before):
            said = min(found) if over.taught else _("it changes nothing of the workflow.")
            raise BadBundle(f"{at}: {said}")

    def _errors(self, graph: GraphSpec) -> frozenset[str]:
        """Pictures aside: what a file names it holds."""
        return frozenset(str(p.message) for p in errors(graph, store=self.archive.store))

    def _name(self, one: PackedCorrection) -> str:
        edge, node = self.graph.edge(one.edge_id), self.graph.node(one.node_id)
        if edge is not None:
            return (edge.target.label if edge.target else "") or sentence(edge)
        return (node.name if node else "") or (one.target.label if one.target else "") or one.edge_id or one.node_id


def _with_last_look(edge: EdgeSpec) -> EdgeSpec:
    target = edge.target
    return replace(edge, target=replace(target.also[-1], target_id=target.target_id)) if target else edge


def _is_full(made: LearnedCorrection, here: Iterable[LearnedCorrection]) -> bool:
    """Whether so many looks are laid over already that one more would push one of this installation out."""
    if made.kind == CorrectionKind.PARAMS:
        return False
    return [_thing(row) for row in here if row.state in IN_FORCE].count(_thing(made)) >= MOST_LOOKS


def _thing(row: LearnedCorrection) -> tuple[str, ...]:
    """What it is of, as that was taught."""
    return (row.kind, row.node_id if row.kind == CorrectionKind.NODE else row.edge_id, row.taught_as)


def says_the_same(one: LearnedCorrection, other: LearnedCorrection) -> bool:
    """Whether two corrections say the same of the same thing under the same conditions, wherever they were learned; or
    said it, where that is no longer kept."""
    if (_thing(one), one.of, one.conditions or {}) != (_thing(other), other.of, other.conditions or {}):
        return False
    if one.kind == CorrectionKind.TARGET and not (one.box and other.box and is_one_place(one.box, other.box)):
        return False
    return bool(_says(one) & _says(other))


def _says(row: LearnedCorrection) -> frozenset[str]:
    """What it says by now and, once it is kept, what it said when it was learned, as digests."""
    return frozenset({said_as(row.kind, row.payload), row.said_as} - {""})


def _is_of_these_params(one: PackedCorrection, graph: GraphSpec) -> bool:
    """Whether the act is done as it was when the correction was learned; what it is done at says nothing of that."""
    edge = graph.edge(one.edge_id)
    if one.kind != CorrectionKind.PARAMS or edge is None:
        return True
    return all(name in edge.params and edge.params[name] == was for name, was in one.of.items())


def _is_part(one: PackedCorrection, graph: GraphSpec) -> bool:
    """Whether the workflow has it itself by now."""
    if one.kind == CorrectionKind.NODE:
        node = graph.node(one.node_id)
        return node is not None and one.picture in (node.picture, *node.looks)
    edge = graph.edge(one.edge_id)
    if one.kind == CorrectionKind.PARAMS and edge:
        return all(name in edge.params and edge.params[name] == value for name, value in one.params.items())
    looks = edge.target.also if edge and edge.target else ()
    return one.target is not None and any(_bare(look) == _bare(one.target) for look in looks)


def _bare(look: TargetSpec) -> TargetSpec:
    return replace(look, target_id="", label="")
