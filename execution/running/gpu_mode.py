"""The mode of a run drives the GPU (S1.15). No run waits for it, and none fails for it (S1.21)."""

from __future__ import annotations

import logging
from collections.abc import Callable
from concurrent.futures import Future

from django.utils.translation import gettext as _

from execution.choices import ExecutionMode
from execution.record.journal import Journal
from gpu import ExecutionMode as GpuMode
from gpu import GPUResourceManager, GPUResourceStatus, ModelState, get_gpu_resource_manager
from sentences.said import cause

log = logging.getLogger(__name__)

GPU_MODE = {
    ExecutionMode.AUTOMATIC: GpuMode.AUTOPILOT,
    ExecutionMode.OBSERVATION: GpuMode.RECORDING,
    ExecutionMode.COACHING: GpuMode.RECORDING,
    ExecutionMode.SUPERVISED: GpuMode.IDLE,
}


class RunDrivenGpu:
    """The GPU manager as one run loop uses it: claimed for the loop, told of each run, its loads said to people."""

    def __init__(self, *, say: Callable[[str], None], manager: GPUResourceManager | None = None) -> None:
        self._say = say
        self._given = manager
        self._vlm_state = ModelState.UNLOADED
        self._reason = ""
        self._is_claimed = False

    def claim(self, name: str) -> None:
        """Own the GPU of this machine as soon as nobody does; a second call changes nothing."""
        if self._is_claimed:
            return
        self._is_claimed = True
        try:
            manager = self._manager()
            manager.on_event(self._heard)
            manager.claim(name)
        except Exception as error:  # noqa: BLE001  a helper: whatever it raises is told, and the loop goes on
            log.warning("the GPU could not be claimed: %s: %s", type(error).__name__, error)

    def release(self) -> None:
        """Give the GPU back when the loop ends: another one has it at once."""
        if not self._is_claimed:
            return
        self._is_claimed = False
        try:
            manager = self._manager()
            manager.off_event(self._heard)
            manager.release()
        except Exception as error:  # noqa: BLE001  a helper: whatever it raises is told, and the loop ends
            log.warning("the GPU could not be given back: %s: %s", type(error).__name__, error)

    def follow(self, journal: Journal) -> Future[None] | None:
        """Ask for what the run's mode wants of the GPU; it is done while the run goes on."""
        mode, execution_id = GPU_MODE[ExecutionMode(journal.execution.mode)], journal.execution.execution_id
        try:
            manager = self._manager()
            asked = manager.runtime.submit(manager.set_execution_mode(mode, asked_by=execution_id))
        except Exception as error:  # noqa: BLE001  a helper: whatever it raises is told, and the run goes on
            journal.warn("gpu", cause(error))
            return None
        asked.add_done_callback(lambda done: _told(done, execution_id))
        return asked

    def _manager(self) -> GPUResourceManager:
        return self._given or get_gpu_resource_manager()

    def _heard(self, kind: str, text: str, status: GPUResourceStatus) -> None:
        """A line for each step of a load (S1.17), and for each new reason why not all is there."""
        if status.degraded_reason != self._reason:
            self._reason = status.degraded_reason
            self._say(self._reason or _("The GPU and its models are all there again."))
        if status.vlm_state is self._vlm_state:
            return
        self._vlm_state = status.vlm_state
        if status.vlm_state is ModelState.LOADING:
            self._say(_("The model “%(name)s” is being loaded …") % {"name": status.vlm_model})
        elif status.vlm_state is ModelState.LOADED:
            self._say(_("The model “%(name)s” is loaded.") % {"name": status.vlm_model})


def _told(done: Future[None], execution_id: str) -> None:
    if not done.cancelled() and (error := done.exception()) is not None:
        log.warning("the GPU: %s: %s", type(error).__name__, error, extra={"execution": execution_id, "kind": "gpu"})
