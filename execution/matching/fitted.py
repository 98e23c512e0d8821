"""The coefficients of the matching: logistic regressions, fitted to 255 screens.

Written by `python -m tests.benchmarks.matching --fit`; `calibration` says how they are applied.
"""

from __future__ import annotations

LASTS = {
    "digits": -5.4486,
    "in_field": -1.3371,
    "in_button": 0.1385,
    "in_tab": 1.3795,
    "in_menu": 1.0751,
    "in_link": -0.8581,
    "choice": 0.8199,
    "table": -0.2867,
    "table_head": 1.1405,
    "labels_field": 2.302,
    "right_of_label": -0.3241,
    "tall": -0.154,
    "small": -0.5628,
    "long": -2.4743,
    "short": 0.0402,
    "name": -1.1271,
    "comma": -1.2616,
    "top": 0.2055,
    "outside": -0.4866,
    "repeated": 0.1434,
    "twice": -0.3132,
    "unsure": -1.4686,
    "known": 3.3957,
    "as_data": -0.4236,
    "known_as_data": -0.6171,
    "known_in_table": -0.6109,
    "known_in_field": 0.6635,
    "known_words": 0.1737,
    "words_as_data": -0.1756,
    "known_words_as_data": -2.9775,
    "new_of_known_words": 0.0195,
    "one": 1.2248,
}

READ = {
    "recall": 0.624,
    "precision": 0.7644,
    "recall_plain": 0.4655,
    "precision_plain": 0.6195,
    "missing": -3.9833,
    "extra": -3.3595,
    "seen": 2.8478,
    "head_recall": 0.0161,
    "head_precision": 1.2377,
    "across": -0.4971,
    "down": 0.2804,
    "replaced": -2.0864,
    "shapes": -0.1066,
    "shapes_known": -0.3503,
    "chosen": 2.3392,
    "balance": 1.0512,
    "worst": -1.3308,
    "shapes_alike": -0.1061,
    "title": 1.399,
    "app": -0.4138,
    "window_known": -0.4835,
    "look": 1.2114,
    "look_lead": 0.9214,
    "look_known": -0.3579,
    "one": 3.8597,
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
    "score": 1.2098,
    "lead": 2.4239,
    "one": -6.1172,
}

SURE_UNREAD = {
    "score": 0.9751,
    "lead": 0.15,
    "one": -0.0634,
}
