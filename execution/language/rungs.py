"""The ways in which targets are found, as people call them."""

from __future__ import annotations

from django.utils.translation import gettext_lazy

RUNGS = {
    "coords_cache": gettext_lazy("Remembered place"),
    "anchor_template": gettext_lazy("Picture"),
    "ocr_text": gettext_lazy("Text"),
    "som_text_match": gettext_lazy("Marks"),
    "som_vlm": gettext_lazy("Model"),
    "coach": gettext_lazy("A person"),
}
