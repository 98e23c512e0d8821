"""Settings that cannot be: refused at the start, by name, with what they must be and where to change them (S5.8)."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured
from environ import Env, FileAwareEnv

from rpa_site import reading

ROOT = Path(__file__).resolve().parents[2]
WRONG = {
    "RPA_LEASE_S": "abc",
    "RPA_COACHING_TIMEOUT_S": "-5",
    "RPA_CAPTURE_INTERVAL_MS": "0",
    "RPA_MATCH_THRESHOLD": "1.5",
    "RPA_SIMILARITY_THRESHOLD": "nan",
    "RPA_DATABASE_TIMEOUT_S": "1e9",
    "RPA_BEHIND_TLS": "perhaps",
    "RPA_ENABLE_OCR": "2",
    "RPA_MAX_PICTURE_MEGAPIXELS": "lots",
    "RPA_OLLAMA_URL": "localhost:11434",
    "RPA_OPENAI_URL": "http://127.0.0.1:99999/v1",
    "REDIS_URL": "127.0.0.1:6379",
    "RPA_LOG_LEVEL": "loud",
    "PORT": "123456",
    "TZ": "Mars/Olympus",
}
# One that the settings refuse, and those that only the checks of the system see.
CHECKED = {
    "RPA_LEASE_S": "abc",
    "RPA_GPU_HEADROOM_MB": "-1",
    "RPA_GPU_LOAD_TIMEOUT_S": "soon",
    "RPA_MODEL_CATALOGUE": "/nowhere/models.yaml",
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_setting_is_refused_by_its_name(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, WRONG[name])
    spec = spec_from_file_location("fresh_settings", ROOT / "rpa_site" / "settings.py")
    assert spec
    assert spec.loader
    with pytest.raises(ImproperlyConfigured, match=f"^{name} .*Change it in the environment"):
        spec.loader.exec_module(module_from_spec(spec))


@pytest.mark.parametrize("name", CHECKED)
@pytest.mark.slow
def test_a_command_tells_it_in_a_sentence_and_with_no_traceback(name: str, tmp_path: Path) -> None:
    env = {**os.environ, "RPA_DATA_DIR": str(tmp_path), "RPA_ENV_FILE": os.devnull, name: CHECKED[name]}
    env.pop("DATABASE_URL", None)  # a file of its own, whatever the other tests stand on
    command = [sys.executable, "manage.py", "check"]
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 1
    assert name in done.stderr or CHECKED[name] in done.stderr, done.stderr[-800:]
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "url",
    [
        "redis://:se/cret@127.0.0.1:6379",
        "redis://:secret@127.0.0.1:6379/0?patience=1",
        "redis://:secret@127.0.0.1:99999",
        "redis://:secret@127.0.0.1:0",
        "redis://:secret@[odd",
        "redis://:secret@.a..b:6379",
        "redis://:secret@127.0.0.1?protocol=9",
        "http://:secret@127.0.0.1:6379",
    ],
)
def test_an_address_that_the_client_of_redis_does_not_take_is_refused_and_not_repeated(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REDIS_URL", url)
    with pytest.raises(ImproperlyConfigured, match="REDIS_URL must be an address such as") as refused:
        reading.redis(Env())
    assert "cret" not in str(refused.value)
    assert refused.value.__cause__ is refused.value.__context__ is None


@pytest.mark.parametrize(
    "url",
    ["redis://127.0.0.1:6379", "rediss://u:se%2Fcret@redis.local/1?socket_timeout=2", "unix:///run/redis.sock", ""],
)
def test_one_that_it_takes_is_kept(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REDIS_URL", url)
    assert reading.redis(Env()) == url


# --- pictures in a store ----------------------------------------------------------------------------------------------
KEY = {"RPA_PICTURES_KEY_ID": "key", "RPA_PICTURES_SECRET": "sec/ret"}


def pictures(monkeypatch: pytest.MonkeyPatch, url: str, **told: str) -> dict[str, object]:
    for name, value in {"RPA_PICTURES_URL": url, **told}.items():
        monkeypatch.setenv(name, value)
    return reading.pictures(Env())


@pytest.mark.security
@pytest.mark.parametrize(
    "url",
    [
        "s3://screens",
        "screens",
        "https://",
        "https://pictures.example:9000",
        "https://pictures.example:9000/",
        "https://key:sec/ret@pictures.example:9000/screens",
        "https://key:secret@pictures.example:9000/screens",
        "https://pictures.example:99999/screens",
        "https://pictures.example/screens?secret=1",
    ],
)
def test_an_address_without_a_server_of_ones_own_or_with_the_key_is_refused(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S10.4: without a server pictures of screens would go to Amazon."""
    with pytest.raises(ImproperlyConfigured, match="must name your own server and the bucket there") as refused:
        pictures(monkeypatch, url, **KEY)
    assert "cret@" not in str(refused.value)


def test_server_bucket_and_folder_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    options = {
        "endpoint_url": "https://pictures.example:9000", "bucket_name": "screens", "location": "ward/3",
        "access_key": "key", "secret_key": "sec/ret", "region_name": "us-east-1",
    }  # fmt: skip
    bucket = {"BACKEND": "workflows.picture_bucket.PictureBucket", "OPTIONS": options}
    assert pictures(monkeypatch, "https://pictures.example:9000/screens/ward/3/", **KEY) == bucket
    options |= {"location": "", "region_name": "garage"}
    assert pictures(monkeypatch, "https://pictures.example:9000/screens", RPA_PICTURES_REGION="garage", **KEY) == bucket


def test_the_key_may_stand_in_a_file_and_must_be_there(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with pytest.raises(ImproperlyConfigured, match="needs RPA_PICTURES_KEY_ID and RPA_PICTURES_SECRET"):
        pictures(monkeypatch, "https://pictures.example/screens", RPA_PICTURES_KEY_ID="key")
    (tmp_path / "secret").write_text("of a file")
    monkeypatch.setenv("RPA_PICTURES_SECRET_FILE", str(tmp_path / "secret"))
    monkeypatch.setenv("RPA_PICTURES_URL", "https://pictures.example/screens")
    assert reading.pictures(FileAwareEnv())["OPTIONS"]["secret_key"] == "of a file"


def test_what_it_needs_is_named_where_it_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "find_spec", lambda name: None)
    with pytest.raises(ImproperlyConfigured, match="requirements-many.txt"):
        pictures(monkeypatch, "https://pictures.example/screens", **KEY)


def test_by_default_pictures_lie_in_a_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    assert pictures(monkeypatch, "") == {"BACKEND": "workflows.picture_files.PictureFiles"}
