"""The coefficients of the matching: logistic regressions, fitted to 1839 screens.

Written by `python -m benchmarks.matching --fit`; `calibration` says how they are applied.
"""

from __future__ import annotations

LASTS = {
    "digits": -6.0535,
    "in_field": -1.7193,
    "in_button": 0.0669,
    "in_tab": 1.6063,
    "in_menu": 0.7049,
    "in_link": -0.6351,
    "choice": 1.1629,
    "table": -0.1766,
    "table_head": 1.2083,
    "labels_field": 1.8599,
    "right_of_label": -0.4838,
    "tall": 0.1042,
    "small": -0.8786,
    "long": -3.23,
    "short": -1.2093,
    "name": -1.0893,
    "comma": -1.5178,
    "top": 0.295,
    "outside": -0.3497,
    "repeated": 0.2157,
    "twice": -0.2455,
    "unsure": -1.3231,
    "known": 3.9454,
    "as_data": -0.5125,
    "known_as_data": -1.1887,
    "known_in_table": -0.8099,
    "known_in_field": 0.9278,
    "known_words": -0.6195,
    "words_as_data": 0.7421,
    "known_words_as_data": -3.4511,
    "new_of_known_words": 0.6957,
    "one": 1.391,
}

READ = {
    "recall": 0.6116,
    "precision": 1.4442,
    "recall_plain": -2.2182,
    "precision_plain": 0.0225,
    "missing": -3.8138,
    "extra": -4.9723,
    "seen": 6.5088,
    "head_recall": 1.1838,
    "head_precision": 1.4287,
    "across": 1.1536,
    "down": -1.5578,
    "replaced": -0.9686,
    "shapes": 0.3268,
    "shapes_known": 0.1939,
    "chosen": 1.7642,
    "balance": 1.7146,
    "worst": 2.5332,
    "shapes_alike": -0.5029,
    "title": 0.6714,
    "app": 0.6771,
    "window_known": -1.2313,
    "look": -1.3567,
    "look_lead": 1.4835,
    "look_known": 0.3606,
    "one": -8.1883,
}

UNREAD = {
    "title": 2.3836,
    "app": 0.8036,
    "window_known": -2.0306,
    "look": -0.2783,
    "look_lead": 1.4506,
    "look_known": -0.0025,
    "one": -1.226,
}

SURE = {
    "score": 0.9443,
    "lead": 0.15,
    "one": -0.6469,
}

SURE_UNREAD = {
    "score": 1.0165,
    "lead": 0.15,
    "one": -0.2134,
}
