"""The steps of a decision, done: models into memory and out of it, CLIP from device to device (S3.4, S3.5)."""

from __future__ import annotations

import logging

from gpu.choices import GPUEventKind
from gpu.clip import CLIPManager
from gpu.control.reporter import Reporter, Topic
from gpu.control.residency import Residency
from gpu.control.retries import Retries
from gpu.control.server_watch import ServerWatch
from gpu.exceptions import ClipUnavailable, ServerAway, VLMUnavailable
from gpu.ollama.protocol import tagged
from gpu.policy import LoadModel, MoveClip, UnloadModel

log = logging.getLogger(__name__)


class StepExecutor:
    """Used in a turn. What fails is told, and raised for whoever asked."""

    def __init__(
        self, *, vlm: str, clip: CLIPManager, models: Residency | None, server: ServerWatch | None, reporter: Reporter
    ) -> None:
        self._vlm, self._clip, self._reporter = vlm, clip, reporter
        self._models, self._server = models, server

    async def load(self, step: LoadModel, tries: Retries) -> None:
        """One try; after one that failed and may succeed yet, it is looked and decided again (S3.4)."""
        assert self._models is not None
        try:
            await self._models.load(step.model, until=tries.until)
        except VLMUnavailable as error:
            if await tries.again(error):
                return
            self._failed(step.model, error)
            raise
        self._succeeded(step.model)

    async def unload(self, step: UnloadModel) -> None:
        assert self._models is not None
        try:
            await self._models.unload(step.model)
        except VLMUnavailable as error:
            self._failed(step.model, error)
            raise
        self._succeeded(step.model)
        if step.idle:
            self._reporter.event(GPUEventKind.IDLE_UNLOAD, f"“{step.model}” is unloaded: {step.reason}")

    async def move_clip(self, step: MoveClip) -> None:
        before = self._clip.device
        try:
            await self._clip.move(step.device)
        except ClipUnavailable as error:
            self._reporter.problem(Topic.CLIP, str(error))
            raise
        except Exception as error:  # of a library, or a driver: a mode never raises (S1.21)
            log.exception("CLIP could not be moved")
            problem = f"CLIP cannot go to {step.device} and works on {self._clip.device}: {error}"
            self._reporter.problem(Topic.CLIP, problem)
            raise ClipUnavailable(problem) from error
        if self._clip.device != step.device:
            raise ClipUnavailable(f"CLIP was to go to {step.device} and is on {self._clip.device}.")
        self._reporter.problems.set(Topic.CLIP, "")
        self._reporter.changed(f"CLIP {before} → {self._clip.device}: {step.reason}")

    def _failed(self, model: str, error: VLMUnavailable) -> None:
        if isinstance(error, ServerAway) and self._server is not None:
            self._server.failed(error)
        elif tagged(model) == self._vlm:  # another one that fails degrades nothing but the chat that wanted it
            self._reporter.problem(Topic.MODEL, str(error))

    def _succeeded(self, model: str) -> None:
        if self._server is not None:
            self._server.succeeded()
        if tagged(model) == self._vlm:
            self._reporter.problem(Topic.MODEL, "")
