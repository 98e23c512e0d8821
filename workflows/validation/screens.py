"""Can each screen be recognised, and told from the others?"""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

from django.utils.translation import gettext as _

from sentences.said import say, worded
from workflows.commonplaces import is_told_apart
from workflows.exceptions import PictureError, PictureRefused
from workflows.graph import GraphSpec, NodeSpec, PopupSpec
from workflows.pictures import PictureStore, check_size
from workflows.validation.problem import Kind, Problem, of_edge, of_node, of_variable, of_workflow, problem

# Is there a way from an entry to an end, through every screen?


def shape(graph: GraphSpec) -> Iterator[Problem]:
    if not graph.nodes:
        yield of_workflow("no_node", _("There is no screen yet. Teach the workflow, or add its first screen."))
        return
    if not graph.entry_nodes:
        yield of_workflow("no_entry", _("No screen is marked as entry. Mark the screen on which a run begins."))
    if not graph.end_nodes:
        yield of_workflow("no_end", _("No screen is marked as the end. Mark the screen on which a run is finished."))


def ids(graph: GraphSpec) -> Iterator[Problem]:
    makers = (
        (of_node, [n.node_id for n in graph.nodes]),
        (of_edge, [e.edge_id for e in graph.edges]),
        (of_variable, [v.name for v in graph.variables]),
    )
    for make, ids in makers:
        for name in (i for i, times in Counter(ids).items() if times > 1):
            yield make(
                "duplicate_id", _("The id “%(id)s” is used twice. Give one of them another.") % {"id": name}, where=name
            )


def reach(graph: GraphSpec) -> Iterator[Problem]:
    ends, named = frozenset(graph.end_nodes), {n.node_id: n.name for n in graph.nodes}
    for entry in graph.entry_nodes if ends else ():
        if not ends & graph.reachable([entry]):
            yield of_node(
                "end_not_reachable",
                _("From “%(name)s” no way leads to an end. Add the missing action, or mark another screen as end.")
                % {"name": named[entry]},
                where=entry,
            )
    common = [n.node_id for n in graph.nodes if n.is_common]
    reached = graph.reachable([*graph.entry_nodes, *common]) if graph.entry_nodes else frozenset()
    for node in graph.nodes:
        if reached and node.node_id not in reached:
            yield of_node(
                "unreachable",
                _("No way leads from an entry to “%(name)s”. Add an action that leads there, or remove the screen.")
                % {"name": node.name},
                where=node.node_id,
            )
        if not node.is_end and not graph.outgoing(node.node_id):
            yield of_node(
                "terminal_not_end",
                _("No action leads on from “%(name)s”, so a run ends there. Mark it as end if that is meant.")
                % {"name": node.name},
                where=node.node_id,
                field="is_end",
                warn=True,
            )


def recognition(graph: GraphSpec) -> Iterator[Problem]:
    first: dict[Any, NodeSpec] = {}
    for node in graph.nodes:
        if not (node.texts or node.window_title.strip() or node.picture or node.looks):
            yield of_node(
                "nothing_to_recognise",
                _("“%(name)s” has nothing to recognise it by. Give it a text, a window title or a picture.")
                % {"name": node.name},
                where=node.node_id,
                field="texts",
            )
            continue
        if _matches_anything(node):
            yield of_node(
                "matches_anything",
                _("“%(name)s” would match nearly any screen. Add a text that only this screen shows.")
                % {"name": node.name},
                where=node.node_id,
                field="texts",
                warn=True,
            )
        twin = first.setdefault((node.scope, _evidence(node)), node)
        if twin is not node:
            yield of_node(
                "same_evidence",
                _("“%(name)s” and “%(other)s” are recognised by the same. Add a text that only one of them shows.")
                % {"name": node.name, "other": twin.name},
                where=node.node_id,
                field="texts",
            )


def _evidence(node: NodeSpec) -> Any:
    def folded(texts: Iterable[str]) -> frozenset[str]:
        return frozenset(" ".join(t.split()).casefold() for t in texts)

    pictures = frozenset((node.picture, *node.looks)) - {""}
    return folded(node.texts), folded(node.absent), node.window_title.strip(), node.app_name.strip(), pictures


def _matches_anything(node: NodeSpec) -> bool:
    """No picture, a title of nothing but `*`, and no text of two letters or digits."""
    says_something = any(sum(c.isalnum() for c in t) > 1 for t in node.texts)
    return not (node.picture or node.looks) and not says_something and not node.window_title.strip(" *")


# Is every dialog that may come known by something of its own, and closed in one way?


def dialogs(graph: GraphSpec) -> Iterator[Problem]:
    seen: set[str] = set()
    for popup in (one for one in graph.popups if not one.scope):
        yield from _popup(popup)
        if popup.name in seen:
            yield _of_popup(
                "popup_twice", popup, _("Two dialogs are called “%(name)s”. Give one of them another name.")
            )
        seen.add(popup.name)


def _popup(popup: PopupSpec) -> Iterator[Problem]:
    problem = partial(_of_popup, popup=popup)
    if not popup.name.strip():
        yield problem("popup_without_name", message=_("A dialog that may come has no name. Give it one."))
    if not popup.texts and not popup.window_title.strip():
        yield problem(
            "popup_unknown",
            message=_("Nothing says how to know the dialog “%(name)s”. Give it a text or a window title."),
        )
    elif not popup.texts and not popup.window_title.strip(" *"):
        yield problem(
            "popup_matches_anything",
            message=_("The dialog “%(name)s” would be any window. Give it a text, or more of its window title."),
        )
    elif not is_told_apart(popup):
        yield problem(
            "popup_like_any",
            message=_(
                "The dialog “%(name)s” is known by what many dialogs say, such as the captions of its buttons: another "
                "question would be answered like it. Give it a text that only it says, or a window title."
            ),
        )
    if bool(popup.keys) == bool(popup.click):
        yield problem(
            "popup_not_closed",
            message=_("The dialog “%(name)s” is closed either by keys or by a click on a text. Fill in one of them."),
        )
    elif popup.keys and not all(popup.keys.split("+")):
        yield problem("popup_bad_keys", message=_("The dialog “%(name)s”: write its keys as alt+f4."))


def _of_popup(code: str, popup: PopupSpec, message: str) -> Problem:
    return of_workflow(code, message % {"name": popup.name}, where=popup.name, field="popups")


# Is every picture in the store, and of a size that is taken?

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
