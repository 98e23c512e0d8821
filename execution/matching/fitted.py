"""Coefficients of the matching."""

from __future__ import annotations

LASTS = {
    "digits": -4.67, "in_field": -1.58, "in_button": -0.07, "choice": 1.33, "table": -0.59, "labels_field": 1.41,
    "right_of_label": -0.25, "tall": 1.2, "small": -1.07, "long": -1.89, "short": -1.5, "name": -3.01, "comma": -1.5,
    "top": 0.9, "outside": 0.37, "repeated": 1.1, "twice": 0.21, "shared": 4.92, "as_data": -0.47, "shared_data": -3.54,
    "shared_table": -1.37, "one": 0.5,
}  # fmt: skip
READ = {
    "recall": -0.9, "precision": -0.66, "recall_plain": -0.69, "precision_plain": -0.59, "missing": -3.67,
    "extra": -2.57, "seen": 4.13, "head_recall": 0.85, "head_precision": 1.32, "across": -0.49, "down": 0.48,
    "shapes": 1.9, "shapes_known": -1.26, "balance": -0.72, "worst": -2.87, "shapes_alike": 0.49, "title": 2.4,
    "app": -0.8, "window_known": -0.84, "look": -1.51, "look_lead": 1.37, "look_known": 1.83, "one": 7.07,
}  # fmt: skip
UNREAD = {"title": 2.13, "app": 1.66, "look": -0.91, "look_lead": 6.81, "one": -3.23}
SURE = {"score": 1.37, "lead": 0.16, "one": -0.5}
SURE_UNREAD = {"score": 1.18, "lead": 0.08, "one": 0.21}
