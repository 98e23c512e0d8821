"""The texts of the scripts: each has its French, and a logged-in browser gets them at one address, once (S7.3)."""

from __future__ import annotations

import gettext
import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from django.utils import translation

from rpa_site.script_catalogue import address

ROOT = Path(__file__).resolve().parents[2]
APPS = ("analytics", "execution", "gpu", "rpa_site", "workflows")
SCRIPTS = [p for app in APPS for p in (ROOT / app / "static").rglob("*.js") if "vendor" not in p.parts]
CALL = re.compile(r"(?<![\w.$])[np]?gettext\(")
LITERAL = r'("(?:[^"\\\n]|\\.)*")'
ASKED = re.compile(rf"(?<![\w.$])([np]?)gettext\(\s*{LITERAL}(?:, {LITERAL})?")
ALIKE = {
    "Action", "Pause", "Robots", "Test", "Workflow", "variable", "%(n)s s", "%(name)s, version %(n)s",
    "%(who)s (%(where)s)",
}  # fmt: skip
PLACES = re.compile(r"%\((\w+)\)(.)")


def asked() -> dict[str, set[str]]:
    """What the scripts ask for, with the forms of each, by the name that a catalogue has for it."""
    found: dict[str, set[str]] = {}
    for script in SCRIPTS:
        source = re.sub(r"/\*.*?\*/", "", script.read_text(), flags=re.DOTALL)
        literal = list(ASKED.finditer(source))
        assert len(literal) == len(CALL.findall(source)), f"{script.name} asks for what cannot be extracted"
        for kind, *texts in (one.groups() for one in literal):
            first, second = (json.loads(text) if text else "" for text in texts)
            found[f"{first}\x04{second}" if kind == "p" else first] = (
                {first, second} if kind == "n" else {second or first}
            )
    return found


def french() -> dict[str, set[str]]:
    """The compiled catalogue: the texts of each name, both of one with a plural."""
    catalogue: dict[Any, str] = gettext.translation("djangojs", settings.LOCALE_PATHS[0], ["fr"])._catalog  # type: ignore[attr-defined]
    found: dict[str, set[str]] = {}
    for name, text in catalogue.items():
        found.setdefault(name[0] if isinstance(name, tuple) else name, set()).add(text)
    return {name: texts for name, texts in found.items() if name}


def test_every_text_that_a_script_asks_for_has_its_french_and_no_other_has() -> None:
    known = asked()
    assert len(known) > 600
    assert french().keys() == known.keys()
    assert all(all(texts) for texts in french().values())
    assert {name for name, texts in french().items() if texts & known[name]} == ALIKE


def test_a_text_and_its_french_take_the_same_values() -> None:
    translated = french()
    for name, texts in asked().items():
        taken = {place for text in texts for place in PLACES.findall(text)}
        assert taken == {place for text in translated[name] for place in PLACES.findall(text)}, name
        assert {form for _place, form in taken} <= {"s"}, name


@pytest.mark.django_db
@pytest.mark.parametrize(("language", "word"), [("en", None), ("fr", "en attente d’un robot")])
def test_a_browser_gets_them_in_its_language_and_keeps_them(
    client_of: Any, stranger: Any, language: str, word: str | None
) -> None:
    with translation.override(language):
        place = address()
    answer = client_of(stranger).get(place, headers={"Accept-Language": language, "Accept-Encoding": "gzip"})
    assert answer.headers["Content-Type"].startswith("text/javascript")
    assert {"private", "immutable"} < set(answer.headers["Cache-Control"].split(", "))
    assert {"Accept-Language", "Cookie"} <= set(re.split(r",\s*", answer.headers["Vary"]))
    script = gzip.decompress(answer.content).decode()
    assert "globals.ngettext" in script
    assert ("Waiting for a robot" in script) is (word is not None)
    assert f"?{language}-" in place


@pytest.mark.django_db
def test_a_page_names_it_for_whoever_is_logged_in(client_of: Any, operator: Any) -> None:
    place = client_of(operator).get("/robots").content.decode()
    assert f'<script src="{address()}"></script>' in place
    assert "catalogue.js" not in Client().get("/login").content.decode()
    assert Client().get(address()).status_code == 302
