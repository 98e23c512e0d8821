"""What must be recognised before a place is taken at all: something of itself, and something around it (S5.3).

Of thousands of right places none lacked it, so the judge, which was fitted to them, cannot know what it is worth.
"""

from __future__ import annotations

import numpy as np

from execution.perception.scene import Source
from execution.targeting.comparison import NAMES
from execution.targeting.weighing import Weighed
from sentences.said import say

_SAME_PICTURE = 0.7  # of the likeness of the picture, by any of the ways to compare it
_SAME_WORDS = 0.6  # of its text
_PICTURE = [NAMES.index(name) for name in ("look", "edges", "fitted", "eye")]
_ENOUGH_ASKED = 2  # texts that stood around it


def unrecognised(weighed: Weighed, place: int) -> str:
    """Why nothing says that this place is the target but where it lies; "" where something does."""
    if weighed.candidates[place].in_sight is not None:  # known pixel by pixel by what is in sight
        return ""
    row = weighed.features[place]
    told = dict(zip(NAMES, row.tolist(), strict=True))
    picture = float(np.nanmax(np.append(row[_PICTURE], -1.0)))
    signs = weighed.signs[place]
    if picture >= _SAME_PICTURE:
        return ""
    says = max(np.nan_to_num([told["said"], told["means"], told["similar"], told["begins"]]))
    is_thing = weighed.candidates[place].thing.source not in (Source.PLACE, Source.BAND)
    if says < _SAME_WORDS and not (is_thing and told["must"] == 1):
        return say("targeting.looks_otherwise", look=signs.look.told if signs.look else say("targeting.nothing_alike"))
    around = signs.around
    if around.asked >= _ENOUGH_ASKED and around.absent == around.asked and not around.other_language:
        return say("targeting.surroundings_gone")
    return ""
