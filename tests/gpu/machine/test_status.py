from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from gpu import last_known_status
from gpu.machine.ownership import Ownership
from gpu.machine.status import gpu_folder, nothing_known
from gpu.types import as_json
from tests.gpu.rows import CARD, STATUS, tell

pytestmark = pytest.mark.django_db


@pytest.fixture
def owned(settings: Any, tmp_path: Path) -> Iterator[Ownership]:
    """This process owns the GPU of a machine of its own."""
    settings.DATA_DIR = tmp_path
    ownership = Ownership(gpu_folder())
    assert ownership.hold("run loop")
    yield ownership
    ownership.release()


def known(*machine: str) -> dict[str, Any]:
    said = last_known_status(*machine)
    assert said is not None
    return said


def test_what_the_owner_told_is_known_with_its_age(owned: Ownership) -> None:
    """S3.8"""
    row = tell(age_s=1.0)
    said = known()
    assert (said["vlm_state"], said["execution_mode"], said["vram"]) == ("loaded", "recording", as_json(STATUS)["vram"])
    assert (said["owner"], said["owner_pid"], said["owner_died"]) == ("run loop", os.getpid(), False)
    assert (said["fresh"], said["at"], said["revision"]) == (True, row.heartbeat_at.isoformat(), 3)
    assert said["age_s"] == pytest.approx(1.0, abs=0.5)


def test_an_owner_without_sign_of_life_for_ten_seconds_is_stale_and_still_the_owner(owned: Ownership) -> None:
    tell(age_s=10.1)
    said = known()
    assert (said["fresh"], said["owner"], said["owner_died"]) == (False, "run loop", False)


def test_an_owner_whose_process_has_ended_is_said_to_have_died_at_once(owned: Ownership) -> None:
    """The kernel's lock tells it, without waiting for a sign of life that does not come."""
    tell()
    owned.release()
    said = known()
    assert (said["fresh"], said["owner"], said["owner_pid"], said["owner_died"]) == (False, "", None, True)
    assert said["vlm_state"] == "loaded"  # what it said last


def test_an_owner_that_has_given_the_gpu_back_has_not_died(settings: Any, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path
    tell(owner="", owner_pid=None, owner_since=None)
    said = known()
    assert (said["owner"], said["owner_since"], said["owner_died"]) == ("", None, False)


def test_of_another_machine_nobody_can_say_here_whether_its_owner_died(settings: Any, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path
    tell(machine="desk-8")
    assert last_known_status() is None
    said = known("desk-8")
    assert (said["owner"], said["owner_died"], said["fresh"]) == ("run loop", False, True)


def test_without_a_gpu_there_is_no_memory(owned: Ownership) -> None:
    """S3.10"""
    tell(vram=[], degraded=True, degraded_reason="There is no GPU here.", degraded_since=timezone.now())
    said = known()
    assert (said["vram"], said["degraded"], said["degraded_reason"]) == (None, True, "There is no GPU here.")
    assert said["degraded_since"]


def test_nothing_known_and_a_status_of_ones_own_have_all_that_a_known_one_has(owned: Ownership) -> None:
    tell()
    all_of_it = known()
    assert {**nothing_known(), **as_json(STATUS)}.keys() == all_of_it.keys()
    assert as_json(STATUS)["vram"]["uuid"] == CARD.uuid
