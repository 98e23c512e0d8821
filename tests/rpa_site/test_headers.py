"""What every answer says to browsers, and what is left on the disk for whom (S10.4; T13)."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from rpa_site.file_modes import shut
from rpa_site.middleware import POLICY
from tests.test_routes import answer, routes, world  # noqa: F401  world is a fixture

ROOT = Path(__file__).resolve().parents[2]

pytestmark = [pytest.mark.django_db, pytest.mark.security]


@pytest.mark.slow
def test_nothing_that_shows_a_screen_is_kept_by_a_browser(world: Any, make_user: Any, client_of: Any) -> None:  # noqa: F811
    """S10.4: every page, answer and picture, refusals as well; static files are cached as before."""
    client = client_of(make_user("ada", "admin"), raise_request_exception=False)
    kept = {}
    for route in routes(world):
        response = client.get(route.path)
        if "no-store" not in response.headers.get("Cache-Control", ""):
            kept[route.path] = (response.status_code, response.headers.get("Cache-Control"))
    assert {path for path in kept if "jsi18n" not in path} == set()
    static = Client().get("/static/rpa_site/surehand.css")
    assert static.getvalue()
    assert "no-store" not in static.headers.get("Cache-Control", "")


def test_every_answer_carries_the_policies(viewer: Any, client_of: Any) -> None:
    for response in (Client().get("/login"), client_of(viewer).get("/"), client_of(viewer).get("/api/executions/")):
        assert response.headers["Content-Security-Policy"] == POLICY
        assert "camera=()" in response.headers["Permissions-Policy"]
    assert "unsafe" not in POLICY


def test_no_template_has_a_style_or_a_script_inside() -> None:
    """The policy would leave them out; an exported run is opened from the disk, where no server is."""
    inside = re.compile(r"<style|\sstyle=|\son[a-z]+=\"|<script(?![^>]*\bsrc=)(?![^>]*application/json)")
    found = [
        f"{path.relative_to(ROOT)}: {line.strip()[:80]}"
        for path in (ROOT / "templates").rglob("*.html")
        if path.name not in ("export.html", "_export_step.html")
        for line in path.read_text().splitlines()
        if inside.search(line)
    ]
    assert found == []


# --- on the disk -----------------------------------------------------------------------------------------------------
def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def test_what_was_open_before_is_shut_at_the_start(tmp_path: Path) -> None:
    data = tmp_path / "var"
    for name in ("pictures/ab/x.png", "live/host:1.jpg", "surehand.sqlite3", "surehand.sqlite3-journal"):
        (data / name).parent.mkdir(parents=True, exist_ok=True)
        (data / name).write_bytes(b"screen")
        (data / name).chmod(0o644)
    for folder in (data, data / "pictures", data / "pictures/ab", data / "live"):
        folder.chmod(0o755)
    shut(data)
    found = {mode(path) for path in (data, *data.rglob("*")) if path.is_dir()}
    assert found == {0o700}
    assert {mode(path) for path in data.rglob("*") if path.is_file()} == {0o600}
    shut(tmp_path / "nowhere")


@pytest.mark.slow
def test_the_commands_make_nothing_that_others_read(tmp_path: Path) -> None:
    """The database with all it holds, made by `migrate` under an open umask."""
    env = {**os.environ, "RPA_DATA_DIR": str(tmp_path / "var")}
    env.pop("DATABASE_URL", None)  # a file of its own, whatever the other tests stand on
    command = f"umask 000; mkdir {tmp_path}/var; exec {sys.executable} manage.py migrate -v0"
    subprocess.run(["sh", "-c", command], cwd=ROOT, env=env, check=True, timeout=120, capture_output=True)
    made = list((tmp_path / "var").rglob("*"))
    assert "surehand.sqlite3" in {path.name for path in made}
    assert [path.name for path in (tmp_path / "var", *made) if mode(path) & 0o077] == []
