"""What stood on the screen after a step and not before it: a dialog that the act brought is told in its own words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from execution.language import fuzzy
from execution.record.hidden import HIDDEN
from execution.types import ScreenState

MOST = 40
SHORTEST = 3  # letters: what is shorter is a mark that was read as a letter


def came(before: Mapping[str, Any], after: ScreenState) -> list[str]:
    """New lines in the order in which they were read; `after` as it may be kept."""
    stood = {fuzzy.folded(text): text for text in (before.get("perception") or {}).get("detected_text") or ()}
    new = [line.text for line in after.texts if HIDDEN not in line.text and len(line.text.strip()) >= SHORTEST]
    new = [text for text in dict.fromkeys(new) if fuzzy.folded(text) not in stood]
    gone = set(stood) - {fuzzy.folded(line.text) for line in after.texts}  # read otherwise, perhaps
    lost = [fuzzy.words(stood[key]) for key in gone]
    return [text for text in new if not any(fuzzy.similarity(text, other) >= fuzzy.SEEN for other in lost)][:MOST]
