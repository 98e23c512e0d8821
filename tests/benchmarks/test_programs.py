"""S9.1, S9.6: of what others wrote nothing is done that should not be, counted by the page's own server."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchmarks.programs.web import perform
from execution.perception.analyzer import build_analyzer
from tests.support.display import missing_programs, virtual_desktop

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.display,
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(bool(missing_programs("chromium", "xdotool")), reason="Xvfb, openbox and chromium are needed"),
]


def test_what_was_typed_into_another_field_is_not_saved(settings: Any, tmp_path: Path) -> None:
    """The focus goes elsewhere, before or while the text is typed: a person is asked, and nothing was sent."""
    settings.DATA_DIR = tmp_path
    with virtual_desktop(1200, 820) as screen:
        tries = list(perform("plain", build_analyzer(), screen, tmp_path, row=True, only="focus"))
    assert [(one.verdict, one.acts) for one in tries] == [("asked", "open(48231)")] * 2, tries
