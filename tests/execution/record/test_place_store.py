"""Places in the database. S5.4: keyed by workflow, target, resolution and window size; a failed check removes one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.db import DatabaseError, IntegrityError, InterfaceError, transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from execution.models import Place
from execution.record.place_store import DatabasePlaces
from execution.targeting.places import PlaceKey, PlaceStore
from execution.types import Box

pytestmark = pytest.mark.django_db

KEY = PlaceKey(workflow_id="wf", target_id="t_1", screen_size=(1920, 1080), window_size=(800, 600))
BOX = Box(10, 20, 120, 32)
PLACES = reverse("admin:execution_place_changelist")
OTHERS = [
    {"workflow_id": "other"},
    {"target_id": "t_2"},
    {"screen_size": (1080, 1920)},
    {"screen_size": (1920, 1200)},
    {"window_size": (800, 601)},
    {"window_size": (0, 0)},
]


@pytest.fixture
def store() -> PlaceStore:
    return DatabasePlaces()


def test_what_is_put_is_there_for_the_next_run_loop(store: PlaceStore) -> None:
    store.put(KEY, BOX)
    assert DatabasePlaces().get(KEY) == BOX
    assert isinstance(DatabasePlaces().get(KEY), Box)


@pytest.mark.parametrize("other", OTHERS)
def test_a_place_is_of_one_workflow_target_resolution_and_window_size_alone(
    store: PlaceStore, other: dict[str, Any]
) -> None:
    """S5.4"""
    store.put(KEY, BOX)
    assert store.get(replace(KEY, **other)) is None
    store.drop(replace(KEY, **other))
    store.put(replace(KEY, **other), Box(0, 0, 5, 5))
    assert store.get(KEY) == BOX


def test_a_dropped_place_is_gone(store: PlaceStore) -> None:
    """S5.4: a miss or a failed check removes the entry."""
    store.put(KEY, BOX)
    store.drop(KEY)
    assert store.get(KEY) is None
    store.drop(KEY)


def test_a_target_that_moved_is_remembered_at_its_new_place_alone(store: PlaceStore) -> None:
    store.put(KEY, BOX)
    store.put(KEY, BOX)
    store.put(KEY, Box(-40, 25, 120, 32))  # of a menu that hangs out of its window
    assert store.get(KEY) == Box(-40, 25, 120, 32)
    assert [place.hits for place in Place.objects.all()] == [1]


def test_it_is_counted_how_often_and_known_when_a_target_was_found_there(store: PlaceStore) -> None:
    store.put(KEY, BOX)
    Place.objects.update(updated_at=timezone.now() - timedelta(days=9))
    store.put(KEY, BOX)
    place = Place.objects.get()
    assert place.hits == 2
    assert timezone.now() - place.updated_at < timedelta(minutes=1)


@pytest.mark.parametrize("box", [Box(10, 20, 0, 32), Box(10, 20, 120, 0), Box(0, 0, -3, 9)])
def test_a_box_without_a_size_is_not_kept(store: PlaceStore, box: Box, caplog: Any) -> None:
    store.put(KEY, box)
    assert (store.get(KEY), caplog.text) == (None, "")


def test_the_database_takes_no_box_without_a_size_from_anybody(store: PlaceStore) -> None:
    store.put(KEY, BOX)
    with pytest.raises(IntegrityError), transaction.atomic():
        Place.objects.update(w=0)


def test_of_a_workflow_the_places_found_last_are_kept_and_no_other_workflow_loses_any() -> None:
    store = DatabasePlaces(most=3)
    neighbour = replace(KEY, workflow_id="other")
    store.put(neighbour, BOX)
    keys = [replace(KEY, target_id=f"t_{n}") for n in range(5)]
    for age, key in zip((5, 1, 4, 3, 2), keys, strict=True):
        store.put(key, BOX)
        Place.objects.filter(target_id=key.target_id).update(updated_at=timezone.now() - timedelta(hours=age))
    assert [store.get(key) is not None for key in keys] == [False, True, False, True, True]
    assert store.get(neighbour) == BOX


def test_room_for_no_place_at_all_is_refused() -> None:
    with pytest.raises(ValueError, match="At least one place"):
        DatabasePlaces(most=0)


@pytest.mark.parametrize("error", [DatabaseError, InterfaceError])
def test_a_database_that_fails_costs_a_warning_and_not_the_step(
    store: PlaceStore, monkeypatch: pytest.MonkeyPatch, caplog: Any, error: type[Exception]
) -> None:
    """S1.21"""

    def refuse(**values: object) -> None:
        raise error("the disk is full")

    monkeypatch.setattr(Place.objects, "filter", refuse)
    assert store.get(KEY) is None
    store.put(KEY, BOX)
    store.drop(KEY)
    assert [r.levelname for r in caplog.records] == ["WARNING"] * 3
    for said in ("t_1 is not known: the disk", "t_1 could not be kept: the disk", "t_1 could not be dropped: the disk"):
        assert said in caplog.text


def test_a_place_that_cannot_be_written_leaves_the_transaction_around_it_whole(
    store: PlaceStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A failed statement without a savepoint would take all that the step has written with it."""
    store.put(KEY, BOX)
    sides = {"x": None, "y": 0, "w": 1, "h": 1}
    monkeypatch.setattr("execution.record.place_store._sides", lambda box: sides)
    with transaction.atomic():
        store.put(replace(KEY, target_id="t_2"), BOX)
        assert store.get(KEY) == BOX
    assert Place.objects.count() == 1


def test_places_are_seen_and_forgotten_in_the_admin_and_never_changed(
    client_of: Callable[[Any], Client], designer: Any, store: PlaceStore
) -> None:
    """S8.4"""
    store.put(KEY, BOX)
    place, client = Place.objects.get(), client_of(designer)
    page = client.get(PLACES).content.decode()
    assert "1920 × 1080" in page
    assert "10, 20, 120 × 32" in page
    assert client.post(reverse("admin:execution_place_change", args=[place.pk]), {}).status_code == 403
    forget = {"action": "forget", "_selected_action": [place.pk]}
    answer = client.post(PLACES, forget, follow=True)
    assert [str(message) for message in answer.context["messages"]] == ["1 place is forgotten."]
    assert store.get(KEY) is None


def test_who_may_only_look_cannot_make_places_forgotten(
    client_of: Callable[[Any], Client], viewer: Any, store: PlaceStore
) -> None:
    store.put(KEY, BOX)
    client_of(viewer).post(PLACES, {"action": "forget", "_selected_action": [Place.objects.get().pk]})
    assert store.get(KEY) == BOX
