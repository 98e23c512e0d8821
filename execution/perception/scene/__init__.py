"""What stands on a screen: words, things and the layers they are on; made once of each ScreenState (S2.12)."""

from __future__ import annotations

from execution.perception.scene.scene import Scene, scene_of
from execution.perception.scene.thing import PlacedWord, Source, Thing

__all__ = ["PlacedWord", "Scene", "Source", "Thing", "scene_of"]
