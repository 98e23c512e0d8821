"""What a desktop says when it fails: a code with values, told in its reader's language wherever it is put."""

from __future__ import annotations

import ast
from pathlib import Path

from django.conf import settings

from execution.turn.acting import perform
from execution.types import ActionStatus, Point, Resolution, ResolveStatus, Suggestion
from sentences.said import to_json
from tests.doubles.scripted import ScriptedDesktop
from tests.support.scripted import screens
from workflows.graph import EdgeSpec

RAISED = {
    "DesktopError", "DesktopUnavailable", "DesktopLost", "DesktopBusy", "UnknownKey", "UnknownWindowProvider",
}  # fmt: skip
ONLY_PROGRAMMERS = {"scripted.py"}  # drawn in code: what it refuses is a mistake of the code that draws it


def test_no_desktop_fails_in_words_of_one_language() -> None:
    """A text, or one with values put into it, would stand in English inside a sentence of another language."""
    wrong = []
    for path in sorted((Path(settings.BASE_DIR) / "execution" / "desktop").glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in RAISED):
                continue
            texts = [arg for arg in node.args if isinstance(arg, ast.JoinedStr | ast.Constant | ast.BinOp)]
            if texts and path.name not in ONLY_PROGRAMMERS:
                wrong.append(f"{path.name}:{node.lineno}")
    assert not wrong


def test_an_act_that_the_desktop_refuses_is_kept_with_its_code() -> None:
    edge = EdgeSpec(edge_id="e", source="a", destination="b", action_type="click", params={})
    beside = Resolution(status=ResolveStatus.FOUND, point=Point(90_000, 5))
    suggestion = Suggestion(edge=edge, node_id="a", sentence="do", params={}, resolution=beside)
    result = perform(ScriptedDesktop(screens("one")), suggestion)
    assert result.status is ActionStatus.FAILED
    kept = to_json(result.message)
    assert kept["code"] == "desktop.point_outside"
    assert kept["x"] == 90_000
