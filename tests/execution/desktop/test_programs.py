"""Which programs a machine offers its users, by their menu (S9.4)."""

from __future__ import annotations

from pathlib import Path

import pytest

from execution.desktop.programs import found

ENTRY = "[Desktop Entry]\nType=Application\nName=Somewhat\n"


def entry(folder: Path, name: str, text: str) -> None:
    (folder / f"{name}.desktop").write_text(text, encoding="utf-8")


@pytest.fixture
def menu(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("notes", "chart"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    (tmp_path / "applications/sub").mkdir(parents=True)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_DIRS", str(tmp_path / "none"))
    return tmp_path / "applications"


def test_those_of_the_menu_whose_program_is_here(menu: Path) -> None:
    entry(menu, "notes", f"{ENTRY}Exec=notes --new %F\n")
    entry(menu / "sub", "chart", f"{ENTRY}TryExec={menu.parent / 'chart'}\nExec=sh -c chart\n")
    entry(menu, "gone", f"{ENTRY}Exec=gone\n")
    assert found("linux") == ["chart", "notes"]


@pytest.mark.parametrize(
    "text",
    [
        f"{ENTRY}Exec=notes\nNoDisplay=true\n",
        f"{ENTRY}Exec=notes\nHidden=true\n",
        "[Desktop Entry]\nType=Link\nURL=notes\nExec=notes\n",
        f"{ENTRY}Exec=\n",
        f'{ENTRY}Exec=notes "open\n',
        "no section\n",
        "",
    ],
)
def test_what_no_menu_shows_and_what_nobody_can_read_is_no_program(menu: Path, text: str) -> None:
    entry(menu, "notes", text)
    assert found("linux") == []


def test_the_start_menu_of_windows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "Microsoft/Windows/Start Menu/Programs/Hospital"
    folder.mkdir(parents=True)
    (folder / "Chart.lnk").touch()
    monkeypatch.setenv("PROGRAMDATA", str(tmp_path))
    assert found("win32") == ["Chart"]
