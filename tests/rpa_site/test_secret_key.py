"""The signing key: made once, outside the database, for its owner alone."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from rpa_site import secret_key


@pytest.mark.security
def test_a_key_is_made_once_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "data" / "secret_key"
    first = secret_key.load(path)
    assert len(first) >= 50
    assert secret_key.load(path) == path.read_text() == first
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert secret_key.load(tmp_path / "another") != first


def test_a_process_that_comes_second_in_the_same_moment_takes_the_first_ones_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The web process and the run loop start together: both must end with one key, and nothing is left over."""
    path = tmp_path / "secret_key"
    make_token = secret_key.secrets.token_urlsafe

    def overtaken(size: int) -> str:
        path.write_text("the key of whoever was first")
        return make_token(size)

    monkeypatch.setattr(secret_key.secrets, "token_urlsafe", overtaken)
    assert secret_key.load(path) == "the key of whoever was first"
    assert [file.name for file in tmp_path.iterdir()] == ["secret_key"]
