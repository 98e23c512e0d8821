"""Opening a desktop by its name."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from PIL import Image

from execution.desktop import native
from execution.desktop.base import DesktopError, DesktopUnavailable
from execution.desktop.local import open_desktop
from execution.desktop.recorded import RecordedDesktop
from tests.doubles.scripted import ScriptedDesktop


def test_a_recorded_desktop_is_named_by_its_folder(tmp_path: Path) -> None:
    Image.new("RGB", (10, 10)).save(tmp_path / "a.png")
    desktop = open_desktop(f"recorded:{tmp_path}")
    assert isinstance(desktop, RecordedDesktop)
    with pytest.raises(DesktopError, match="no folder"):
        open_desktop("recorded:/nowhere")


def test_a_scripted_desktop_is_named_by_the_function_that_makes_it() -> None:
    assert isinstance(open_desktop("scripted:tests.doubles.patient_record.patient_desktop"), ScriptedDesktop)


@pytest.mark.parametrize("path", ["", "nonsense", "no.such.module.f", "tests.doubles.patient_record.nobody"])
def test_a_script_that_is_not_there_is_refused_and_named(path: str) -> None:
    with pytest.raises(DesktopUnavailable, match="dotted path"):
        open_desktop(f"scripted:{path}")


@pytest.mark.skipif(sys.platform != "linux", reason="X11 is what Linux shows desktops with")
def test_on_linux_the_name_is_a_display(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(DesktopUnavailable, match="no X server :4712: start it"):
        open_desktop(":4712")
    with pytest.raises(DesktopUnavailable, match="not the name of an X display"):
        open_desktop("nonsense")
    monkeypatch.delenv("DISPLAY", raising=False)
    with pytest.raises(DesktopUnavailable, match="set DISPLAY"):
        open_desktop()


@pytest.mark.parametrize("system", ["win32", "darwin"])
def test_windows_and_macos_get_the_native_desktop(monkeypatch: pytest.MonkeyPatch, system: str) -> None:
    monkeypatch.setattr(sys, "platform", system)
    monkeypatch.setattr(native, "NativeDesktop", lambda name: ("native", name))
    assert open_desktop() == ("native", None)


def test_opening_loads_no_library_of_another_kind_of_desktop() -> None:
    import subprocess

    code = (
        "import sys, execution.desktop.local, execution.desktop.x11, execution.desktop.native, "
        "execution.desktop.windows, execution.desktop.macos, execution.desktop.capture;"
        "print([m for m in ('mss', 'pyautogui', 'Xlib', 'torch', 'PIL') if m in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
