"""What a desktop says when it fails: a code with values, told in its reader's language wherever it is put."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from django.conf import settings
from django.utils import translation

from execution.desktop.acts import checked
from execution.desktop.base import DesktopBusy, DesktopError
from execution.desktop.lock import DesktopLock
from execution.turn.acting import perform
from execution.types import ActionStatus, Point, Resolution, ResolveStatus, Size, Suggestion
from sentences.said import cause, from_json, say, to_json, told_by, worded
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


def held(folder: Path) -> None:
    with DesktopLock(":7", folder, holder="robot-1"):
        DesktopLock(":7", folder).acquire()


def test_who_has_the_desktop_is_told_in_french(tmp_path: Path) -> None:
    """S9.2: with the process and the moment as they are, whatever marks the language has for thousands."""
    with pytest.raises(DesktopBusy) as busy:
        held(tmp_path)
    with translation.override("fr"):
        told = worded(busy.value)
    assert told.startswith("Le bureau :7 est utilisé par robot-1 (pid ")
    assert f"pid {told_by(busy.value).values['pid']}, depuis 20" in told  # type: ignore[attr-defined]


def test_an_act_that_the_desktop_refuses_is_kept_with_its_code() -> None:
    edge = EdgeSpec(edge_id="e", source="a", destination="b", action_type="click", params={})
    beside = Resolution(status=ResolveStatus.FOUND, point=Point(90_000, 5))
    suggestion = Suggestion(edge=edge, node_id="a", sentence="do", params={}, resolution=beside)
    result = perform(ScriptedDesktop(screens("one")), suggestion)
    assert result.status is ActionStatus.FAILED
    kept = to_json(result.message)
    assert kept["code"] == "desktop.point_outside"
    assert kept["x"] == 90_000


def test_what_a_desktop_says_inside_of_another_sentence_is_told_in_its_language() -> None:
    with pytest.raises(DesktopError) as raised:
        checked(Point(-1, 5), size=Size(10, 5))
    within = from_json(to_json(say("going.failed", error=cause(raised.value))))
    with translation.override("fr"):
        told = worded(within)
    assert told.endswith("Le point (-1, 5) est hors du bureau, qui fait 10 × 5 pixels.")
