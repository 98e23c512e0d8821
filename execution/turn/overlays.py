"""What lies over the screens of one run: told of, and closed where the workflow or a person says so."""

from __future__ import annotations

from typing import Any

from execution.matching.dialogs import Dialog
from execution.targeting.pressing import Chosen
from execution.turn.closing import Closer
from execution.turn.position import Position
from execution.turn.stages import Stages
from execution.types import Match, Recognition, ScreenState
from sentences.said import say
from workflows.graph import EdgeSpec


class Overlays:
    def __init__(self, stages: Stages, closer: Closer, at: Position) -> None:
        self.stages, self.closer, self.at = stages, closer, at
        self.graph = stages.graph

    def over(self, state: ScreenState) -> tuple[str, dict[str, Any]]:
        """What lies over the screen that was known last, in a sentence and for the pages; empty if nothing does."""
        dialog = self.stages.dialog_over(state, self.at.known)
        return (self._said(dialog, self.at.last_node or ""), dialog.to_json(state)) if dialog else ("", {})

    def over_page(self, state: ScreenState, match: Match, known: ScreenState | None) -> tuple[str, dict[str, Any]]:
        """The same of a page that can be read behind a dialog."""
        dialog = self.stages.dialog_over_recognised(state, match, known)
        return (self._said(dialog, match.node_id), dialog.to_json(state)) if dialog else ("", {})

    def covered(self, state: ScreenState, match: Match) -> Recognition | None:
        """A page that can be read behind a dialog is not what is in front: nothing is done on it."""
        said, _dialog = self.over_page(state, match, self.at.known)
        return Recognition(match=None, candidates=(match,), why_not=said) if said else None

    def _said(self, dialog: Dialog, node_id: str) -> str:
        words = {"node": self.graph.name_of(node_id), "dialog": dialog.told}
        return say("turn.dialog_over", **words)

    def close(self, state: ScreenState, recognition: Recognition) -> str | None:
        """Close a dialog that the workflow knows: None where there is none, else why it could not be, or nothing."""
        found = self.closer.find(state, recognition, self.at.known)
        return None if found is None else self.closer.close(found, state, recognition, self.at.last_node or "")

    def clear(self, state: ScreenState, edge: EdgeSpec) -> bool:
        """Close one that came while an action was done; whether there was one."""
        if not self.graph.popups:
            return False
        recognition = self.stages.recognise(state, last_node=edge.source, expected=edge.leads_to[0])
        found = self.closer.find(state, recognition, self.at.known)
        return found is not None and not self.closer.close(found, state, recognition, edge.source)

    def press(self, chosen: Chosen, state: ScreenState) -> str:
        """Press the button that a person chose; gives why nothing was pressed, else empty."""
        return self.closer.press(chosen, state, self.at.known, self.at.last_node or "")
