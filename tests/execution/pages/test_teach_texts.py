"""Every text that the scripts of teaching ask for is there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from execution.pages.teach_texts import teach

SCRIPTS = Path(__file__).resolve().parents[3] / "execution" / "static" / "execution"


def test_every_text_that_the_scripts_of_teaching_show_is_there() -> None:
    scripts = [SCRIPTS / "teach.js", *sorted((SCRIPTS / "teach").glob("*.js"))]
    said = {name for path in scripts for name in re.findall(r'say\(["`]([\w.]+)', path.read_text())}
    assert len(said) > 100
    words = teach()
    assert {name for name in said if not found(words, name.rstrip("."))} == set()


def found(words: dict[str, Any], path: str) -> Any:
    at: Any = words
    for part in path.split("."):
        at = at.get(part) if isinstance(at, dict) else None
    return at
