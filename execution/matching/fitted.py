"""The coefficients of the matching: logistic regressions, fitted to 255 screens.

Written by `python -m tests.benchmarks.matching --fit`; `calibration` says how they are applied.
"""

from __future__ import annotations

LASTS = {
    "digits": -5.3736,
    "in_field": -1.4076,
    "in_button": 0.0848,
    "in_tab": 1.404,
    "in_menu": 1.0742,
    "in_link": -0.8729,
    "choice": 0.8444,
    "table": -0.2885,
    "table_head": 1.1396,
    "labels_field": 2.2874,
    "right_of_label": -0.3416,
    "tall": -0.2751,
    "small": -0.5898,
    "long": -2.4791,
    "short": -0.0975,
    "name": -1.1274,
    "comma": -1.2604,
    "top": 0.1878,
    "outside": -0.4809,
    "repeated": 0.1432,
    "twice": -0.314,
    "known": 3.432,
    "as_data": -0.4128,
    "known_as_data": -0.6719,
    "known_in_table": -0.611,
    "known_in_field": 0.6978,
    "known_words": 0.2114,
    "words_as_data": -0.1417,
    "known_words_as_data": -2.9616,
    "new_of_known_words": 0.0601,
    "one": 1.156,
}

READ = {
    "recall": 0.5446,
    "precision": 0.8325,
    "recall_plain": 0.5268,
    "precision_plain": 0.8788,
    "missing": -3.5214,
    "extra": -3.3398,
    "seen": 3.6126,
    "head_recall": 0.0917,
    "head_precision": 1.8589,
    "across": -0.0962,
    "down": 0.4756,
    "replaced": -0.9202,
    "shapes": -0.0416,
    "shapes_known": -0.0171,
    "chosen": 2.4896,
    "balance": 1.023,
    "worst": -1.143,
    "shapes_alike": -0.041,
    "title": 1.7052,
    "app": -0.5549,
    "window_known": -0.7037,
    "look": 1.5599,
    "look_lead": 0.884,
    "look_known": -0.4488,
    "one": -0.6547,
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
    "score": 1.2741,
    "lead": 1.6133,
    "one": -4.2586,
}

SURE_UNREAD = {
    "score": 0.9167,
    "lead": 0.15,
    "one": -0.3197,
}
