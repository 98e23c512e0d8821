from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def _pictures_of_its_own(settings, tmp_path: Path) -> None:
    """Each test has its own picture store."""
    settings.DATA_DIR = tmp_path / "data"
