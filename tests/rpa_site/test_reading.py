"""Settings that cannot be: refused at the start, by name, with what they must be and where to change them (S5.8)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

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
    "RPA_LOG_LEVEL": "loud",
    "PORT": "123456",
    "TZ": "Mars/Olympus",
    "RPA_GPU_HEADROOM_MB": "-1",
    "RPA_GPU_LOAD_TIMEOUT_S": "soon",
    "RPA_MODEL_CATALOGUE": "/nowhere/models.yaml",
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_setting_is_a_sentence_with_its_name_and_no_traceback(name: str, tmp_path: Path) -> None:
    env = {**os.environ, "RPA_DATA_DIR": str(tmp_path), "RPA_ENV_FILE": os.devnull, name: WRONG[name]}
    command = [sys.executable, "manage.py", "check"]
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 1
    assert name in done.stderr or WRONG[name] in done.stderr, done.stderr[-800:]
    assert "Traceback" not in done.stderr
