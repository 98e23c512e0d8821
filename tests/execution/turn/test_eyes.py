"""Looking at the desktop within the limits of a run (S2.2 to S2.7)."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import pytest

from execution.desktop.base import DesktopLost
from execution.desktop.window_providers import load_provider
from execution.exceptions import UnknownWindowProvider
from execution.perception.analyzer import ScreenAnalyzer
from execution.perception.masking import masks_from
from execution.turn.eyes import AT_REST_MS, Eyes, Flags
from execution.types import Box, ScreenState, TextLine, Window
from tests.doubles.scripted import ScriptedDesktop
from tests.support.display import wait_until
from tests.support.scripted import KnownReader, analyzer, screens

LIMIT_MS = 100


@pytest.fixture
def desktop() -> ScriptedDesktop:
    return ScriptedDesktop(screens("one", "two"))


class Warned:
    def __init__(self) -> None:
        self.told: list[tuple[str, str]] = []

    def __call__(self, kind: str, message: str) -> None:
        self.told.append((kind, message))


@pytest.fixture
def warned() -> Warned:
    return Warned()


class SlowAnalyzer(ScreenAnalyzer):
    """Takes as long as it is told, by its own account."""

    took_ms = 1.0

    def analyze(self, *args: Any, **kwargs: Any) -> ScreenState:
        state = super().analyze(*args, **kwargs)
        return replace(state, timings=replace(state.timings, analyze_ms=self.took_ms))


@pytest.fixture
def slow(desktop: ScriptedDesktop) -> SlowAnalyzer:
    whole = analyzer(desktop)
    return SlowAnalyzer(whole.reader, whole.detector, whole.embedder)


def texts(state: ScreenState) -> list[str]:
    return [line.text for line in state.texts]


def test_a_look_gives_the_frame_its_window_and_what_is_read(desktop: ScriptedDesktop) -> None:
    """S2.1"""
    state = Eyes(desktop, analyzer(desktop), Flags()).observe()
    assert state.window is not None
    assert state.window.title == "One - Forms"
    assert texts(state) == ["Page one", "Go on"]
    assert state.timings.capture_ms > 0
    assert not state.degraded


def test_the_slow_look_is_whole_and_those_after_it_are_degraded(desktop: ScriptedDesktop, slow: SlowAnalyzer) -> None:
    """S2.4"""
    eyes = Eyes(desktop, slow, Flags(analyze_timeout_ms=LIMIT_MS))
    slow.took_ms = LIMIT_MS
    assert not eyes.observe().degraded
    assert not eyes.degraded
    slow.took_ms = LIMIT_MS + 1
    state = eyes.observe()
    assert not state.degraded
    assert texts(state) == ["Page one", "Go on"]
    assert eyes.degraded
    assert "101 ms" in eyes.degraded_reason
    assert "100 ms" in eyes.degraded_reason
    slow.took_ms = 1
    desktop.show("two")
    after = eyes.observe()
    assert (after.degraded, after.texts) == (True, ())
    eyes.lift()
    again = eyes.observe()
    assert (again.degraded, texts(again)[0]) == (False, "Page two")
    assert not eyes.degraded


def test_a_look_at_the_whole_that_is_in_time_ends_it(desktop: ScriptedDesktop, slow: SlowAnalyzer) -> None:
    """S2.13: one that is slow again is whole, and the next is not; what is known tells nothing of the reader."""
    eyes = Eyes(desktop, slow, Flags(analyze_timeout_ms=LIMIT_MS))
    slow.took_ms = LIMIT_MS + 1
    eyes.observe()
    assert not eyes.observe(whole=True).degraded
    assert eyes.degraded
    desktop.show("two")
    less = eyes.observe()
    assert eyes.is_to_be_whole(less)
    state = eyes.observe(whole=True)
    assert (state.degraded, texts(state)[0], eyes.degraded) == (False, "Page two", True)
    slow.took_ms = 1
    assert eyes.observe(whole=True).cache_hit and eyes.degraded
    desktop.show("one")
    desktop.show("two")
    slow.cache.clear()
    assert not eyes.observe(whole=True).degraded
    assert not eyes.degraded


def test_profiling_never_degrades(desktop: ScriptedDesktop, slow: SlowAnalyzer) -> None:
    """S2.2: 999 999 ms"""
    eyes = Eyes(desktop, slow, Flags(analyze_timeout_ms=999_999))
    slow.took_ms = 600_000
    eyes.observe()
    assert not eyes.degraded


class Failing(KnownReader):
    def read(self, pixels: Any, region: Box | None = None) -> tuple[TextLine, ...]:
        if self.desktop.screen == "two":
            raise MemoryError("no room")
        return super().read(pixels, region)


def test_a_reader_that_fails_costs_one_warning_until_it_works_again(desktop: ScriptedDesktop, warned: Warned) -> None:
    """S1.21: the run goes on, degraded; the run itself is not switched to degraded."""
    eyes = Eyes(desktop, ScreenAnalyzer(Failing(desktop), None, None), Flags(), warn=warned)
    states = []
    for name in ("one", "two", "two", "one", "two"):
        desktop.show(name)
        states.append(eyes.observe())
    assert [state.degraded for state in states] == [False, True, True, False, True]
    assert not eyes.degraded
    assert [kind for kind, _ in warned.told] == ["perception", "perception"]
    assert "MemoryError: no room" in warned.told[0][1]


def test_a_screen_whose_masked_region_changed_is_known(desktop: ScriptedDesktop) -> None:
    """S2.6"""
    eyes = Eyes(desktop, analyzer(desktop), Flags(masks=((0.0, 0.0, 1.0, 1.0),)))
    first = eyes.observe()
    desktop.show("two")
    assert texts(eyes.observe()) == texts(first)


@pytest.mark.parametrize("value", [None, [], [[0, 0, 0.5, 1]], [(0.25, 0.5, 0.125, 0.1), [0, 0, 1, 1]]])
def test_masked_regions_are_fractions_of_the_screen(value: Any) -> None:
    assert masks_from(value) == tuple(tuple(float(n) for n in mask) for mask in value or ())


@pytest.mark.parametrize("value", [[[0, 0, 2, 1]], [[0, 0, 1]], ["0,0,1,1"], [7], [[0, 0, "1", 1]], [[0, -1, 1, 1]]])
def test_a_mask_that_is_none_is_refused_by_name(value: Any) -> None:
    with pytest.raises(ValueError, match="masked region"):
        masks_from(value)


def test_a_settled_look_waits_until_the_screen_stands_still(desktop: ScriptedDesktop) -> None:
    """S1.20: its first look still shows what was there before."""
    desktop.effect_delay = 1
    eyes = Eyes(desktop, analyzer(desktop), Flags())
    eyes.observe()
    desktop.click(desktop.box_of("go").center)
    state = eyes.settled(settle_ms=150, timeout_ms=5000)
    assert state.window is not None
    assert state.window.title == "Two - Forms"


def test_a_screen_is_read_while_one_waits_for_it_to_stand_still(desktop: ScriptedDesktop) -> None:
    """S1.20: read once, as soon as it comes to rest, and not again where it stays so."""
    eyes, reads = Eyes(desktop, analyzer(desktop), Flags()), list[ScreenState]()
    eyes.on_seen = reads.append
    state = eyes.settled(settle_ms=3 * AT_REST_MS, timeout_ms=60_000)
    assert reads == [state]


def test_what_comes_once_it_was_read_is_read_too(desktop: ScriptedDesktop) -> None:
    eyes, reads = Eyes(desktop, analyzer(desktop), Flags()), list[ScreenState]()

    def seen(state: ScreenState) -> None:
        reads.append(state)
        desktop.show("two")

    eyes.on_seen = seen
    state = eyes.settled(settle_ms=3 * AT_REST_MS, timeout_ms=60_000)
    assert [texts(one)[0] for one in reads] == ["Page one", "Page two"]
    assert state is reads[-1]


def test_what_is_enough_ends_the_wait_and_what_is_not_does_not(desktop: ScriptedDesktop) -> None:
    eyes = Eyes(desktop, analyzer(desktop), Flags())
    grabs, asked = list[int](), list[ScreenState]()
    grab = desktop.grab
    desktop.grab = lambda: (grabs.append(1), grab())[1]  # type: ignore[method-assign]
    state = eyes.settled(settle_ms=60_000, timeout_ms=60_000, enough=lambda state: not asked.append(state))
    assert asked == [state]
    until_then = len(grabs)
    eyes.settled(settle_ms=3 * AT_REST_MS, timeout_ms=60_000, enough=lambda state: False)
    assert len(grabs) - until_then > until_then


# --- a deployment's own window info ---------------------------------------------------------------------------------
@pytest.fixture
def never() -> Iterator[threading.Event]:
    """Set at the end, so that whoever hangs on it is let go."""
    event = threading.Event()
    yield event
    event.set()


def look(desktop: ScriptedDesktop, provider: Any, warned: Warned) -> Window | None:
    return Eyes(desktop, analyzer(desktop), Flags(), window_provider=provider, warn=warned).observe().window


def test_a_provider_says_which_window_it_is(desktop: ScriptedDesktop, warned: Warned) -> None:
    """S2.7"""
    info = {"title": "Dossier", "app_name": "wfica", "x": 10, "y": 20, "width": 300, "height": 200}
    assert look(desktop, lambda: info, warned) == Window(title="Dossier", app_name="wfica", box=Box(10, 20, 300, 200))
    assert look(desktop, lambda: {"title": "Dossier", "app_name": ""}, warned) == Window(title="Dossier")
    assert warned.told == []


def test_no_window_known_is_no_warning(desktop: ScriptedDesktop, warned: Warned) -> None:
    """S2.7"""
    assert look(desktop, lambda: None, warned) is None
    assert warned.told == []


RUBBISH: Mapping[str, Any] = {
    "a number": 7,
    "a text": "Dossier",
    "a title that is none": {"title": 7},
    "a list": ["title"],
}


@pytest.mark.parametrize("answer", RUBBISH.values(), ids=RUBBISH.keys())
def test_rubbish_costs_a_warning(desktop: ScriptedDesktop, warned: Warned, answer: Any) -> None:
    """S2.7"""
    assert look(desktop, lambda: answer, warned) is None
    assert [kind for kind, _ in warned.told] == ["window_info_provider"]


def test_a_provider_that_raises_costs_a_warning(desktop: ScriptedDesktop, warned: Warned) -> None:
    """S2.7, S1.21"""
    assert look(desktop, lambda: {}["nothing"], warned) is None
    assert "KeyError" in warned.told[0][1]


def test_a_provider_that_hangs_costs_a_second_and_a_warning_once(
    desktop: ScriptedDesktop, warned: Warned, never: threading.Event
) -> None:
    """S2.7: a second once, not a second a step."""
    answers = iter([never.wait, lambda: {"title": "Dossier"}])
    eyes = Eyes(desktop, analyzer(desktop), Flags(), window_provider=lambda: next(answers)(), warn=warned)
    began = time.monotonic()
    assert eyes.observe().window is None
    assert time.monotonic() - began >= 0.9
    assert [eyes.observe().window for _ in range(3)] == [None, None, None]
    assert len(warned.told) == 1 and "1 s" in warned.told[0][1]
    never.set()
    wait_until(lambda: not eyes._asker.hangs, what="the provider to return")
    assert eyes.observe().window == Window(title="Dossier")


def test_a_desktop_lost_behind_a_provider_is_still_a_lost_desktop(desktop: ScriptedDesktop, warned: Warned) -> None:
    def provider() -> None:
        raise DesktopLost("the session is gone")

    with pytest.raises(DesktopLost, match="session"):
        look(desktop, provider, warned)


def test_a_provider_is_named_in_the_setting_or_is_a_callable_of_this_process(settings: Any) -> None:
    """S2.2, S2.7"""
    settings.RPA_WINDOW_PROVIDERS = {"clock": "time.monotonic", "gone": "nowhere.at_all"}
    assert load_provider("clock") is time.monotonic
    assert load_provider(time.sleep) is time.sleep
    assert load_provider("") is None
    assert load_provider(None) is None
    with pytest.raises(ImportError, match="nowhere"):
        load_provider("gone")
    with pytest.raises(UnknownWindowProvider, match=r"time\.monotonic.*clock, gone"):
        load_provider("time.monotonic")
