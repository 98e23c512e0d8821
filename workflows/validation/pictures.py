"""Is every picture in the store, and of a size that is taken?"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from django.utils.translation import gettext as _

from sentences.said import say, worded
from workflows.exceptions import PictureError, PictureRefused
from workflows.graph import GraphSpec
from workflows.pictures import PictureStore, check_size
from workflows.validation.problem import Kind, Problem, of_workflow, problem

PNG = b"\x89PNG\r\n\x1a\n"


def pictures(graph: GraphSpec, *, store: PictureStore) -> Iterator[Problem]:
    uses: list[tuple[Kind, str, str, str, str]] = [
        ("node", n.node_id, field, digest, n.name)
        for n in graph.nodes
        for field, digest in (("picture", n.picture), *(("looks", look) for look in n.looks))
        if digest
    ]
    for target in {e.target.target_id: e.target for e in graph.edges if e.target}.values():
        uses += [
            ("target", target.target_id, field, digest, target.label)
            for field in ("picture", "context")
            if (digest := getattr(target, field))
        ]
    for kind, where, field, digest, name in uses:
        if why := _picture_problem(store, digest):
            code, message = why
            words = _("“%(name)s”: %(what)s") % {"name": name, "what": message}
            yield problem(kind, code, words, where=where, field=field)


def kept_whole(graph: GraphSpec) -> Iterator[Problem]:
    """Taught pictures are not masked (S10.4).

    They are what screens are compared with and what is clicked: a target in a masked place could not be found again.
    """
    hides = graph.flags.get("masks") or graph.flags.get("mask_patterns")
    if hides and any(node.picture or node.looks for node in graph.nodes):
        yield of_workflow(
            "taught_pictures_are_whole",
            _(
                "What this workflow masks is left out of its runs; its taught pictures stay as they were taken, since "
                "screens are compared with them. Take them on a record that was made up for it."
            ),
            field="masks" if graph.flags.get("masks") else "mask_patterns",
            warn=True,
        )


def _picture_problem(store: PictureStore, digest: str) -> tuple[str, str] | None:
    """Code and sentence; the size comes from the PNG header, without decoding."""
    try:
        head = store.bytes_of(digest, 24)
        if len(head) < 24 or not head.startswith(PNG):
            return "picture_missing", _("its picture is damaged. Upload it again.")
        check_size(*struct.unpack_from(">II", head, 16), name=say("pictures.the_picture"))
    except PictureRefused as error:
        return "picture_too_large", worded(error)
    except PictureError:
        return "picture_missing", _("its picture is not in the store. Upload it again.")
    return None
