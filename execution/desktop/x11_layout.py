"""The keyboard layout that an X server has now: which key, with which modifiers, gives which character."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from execution.desktop.keysyms import CAPS_LOCK, LEVEL3_SHIFT, NO_SYMBOL, char_of

SHIFT, LOCK = 0, 1  # rows of the modifier mapping
# Multimedia keys that nothing is usually bound to: Launch0 to LaunchF, Shop, Finance, DOS, Game, Go, TaskPane,
# Xfer, Messenger, WebCam, AudioPreset. Others are no spare keys: whatever they mean for the moment, Chromium goes
# back, pastes or searches on theirs (measured), and desktop environments change volume or brightness.
_UNBOUND = {*range(0x40, 0x50), 0x36, 0x3C, 0x5A, 0x5E, 0x5F, 0x7F, 0x8A, 0x8E, 0x8F, 0xB6}
SPARE_KEYSYMS = {NO_SYMBOL} | {0x1008FF00 | low for low in _UNBOUND}


def runs_of(keycodes: Iterable[int]) -> list[list[int]]:
    """The keycodes in ascending order, cut where one is not the neighbour of the one before."""
    runs: list[list[int]] = []
    for code in sorted(keycodes):
        if runs and runs[-1][-1] == code - 1:
            runs[-1].append(code)
        else:
            runs.append([code])
    return runs


class Stroke(NamedTuple):
    """One key and the modifier keys that have to be down while it is pressed."""

    keycode: int
    modifiers: tuple[int, ...] = ()


class Layout:
    """Built from the core keyboard and modifier mappings; `group` is the layout that is active among several.

    The core mapping lists a key's symbols as group 1 levels 1 and 2, group 2 levels 1 and 2, then the levels above.
    With several groups nobody can tell whose those higher ones are, so they are used with a single layout only.
    """

    def __init__(
        self,
        symbols: Sequence[Sequence[int]],
        modifiers: Sequence[Sequence[int]],
        *,
        first_keycode: int,
        group: int = 0,
    ) -> None:
        self.first_keycode = first_keycode
        self.symbols = [tuple(keysyms) for keysyms in symbols]
        self._modifier_rows = [[code for code in row if code] for row in modifiers]
        self.modifier_keycodes = frozenset(code for row in self._modifier_rows for code in row)
        self._group = group
        self.strokes = self._read_characters()

    def stroke_for(self, char: str) -> Stroke | None:
        """How this layout types the character; None where it cannot."""
        return self.strokes.get(char)

    def keycode_of(self, keysym: int) -> int | None:
        """The key whose unshifted meaning is this keysym, whatever the layout group."""
        for keycode, keysyms in self._keys():
            if keysyms and keysyms[0] == keysym:
                return keycode
        return None

    @property
    def caps_lock_keycode(self) -> int | None:
        found = self.keycode_of(CAPS_LOCK)
        return found if found is not None else next(iter(self._modifier_rows[LOCK]), None)

    def spare_runs(self) -> list[list[int]]:
        """Keys that mean nothing, or nothing that matters: runs of neighbours, longest first."""
        spare = (code for code, keysyms in self._keys() if SPARE_KEYSYMS.issuperset(keysyms))
        # The very first keycode is not delivered by every toolkit.
        usable = {code for code in spare if code > self.first_keycode and code not in self.modifier_keycodes}
        return sorted(runs_of(usable), key=len, reverse=True)

    def _keys(self) -> Iterator[tuple[int, tuple[int, ...]]]:
        return enumerate(self.symbols, self.first_keycode)

    def _read_characters(self) -> dict[str, Stroke]:
        found: dict[str, Stroke] = {}
        for column, modifiers in self._levels():
            for keycode, keysyms in self._keys():
                if keycode in self.modifier_keycodes or column >= len(keysyms):
                    continue
                char = char_of(keysyms[column])
                if char is not None:
                    found.setdefault(char, Stroke(keycode, modifiers))
        return found

    def _levels(self) -> list[tuple[int, tuple[int, ...]]]:
        """Columns of the mapping that can be reached, easiest first, with the modifier keys that lead there."""
        if self._group > 1 or not self._modifier_rows[SHIFT]:
            return []
        shift = self._modifier_rows[SHIFT][0]
        column = 2 * self._group
        levels: list[tuple[int, tuple[int, ...]]] = [(column, ()), (column + 1, (shift,))]
        level3 = self._level3_keycode()
        if level3 is not None and self._is_single_layout():
            levels += [(4, (level3,)), (5, (shift, level3))]
        return levels

    def _level3_keycode(self) -> int | None:
        codes = [code for code, keysyms in self._keys() if keysyms and keysyms[0] == LEVEL3_SHIFT]
        return next((code for code in codes if code in self.modifier_keycodes), None)

    def _is_single_layout(self) -> bool:
        return self._group == 0 and all(keysyms[2:4] in (keysyms[0:2], (0, 0), ()) for keysyms in self.symbols)
