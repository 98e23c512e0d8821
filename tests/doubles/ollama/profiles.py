"""Where servers in the field differ: those before the runner was replaced, those after it (A.5.19)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Profile:
    name: str
    version: str
    ps_shows_loading: bool  # before the change a model is listed from the moment its load begins
    ps_tells_context: bool  # context_length in /api/ps
    tags_tell_capabilities: bool
    loaded_wait_in_queue: bool  # requests for a loaded model pass through the queue too, and count against its limit
    repeats_allowed: int  # repeated tokens until the answer is ended
    repeats_end_silently: bool  # without `done` and without an error (A.4.5)
    knows_truncate: bool  # before 0.13 `truncate: false` is ignored, as every unknown field is
    bad_image: tuple[int, str]
    no_vision: tuple[int, str]


OLD = Profile(
    name="old",
    version="0.11.4",
    ps_shows_loading=True,
    ps_tells_context=False,
    tags_tell_capabilities=False,
    loaded_wait_in_queue=True,
    repeats_allowed=30,
    repeats_end_silently=True,
    knows_truncate=False,
    bad_image=(500, "failed to process inputs: image: unknown format"),
    no_vision=(500, "this model is missing data required for image input"),
)
NEW = Profile(
    name="new",
    version="0.33.0",
    ps_shows_loading=False,
    ps_tells_context=True,
    tags_tell_capabilities=True,
    loaded_wait_in_queue=False,
    repeats_allowed=100,
    repeats_end_silently=False,
    knows_truncate=True,
    bad_image=(400, "Failed to load image or audio file"),
    no_vision=(500, "image input is not supported - hint: if this is unexpected, you may need to provide the mmproj"),
)
