"""The coefficients of the matching: logistic regressions, fitted to 255 screens.

Written by `python -m tests.benchmarks.matching --fit`; `calibration` says how they are applied.
"""

from __future__ import annotations

LASTS = {
    "digits": -5.4773,
    "in_field": -1.3879,
    "in_button": -0.0998,
    "in_tab": 1.5245,
    "in_menu": 1.0746,
    "in_link": -1.0603,
    "choice": 0.6311,
    "table": -0.2552,
    "table_head": 0.7395,
    "labels_field": 2.3817,
    "right_of_label": -0.3198,
    "tall": 0.2821,
    "small": -0.6995,
    "long": -2.4904,
    "short": 0.6076,
    "name": -1.3347,
    "comma": -1.3644,
    "top": 0.7866,
    "outside": 0.3868,
    "repeated": 0.522,
    "twice": 0.3569,
    "known": 3.7176,
    "as_data": -0.5207,
    "known_as_data": -0.3739,
    "known_in_table": -1.45,
    "known_words": 0.151,
    "words_as_data": -0.2762,
    "known_words_as_data": -2.362,
    "one": 1.1016,
}

READ = {
    "recall": 0.2717,
    "precision": 0.442,
    "recall_plain": 0.2972,
    "precision_plain": 0.4398,
    "missing": -3.6719,
    "extra": -3.4847,
    "seen": 4.0782,
    "head_recall": 0.421,
    "head_precision": 1.7906,
    "across": -0.6925,
    "down": 0.2637,
    "shapes": 0.0569,
    "shapes_known": -0.2767,
    "chosen": 2.6663,
    "balance": 0.4765,
    "worst": -0.934,
    "shapes_alike": 0.093,
    "title": 1.7518,
    "app": -0.5141,
    "window_known": -0.7014,
    "look": 1.1778,
    "look_lead": 0.8694,
    "look_known": -0.3188,
    "one": -0.4185,
}

UNREAD = {
    "title": 2.5376,
    "app": 0.4239,
    "window_known": -2.0901,
    "look": 3.407,
    "look_lead": 2.1868,
    "look_known": -0.0066,
    "one": -3.2958,
}

SURE = {
    "score": 1.2959,
    "lead": 1.7539,
    "one": -4.8036,
}

SURE_UNREAD = {
    "score": 0.9167,
    "lead": 0.15,
    "one": -0.3197,
}
