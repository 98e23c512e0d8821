"""The pictures of the scenes: rendered in Chromium where they are not there yet, and read by the product's own eyes."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace

import cv2
import numpy as np

from benchmarks.acts.scene import BLACK, Page, Scene, Stage
from benchmarks.readings import read_all
from benchmarks.screens.corpus import ROOT, Screen
from benchmarks.screens.kits import KITS
from benchmarks.screens.render import Look, Studio, studio
from benchmarks.screens.styles import FONTS, check_fonts, fetch
from benchmarks.screens.widgets import Maker
from benchmarks.screens.words import Words
from execution.types import Box, ScreenState, Window

FOLDER = ROOT / "build" / "bench" / "screens" / "acts"
LOOKS = 4
_TAUGHT = 100  # added to a seed: the data of the one time that the action was shown
_SIZE = (1280, 800)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """One state of a scene with one set of data, to be rendered."""

    scene: Scene
    state: str
    look: int
    taught: bool = False

    @property
    def name(self) -> str:
        place = f"{self.scene.name}-{self.look}{'t' if self.taught else ''}-{self.state}"
        return place.replace(" ", "_").replace("+", "~")

    @property
    def dress(self) -> Look:
        """How it is dressed: language, theme, style, font; the same where it is taught and where it is run."""
        rng = random.Random(self.look * 1000 + sum(map(ord, self.scene.name)))
        kit = rng.choice(list(KITS.values()))
        theme = "dark" if "dark" in kit.sheets and self.look % 4 >= 2 else "light"
        return Look(
            kit=kit, theme=theme, lang=("en", "fr")[self.look % 2], font=rng.choice(FONTS),
            font_px=rng.choice((13, 14, 15, 16)), size=_SIZE, accent=rng.randrange(360),
        )  # fmt: skip

    def page(self) -> Page:
        dress = self.dress
        seed = self.look + (_TAUGHT if self.taught else 0) + sum(map(ord, self.scene.name))
        stage = Stage(Maker(dress.kit, Words(dress.lang, random.Random(seed)), lines=dress.lines))
        state = "before" if self.state == BLACK else self.state
        return self.scene.draw(stage, state)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Seen:
    """What the eyes made of it, and where the thing stands that is acted on."""

    page: Page
    state: ScreenState
    target: Box | None


def look_at(wanted: Iterable[Shown], *, kept: bool = False) -> dict[str, Seen]:
    """Each picture by its name, rendered and read where that was not done yet."""
    shown = {one.name: one for one in wanted}
    FOLDER.mkdir(parents=True, exist_ok=True)
    _render([one for one in shown.values() if not _is_there(one)])
    screens = [
        Screen(name=name, picture=f"{name}.png", family=one.scene.name, window=_window(one.page()))
        for name, one in shown.items()
    ]
    reads = read_all(screens, FOLDER, kept=kept)
    return {read.screen.name: _seen(shown[read.screen.name], read.state()) for read in reads}


def _seen(one: Shown, state: ScreenState) -> Seen:
    pixels = cv2.imread(str(FOLDER / f"{one.name}.png"), cv2.IMREAD_COLOR)
    assert pixels is not None
    told = json.loads((FOLDER / f"{one.name}.json").read_text())
    state = replace(state, frame=replace(state.frame, pixels=np.asarray(pixels)))
    return Seen(page=one.page(), state=state, target=Box(*told["target"]) if told["target"] else None)


def _is_there(one: Shown) -> bool:
    """Whether the picture was made from the very page that is asked for."""
    file = FOLDER / f"{one.name}.json"
    return file.is_file() and json.loads(file.read_text())["page"] == _fingerprint(one)


def _fingerprint(one: Shown) -> str:
    page, dress = one.page(), one.dress
    told = asdict(replace(dress, kit=None)) if dress else {}  # type: ignore[arg-type]
    return json.dumps([page.body, told, dress.kit.name, one.state == BLACK], sort_keys=True)


def _render(missing: list[Shown]) -> None:
    if not missing:
        return
    fetch()
    check_fonts()
    with studio() as made_in:
        for one in missing:
            target = _shoot(one, made_in)
            told = {"page": _fingerprint(one), "target": target}
            (FOLDER / f"{one.name}.json").write_text(json.dumps(told))


def _shoot(one: Shown, made_in: Studio) -> Box | None:
    """Write the picture; gives the box of what is clicked, as the DOM has it."""
    dress, file = one.dress, FOLDER / f"{one.name}.png"
    shot = made_in.shoot(one.page().body, dress, file)
    if one.state == BLACK:
        cv2.imwrite(str(file), np.zeros((_SIZE[1], _SIZE[0], 3), np.uint8))
    text = one.scene.target[dress.lang == "fr"]
    return next((e.box for e in shot.elements if text and e.text.strip() == text), None)


def _window(page: Page) -> Window:
    return Window(title=page.title, app_name="chromium", box=Box(0, 0, *_SIZE))
