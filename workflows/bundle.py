"""A workflow with its pictures as one zip file: `workflow.json` and `pictures/<digest>.png` (S8.6).

A file is checked whole before anything is written. What was earned or set up on another machine does not travel:
a window info provider (a path to code) is neither exported nor taken, and an imported workflow is at most coached.
"""

from __future__ import annotations

import io
import json
import tempfile
import zipfile
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from django.contrib.admin.models import ADDITION, LogEntry
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext as _

from sentences.said import worded
from workflows.choices import LearningState
from workflows.exceptions import InvalidWorkflow, PictureRefused
from workflows.graph import GraphSpec, TargetSpec
from workflows.models import Picture, Workflow
from workflows.pictures import PictureStore, decode
from workflows.rows import saved, write_graph
from workflows.shape import WrongShape, check
from workflows.specs import FLAGS, graph_of
from workflows.unpacking import (
    GRAPH_NAME,
    MAX_BYTES,
    MAX_GRAPH_BYTES,
    PICTURE_NAME,
    BadBundle,
    Budget,
    check_pixels,
    checked_entries,
    is_png,
    opened,
    read,
)
from workflows.validation import errors

FORMAT = "surehand.workflow"
FORMAT_VERSION = 1
NOT_SHARED = "window_info_provider"
EPOCH = (1980, 1, 1, 0, 0, 0)  # the same workflow gives the same bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class _Document:
    """What `workflow.json` holds."""

    format: str
    format_version: int
    graph: GraphSpec
    description: str = ""


def export_bundle(workflow: Workflow) -> bytes:
    """The workflow as it is drawn now; raises InvalidWorkflow where nobody could import it."""
    graph = graph_of(workflow)
    if found := errors(graph):
        raise InvalidWorkflow(
            _("“%(name)s” is not exported while something in it is wrong: %(first)s")
            % {"name": workflow.name, "first": found[0].message},
            found,
        )
    flags = {name: value for name, value in graph.flags.items() if name != NOT_SHARED}
    document = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "description": workflow.description,
        "graph": replace(graph, flags=flags).to_json(),
    }
    store, packed = PictureStore(), io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as bundle:
        text = json.dumps(document, ensure_ascii=False, indent=1, sort_keys=True)
        bundle.writestr(_entry(GRAPH_NAME, zipfile.ZIP_DEFLATED), text)
        for digest in sorted(graph.pictures()):
            name = f"pictures/{digest}.png"
            bundle.writestr(_entry(name, zipfile.ZIP_STORED), store.path(digest).read_bytes())
    return packed.getvalue()


def import_bundle(data: bytes, *, user: Any, workflow_id: str = "") -> Workflow:
    """A new draft from a bundle, under its own id or `workflow_id`.

    Raises BadBundle or InvalidWorkflow with the reason; then nothing has changed. Whether `user` may do it is the
    caller's to check; the name goes to the history.
    """
    with tempfile.TemporaryDirectory(prefix="surehand-import-") as folder, opened(data) as bundle:
        incoming = PictureStore(Path(folder))
        entries = checked_entries(bundle)
        unpacked = Budget(MAX_BYTES)
        document = _document(read(bundle, entries.pop(GRAPH_NAME), unpacked, limit=MAX_GRAPH_BYTES))
        graph = document.graph
        _check_pictures_named(graph, entries)
        check_pixels(bundle, entries.values())
        for name, info in entries.items():
            _take_picture(incoming, name, read(bundle, info, unpacked))
        _check_runnable(graph, incoming)
        return _write(graph, document.description, incoming, user=user, workflow_id=workflow_id or graph.workflow_id)


def _entry(name: str, compression: int) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name, EPOCH)
    info.compress_type = compression
    info.external_attr = 0o644 << 16
    return info


def _document(data: bytes) -> _Document:
    try:
        raw = json.loads(data.decode("utf-8"))
    except json.JSONDecodeError as error:
        words = _("workflow.json is no JSON that can be read: look at line %(line)s, column %(column)s.")
        raise BadBundle(words % {"line": error.lineno, "column": error.colno}) from error
    except UnicodeDecodeError as error:
        raise BadBundle(_("workflow.json is no JSON that can be read: it is not written in UTF-8.")) from error
    except (ValueError, RecursionError) as error:  # a number of thousands of figures
        raise BadBundle(_("workflow.json is no JSON that can be read: it holds what no workflow has.")) from error
    if not isinstance(raw, dict) or raw.get("format") != FORMAT:
        raise BadBundle(_("workflow.json does not say that it is a workflow of this product."))
    if raw.get("format_version") != FORMAT_VERSION:
        raise BadBundle(
            _("workflow.json has format %(format)s, this server reads %(known)d. Export it again from a like version.")
            % {"format": str(raw.get("format_version"))[:20], "known": FORMAT_VERSION}
        )
    try:
        check(raw, _Document, "workflow.json")
    except WrongShape as error:
        raise BadBundle(str(error)) from error
    return _Document(**{**raw, "graph": GraphSpec.from_json(raw["graph"])})


def _check_pictures_named(graph: GraphSpec, entries: Iterable[str]) -> None:
    there = {match[1] for name in entries if (match := PICTURE_NAME.fullmatch(name))}
    if missing := sorted(graph.pictures() - there):
        raise BadBundle(_("The file lacks the picture %(digest)s.") % {"digest": missing[0][:64]})
    if spare := sorted(there - graph.pictures()):
        raise BadBundle(_("The file holds the picture %(digest)s, which nothing refers to.") % {"digest": spare[0]})


def _take_picture(store: PictureStore, name: str, data: bytes) -> None:
    if not is_png(data):
        raise BadBundle(_("“%(name)s” is no picture that can be read; PNG can.") % {"name": name})
    try:
        digest = store.put(decode(data, name=name))
    except PictureRefused as error:
        raise BadBundle(worded(error)) from error
    if name != f"pictures/{digest}.png":
        raise BadBundle(_("“%(name)s” is not the picture that its name says.") % {"name": name})


def _check_runnable(graph: GraphSpec, store: PictureStore) -> None:
    if NOT_SHARED in graph.flags or set(graph.flags) - set(FLAGS):
        raise BadBundle(_("workflow.json sets flags that are not taken from a file."))
    if found := errors(graph, store=store):
        raise InvalidWorkflow(
            _("The workflow in the file cannot be run: %(first)s") % {"first": found[0].message}, found
        )
    targets: dict[str, TargetSpec] = {}
    for target in (e.target for e in graph.edges if e.target):
        if targets.setdefault(target.target_id, target) != target:
            raise BadBundle(
                _("workflow.json describes the target “%(id)s” twice, each time otherwise.") % {"id": target.target_id}
            )


def _write(graph: GraphSpec, description: str, incoming: PictureStore, *, user: Any, workflow_id: str) -> Workflow:
    if Workflow.objects.filter(workflow_id=workflow_id).exists():
        raise BadBundle(
            _("There is already a workflow “%(id)s”. Import this one under another id, or delete the other first.")
            % {"id": workflow_id}
        )
    observed = graph.learning_state == LearningState.OBSERVATION
    workflow = Workflow(
        workflow_id=workflow_id,
        name=graph.name,
        description=description,
        learning_state=LearningState.OBSERVATION if observed else LearningState.COACHING,
        popups=[asdict(popup) for popup in graph.popups],
        already_at_end_is_fine=graph.already_at_end_is_fine,
        **graph.flags,
    )
    try:
        with transaction.atomic():
            saved(workflow)
            pictures = {digest: _kept(incoming, digest) for digest in sorted(graph.pictures())}
            write_graph(graph, workflow=workflow, pictures=pictures)
            if getattr(user, "pk", None):
                rows = Workflow.objects.filter(pk=workflow.pk)
                LogEntry.objects.log_actions(user.pk, rows, ADDITION, _("Imported from a file."), single_object=True)
    except ValidationError as error:
        raise BadBundle(
            _("workflow.json holds what cannot be kept: %(reasons)s") % {"reasons": " ".join(error.messages)}
        ) from error
    return workflow


def _kept(incoming: PictureStore, digest: str) -> Picture:
    """The row of a picture; its pixels go to the product's store, where another workflow may have them already."""
    pixels = incoming.get(digest)
    PictureStore().put(pixels)
    height, width = pixels.shape[:2]
    return Picture.objects.get_or_create(digest=digest, defaults={"width": width, "height": height})[0]
