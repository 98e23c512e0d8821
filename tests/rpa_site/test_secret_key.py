"""The signing key: made once, outside the database, for its owner alone."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from rpa_site import secret_key


def test_a_key_is_made_once_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "data" / "secret_key"
    first = secret_key.load(path)
    assert len(first) >= 50
    assert secret_key.load(path) == first
    assert path.read_text() == first


def test_only_its_owner_can_read_it(tmp_path: Path) -> None:
    path = tmp_path / "secret_key"
    secret_key.load(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_two_installations_have_two_keys(tmp_path: Path) -> None:
    assert secret_key.load(tmp_path / "one") != secret_key.load(tmp_path / "two")


def test_a_key_that_is_there_is_taken_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "secret_key"
    path.write_text("from another machine\n")
    assert secret_key.load(path) == "from another machine"


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
