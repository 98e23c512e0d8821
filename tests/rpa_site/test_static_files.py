"""Static files come compressed and are kept by browsers for ever; uncollected ones are served as they lie."""

from __future__ import annotations

import gzip
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.templatetags.static import static
from django.test import Client, override_settings

from benchmarks.page_weight import LIVE_GOAL_KB, live
from rpa_site.smoke import ExitCode, static_files
from rpa_site.static_files import stale
from tests.support.streaming import web

SCRIPT = "execution/live.js"
HASHED = re.compile(r"\.[0-9a-f]{12}\.\w+$")


@pytest.fixture(autouse=True)
def as_deployed(settings: Any) -> None:
    """All files are gone through once, as each process of the product does."""
    settings.WHITENOISE_AUTOREFRESH = False


@pytest.fixture(scope="module")
def once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("static")
    with override_settings(STATIC_ROOT=folder):
        call_command("collectstatic", interactive=False, verbosity=0)
    return folder


@pytest.fixture
def collected(once: Path, settings: Any) -> Path:
    settings.STATIC_ROOT = once
    return once


@pytest.fixture
def copied(once: Path, tmp_path: Path, settings: Any) -> Path:
    """The same in a folder that a test may change."""
    settings.STATIC_ROOT = tmp_path / "static"
    return Path(shutil.copytree(once, settings.STATIC_ROOT))


@pytest.mark.slow
def test_a_collected_file_is_compressed_and_kept_for_ever(collected: Path) -> None:
    name = static(SCRIPT)
    assert re.fullmatch(r"/static/execution/live\.[0-9a-f]{12}\.js", name)
    answer = Client().get(name, headers={"Accept-Encoding": "gzip, deflate"})
    assert answer.headers["Content-Encoding"] == "gzip"
    assert "immutable" in answer.headers["Cache-Control"]
    assert b"import" in gzip.decompress(answer.getvalue())


@pytest.mark.slow
def test_scripts_import_each_other_by_the_names_that_are_kept(collected: Path) -> None:
    ours = [p for room in ("execution", "rpa_site", "workflows") for p in (collected / room).rglob("*.js")]
    kept = [path for path in ours if HASHED.search(path.name) and "vendor" not in path.parts]
    assert len(kept) > 25
    for path in kept:
        for imported in re.findall(r'from "(\.[^"]+)"', path.read_text()):
            assert HASHED.search(imported), path
            assert (path.parent / imported).is_file()


def test_what_was_not_collected_is_served_as_it_lies_in_the_tree() -> None:
    assert static(SCRIPT) == f"/static/{SCRIPT}"
    assert Client().get(static(SCRIPT)).getvalue()


def test_files_of_another_version_are_told_after_a_deploy(copied: Path) -> None:
    assert stale() == []
    assert static_files().verdict == ExitCode.KEEP
    (copied / SCRIPT).write_text("of the version before")
    (copied / "rpa_site" / "surehand.css").unlink()
    assert stale() == [SCRIPT, "rpa_site/surehand.css"]
    found = static_files()
    assert found.verdict == ExitCode.LOOK
    assert SCRIPT in found.why
    assert "collectstatic" in found.to_do


@pytest.mark.browser
@pytest.mark.slow
def test_the_live_page_is_light_and_whole() -> None:
    """Over a thin line it opens as well, its screen included; what draws the graph comes when that is opened."""
    with web(collected=True) as server:
        first, with_graph = live(server)
    assert first.kb <= LIVE_GOAL_KB
    assert first.failed == with_graph.failed == []
    texts = [address for address in with_graph.sizes if re.search(r"/static/.*\.(js|css|svg)$", address)]
    assert len(texts) > 30
    assert [address for address in texts if with_graph.encodings[address] != "gzip"] == []
    assert [address for address in texts if not HASHED.search(address)] == []
