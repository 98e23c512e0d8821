"""A folder of letters in a file manager: each is signed as the first one was (S6.13, S9.2)."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

import pytest

from tests.e2e.file_manager import LETTERS, letters
from tests.support.display import missing_programs, wait_until
from tests.support.eyes import patient_analyzer
from tests.support.page_teacher import PageTeacher, page_teacher, teachers_browser
from tests.support.product import Product, product
from tests.support.run_ends import RunEnd, run

pytestmark = [
    pytest.mark.display,
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.timeout(900),
    pytest.mark.skipif(
        bool(missing_programs("pcmanfm", "mousepad", "xdotool", "chromium")), reason="a file manager is needed"
    ),
]

SIGNED = " - signed"
SHOWN = ("Adams.txt", "Brown.txt", "Carter.txt")
IN_A_WINDOW_S = 60


@pytest.fixture(scope="module")
def taught(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    with product(tmp_path_factory.mktemp("product")) as one, teachers_browser() as browser:
        one.start_runloop()
        with (
            letters(one.screen, one.documents, texts(*SHOWN)) as folder,
            page_teacher(one, browser, patient_analyzer()) as teacher,
        ):
            teach(teacher, one)
            assert signed_in(folder, texts(*SHOWN)) == [SHOWN[0]]
        yield one


def teach(teacher: PageTeacher, one: Product) -> None:
    """The first letter is opened, signed, saved and closed; that is done for each line of the list, and no more."""
    began = time.monotonic()
    teacher.begin(one, "Sign letters")
    teacher.double_click(SHOWN[0])
    teacher.waits_for(f"{SHOWN[0]} - Mousepad")
    teacher.knows(re.compile(".*Mousepad"))
    teacher.presses("Control+End")
    teacher.types(SIGNED)
    teacher.presses("Control+s")
    teacher.presses("Control+q")
    teacher.knows_screen(LETTERS)
    teacher.repeats("Double-click")
    teacher.publish()
    print(f"taught in {time.monotonic() - began:.0f} s")


def texts(*names: str) -> dict[str, str]:
    """Letters by their file."""
    return {name: f"Dear {Path(name).stem}" for name in names}


def signed_in(folder: Path, files: Mapping[str, str]) -> list[str]:
    """The letters that are signed. All others are as they were, and no file came or went."""
    now = {file.name: file.read_bytes().decode() for file in folder.iterdir()}
    done = {name for name, text in now.items() if text == files.get(name, "") + SIGNED}
    assert {name: text for name, text in now.items() if name not in done} == {
        name: text for name, text in files.items() if name not in done
    }
    return sorted(done)


def sign(one: Product, **how: object) -> RunEnd:
    began = time.monotonic()
    found = run(one, "wf_sign_letters", **how)  # type: ignore[arg-type]
    print(found.state, f"{time.monotonic() - began:.0f} s", "" if found.is_finished else found.told.splitlines()[-2])
    close_what_is_open(one)
    return found


def close_what_is_open(one: Product) -> None:
    """What a run that asked left open, as a person would."""
    for window in one.screen.windows():
        if window.title.endswith("- Mousepad"):
            with suppress(AssertionError):
                one.screen.run(["xdotool", "windowkill", str(window.id)])
    wait_until(lambda: not any("Mousepad" in w.title for w in one.screen.windows()), what="no editor")


def _as_listed(name: str) -> str:
    """The file manager lists a name before those that go on: its ending is no part of it."""
    return name.replace(".", "\0")


def is_right(found: RunEnd, folder: Path, files: Mapping[str, str]) -> None:
    """Finished, and each is signed once; or asked, and none is left out or signed twice."""
    done, names = (sorted(of, key=_as_listed) for of in (signed_in(folder, files), files))
    assert done == names[: len(done)], "one was left out"
    assert found.asks or (found.is_finished and done == names), (done, found.told)


def test_the_three_that_were_shown_are_each_signed_once(taught: Product) -> None:
    with letters(taught.screen, taught.documents, texts(*SHOWN)) as folder:
        found = sign(taught)
        assert found.is_finished, found.told
        assert signed_in(folder, texts(*SHOWN)) == list(SHOWN)


@pytest.mark.parametrize(
    ("names", "window"),
    [
        (("Meier.txt", "Moreau.txt", "Nguyen.txt"), {}),
        (("Dupond.txt", "Dupont.txt"), {"size": (900, 500), "at": (300, 200)}),
        (("Zhang.txt",), {"at": (100, 60)}),
        (("Bo.txt", "Bo Li.txt", "Bo Lin.txt", "Diallo.txt", "Evans Rose.txt"), {"size": (980, 620), "at": (120, 80)}),
        (("Moreau.txt", "Nguyen.txt", "Rossi.txt"), {"view": "icon"}),
        (tuple(f"Name {chr(97 + n)}.txt" for n in range(18)), {"size": (760, 330), "at": (330, 300)}),
    ],
    ids=["others", "a letter apart", "one", "five, one the beginning of another", "icons", "more than are seen"],
)
def test_others_are_each_signed_once_or_a_person_is_asked(
    taught: Product, names: tuple[str, ...], window: dict[str, object]
) -> None:
    with letters(taught.screen, taught.documents, texts(*names), **window) as folder:  # type: ignore[arg-type]
        is_right(sign(taught), folder, texts(*names))


@pytest.mark.parametrize("kind", ["comes before", "goes", "comes behind"])
def test_a_file_that_comes_or_goes_meanwhile_is_no_reason_to_leave_one_out(taught: Product, kind: str) -> None:
    files = texts(*SHOWN)
    with letters(taught.screen, taught.documents, files) as folder:

        def changes() -> None:
            wait_until(lambda: signed_once(folder / SHOWN[0]), timeout=IN_A_WINDOW_S, what="the first signature")
            if kind == "goes":
                (folder / files.popitem()[0]).unlink()
            else:
                name = "Aaron.txt" if kind == "comes before" else "Zhang.txt"
                (folder / name).write_bytes(f"Dear {Path(name).stem}".encode())
                files.update(texts(name))

        found = sign(taught, meanwhile=changes)
        done = signed_in(folder, files)
        assert found.asks or (found.is_finished and kind == "comes behind" and done == sorted(files)), found.told
        assert done[:1] == [SHOWN[0]] and "Aaron.txt" not in done


def signed_once(letter: Path) -> bool:
    return letter.read_bytes().endswith(SIGNED.encode())
