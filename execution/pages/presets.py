"""How a run looks at its screens: presets of the perception flags (S2.2), each with a word on when."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    label: str | Promise
    when: str | Promise
    flags: Mapping[str, Any] = field(default_factory=dict)


PRESETS: Mapping[str, Preset] = {
    "": Preset(label=_("As the workflow says"), when=_("The flags of the workflow, else those of the settings.")),
    "standard": Preset(
        label=_("Standard"),
        when=_("Reads text and detects elements; degraded after an analysis of more than 8 s."),
        flags={"enable_ui_detection": True, "enable_ocr": True, "analyze_timeout_ms": 8000},
    ),
    "vlm_down": Preset(
        label=_("Model is down"),
        when=_("Text only: no elements, no marks, nothing is sent to a model."),
        flags={"enable_ui_detection": False, "enable_ocr": True},
    ),
    "slow": Preset(
        label=_("Slow machine"),
        when=_("Waits up to 20 s for an analysis before it is degraded."),
        flags={"enable_ui_detection": True, "enable_ocr": True, "analyze_timeout_ms": 20_000},
    ),
    "gpu": Preset(
        label=_("GPU server"),
        when=_("With a GPU of its own an analysis of more than 3 s is a fault."),
        flags={"enable_ui_detection": True, "enable_ocr": True, "analyze_timeout_ms": 3000},
    ),
    "remote": Preset(
        label=_("Citrix or RDP"),
        when=_("The useful window is inside the session: name the provider that knows it."),
        flags={"enable_ui_detection": True, "enable_ocr": True},
    ),
    "embedding": Preset(
        label=_("Likeness only"),
        when=_("Neither text nor elements: screens are told apart by their look alone."),
        flags={"enable_ui_detection": False, "enable_ocr": False},
    ),
    "profiling": Preset(
        label=_("Profiling"),
        when=_("Never degraded, however long it takes."),
        flags={"enable_ui_detection": True, "enable_ocr": True, "analyze_timeout_ms": 999_999},
    ),
}
