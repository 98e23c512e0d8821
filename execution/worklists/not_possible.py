"""A run that ended on a screen that says why its work is not possible: the reason that was taught, and the text that
was read there (S12.2)."""

from __future__ import annotations

from execution.language.fuzzy import SEEN
from execution.language.screen_texts import ScreenWords
from execution.models import Execution
from execution.record.kept_screens import state_of
from sentences.said import say
from workflows.graph import NodeSpec
from workflows.text import fill_known

_LONGEST = 200


def refusal_of(run: Execution) -> str:
    """Why the work is not possible, with the text read; "" where the run ended as it should."""
    node = run.version.spec().node(run.current_node_id)
    if node is None or not node.exception:
        return ""
    said = _text_read(run, node)
    return say("worklists.not_possible", why=node.exception, text=said) if said else node.exception


def _text_read(run: Execution, node: NodeSpec) -> str:
    """The lines of the last screen that hold what the node is known by; else those that were not there before."""
    steps = run.steps.order_by("-index")[:2]
    screens = [state for step in steps if (state := state_of(step)) is not None]
    if not screens:
        return ""
    lines = screens[0].texts
    values = {name: str(value) for name, value in run.variables.items()}
    wanted = [fill_known(text, values) for text in node.texts]
    said = [line.text for line in lines if any(ScreenWords([line]).seen(text) >= SEEN for text in wanted)]
    if not said and len(screens) > 1:
        before = ScreenWords(screens[1].texts)
        said = [line.text for line in lines if before.seen(line.text) < SEEN]
    return " ".join(dict.fromkeys(said))[:_LONGEST]
