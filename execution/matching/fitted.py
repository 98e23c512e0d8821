"""The coefficients of the matching: logistic regressions, fitted to 255 screens.

Written by `python -m tests.benchmarks.matching --fit`; `calibration` says how they are applied.
"""

from __future__ import annotations

LASTS = {
    "digits": -4.8357,
    "in_field": -1.3423,
    "in_button": -0.0014,
    "in_tab": 1.6001,
    "in_menu": 1.2246,
    "in_link": -1.1979,
    "choice": 0.5282,
    "table": -0.3027,
    "table_head": 0.4605,
    "labels_field": 1.9637,
    "right_of_label": -0.283,
    "tall": 0.5024,
    "small": -0.5199,
    "long": -2.4336,
    "short": 0.7336,
    "name": -2.9525,
    "comma": -1.4464,
    "top": 0.6568,
    "outside": 0.273,
    "repeated": 0.522,
    "twice": 0.2931,
    "shared": 4.0581,
    "as_data": -0.8378,
    "shared_data": -2.1768,
    "shared_table": -1.5132,
    "one": 0.6249,
}

READ = {
    "recall": 0.3873,
    "precision": 0.6189,
    "recall_plain": 0.3516,
    "precision_plain": 0.5813,
    "missing": -3.4433,
    "extra": -3.2535,
    "seen": 4.5646,
    "head_recall": 0.2594,
    "head_precision": 2.2434,
    "across": -0.6685,
    "down": 0.3899,
    "shapes": 0.232,
    "shapes_known": -0.2342,
    "chosen": 2.7369,
    "balance": 0.7089,
    "worst": -1.0415,
    "shapes_alike": 0.2407,
    "title": 1.5965,
    "app": -0.4369,
    "window_known": -0.6822,
    "look": 1.0788,
    "look_lead": 0.8733,
    "look_known": -0.503,
    "one": -3.2753,
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
    "score": 1.3628,
    "lead": 0.8353,
    "one": -2.1247,
}

SURE_UNREAD = {
    "score": 0.9167,
    "lead": 0.15,
    "one": -0.3197,
}
