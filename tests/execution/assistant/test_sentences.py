"""S8.5: every sentence of the assistant exists in French, with the spaces that French puts before its signs."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.utils import translation

ROOT = Path(__file__).resolve().parents[3]
MODULES = sorted([*(ROOT / "execution" / "assistant").glob("*.py"), *(ROOT / "gpu" / "assistant").glob("*.py")])
ENGLISH_SPACE = re.compile(r" [:;!?»]|« ")


def sentences(module: Path) -> Iterator[tuple[str, ...]]:
    """The texts of each call of gettext: one, two forms of one, or a context and one."""
    for call in ast.walk(ast.parse(module.read_text())):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name):
            texts = [a.value for a in call.args if isinstance(a, ast.Constant) and isinstance(a.value, str)]
            if texts and call.func.id in ("_", "gettext_lazy", "ngettext", "pgettext"):
                yield (call.func.id, *texts)


@pytest.mark.parametrize("module", MODULES, ids=lambda module: f"{module.parts[-3]}.{module.stem}")
def test_each_sentence_has_its_french(module: Path) -> None:
    for kind, *texts in sentences(module):
        with translation.override("fr"):
            if kind == "ngettext":
                french = [translation.ngettext(*texts, n) for n in (1, 2)]
            else:
                french = [translation.pgettext(*texts) if kind == "pgettext" else translation.gettext(texts[0])]
        assert texts[-1] not in french, f"no French for “{texts[-1]}”"
        assert not [one for one in french if ENGLISH_SPACE.search(one)], texts
