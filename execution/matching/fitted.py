"""The coefficients of the matching: logistic regressions, fitted to 255 screens.

Written by `python -m tests.benchmarks.matching --fit`; `calibration` says how they are applied.
"""

from __future__ import annotations

LASTS = {
    "digits": -5.4646,
    "in_field": -1.3308,
    "in_button": -0.0569,
    "in_tab": 1.5344,
    "in_menu": 1.0533,
    "in_link": -0.9606,
    "choice": 0.6745,
    "table": -0.3175,
    "table_head": 1.1236,
    "labels_field": 2.3019,
    "right_of_label": -0.2118,
    "tall": 0.1375,
    "small": -0.4097,
    "long": -2.5269,
    "short": 0.5877,
    "name": -1.0264,
    "comma": -1.2457,
    "top": 0.3633,
    "outside": -0.5685,
    "repeated": 0.0585,
    "twice": -0.2731,
    "known": 3.5184,
    "as_data": -0.3595,
    "known_as_data": -0.8515,
    "known_in_table": -0.5375,
    "known_in_field": 0.5425,
    "known_words": 0.1434,
    "words_as_data": -0.2573,
    "known_words_as_data": -2.9337,
    "one": 1.2292,
}

READ = {
    "recall": 0.445,
    "precision": 0.7739,
    "recall_plain": 0.4656,
    "precision_plain": 0.756,
    "missing": -3.6228,
    "extra": -3.3788,
    "seen": 3.7825,
    "head_recall": 0.3806,
    "head_precision": 1.9543,
    "across": -0.5353,
    "down": 0.3412,
    "shapes": 0.0592,
    "shapes_known": -0.2274,
    "chosen": 2.6774,
    "balance": 0.8808,
    "worst": -0.8696,
    "shapes_alike": 0.0597,
    "title": 1.7072,
    "app": -0.5253,
    "window_known": -0.6941,
    "look": 1.1989,
    "look_lead": 0.8355,
    "look_known": -0.3624,
    "one": -1.4828,
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
    "score": 1.3459,
    "lead": 1.0972,
    "one": -2.8116,
}

SURE_UNREAD = {
    "score": 0.9167,
    "lead": 0.15,
    "one": -0.3197,
}
