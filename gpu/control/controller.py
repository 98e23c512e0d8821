"""The one who changes what is in the GPU's memory: a look, a decision, a step, and again (S3, A.9)."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime

from gpu.choices import GPUEventKind
from gpu.clip import CLIPManager
from gpu.config import GPUResourceConfig
from gpu.control.reporter import Reporter, Tell, Topic
from gpu.control.residency import Needs, Residency, Retries
from gpu.control.scheduler import BY_ITSELF, QueueEntry, Scheduler
from gpu.exceptions import ClipUnavailable, GPUError, NotEnoughVRAM, ServerAway, VLMUnavailable
from gpu.ollama import OllamaManager, tagged
from gpu.policy import (
    CPU,
    ClipView,
    GPUSnapshot,
    LoadModel,
    MemoryPlan,
    MoveClip,
    Step,
    Tick,
    UnloadModel,
    Wait,
    decide,
)
from gpu.resources import VRAMMonitor, free_mb
from gpu.types import ExecutionMode, ModelState, Request, RequestKind, VRAMInfo
from sentences.said import say, told_by

log = logging.getLogger(__name__)

MOST_STEPS = 16  # a decision that never ends is an error of ours, and no loop
OF_LOADING = (RequestKind.LOAD, RequestKind.USE)
OF_CLIP = (RequestKind.CLIP_TO_GPU, RequestKind.CLIP_TO_CPU)


class Controller:
    """`tell` hears every change in one sentence. `wanted` is the mode that was asked for last."""

    def __init__(
        self,
        config: GPUResourceConfig,
        *,
        ollama: OllamaManager | None,
        memory: VRAMMonitor,
        clip: CLIPManager,
        tell: Tell,
        needs: Needs,
    ) -> None:
        self.config, self.clip = config, clip
        self.scheduler = Scheduler(max_waiting=config.max_waiting)
        self.reporter = Reporter(memory, tell)
        self.models = Residency(
            config,
            ollama,
            self.reporter,
            free_mb=self.free_mb,
            needs=needs,
            on_away=self._server_is_away,
            on_back=self._server_is_back,
            on_vanished=self._vanished,
        )
        self.vlm = tagged(config.vlm_model) if config.has_vlm else ""
        self.mode = self.wanted = ExecutionMode.IDLE
        self.last_request: datetime | None = None
        self._clip_returns = False
        self._due_at: float | None = None  # when what the mode wants is tried again
        self._due_pause_s = config.due_pause_s
        self._vlm_was_there = False
        self._refused: Request | None = None  # for want of memory; it degrades until there is enough

    # --- what there is ----------------------------------------------------------------------------------------------
    def free_mb(self) -> int | None:
        """Free memory of this machine's GPUs; None where it is unknown, or Ollama runs elsewhere."""
        return free_mb(self.reporter.gpus() if self.config.ollama_is_here else ())

    @property
    def vlm_state(self) -> ModelState:
        return self.models.record(self.vlm).state if self.vlm else ModelState.UNLOADED

    def snapshot(self) -> GPUSnapshot:
        """As far as it is known; in a turn `_look` asks the server first."""
        now = asyncio.get_running_loop().time()
        config, models, told = self.config, self.models, self.reporter.gpus()
        return GPUSnapshot(
            now=now,
            mode=self.mode,
            vlm=self.vlm,
            models=models.records(),
            clip=ClipView(
                device=self.clip.device,
                available=self.clip.available,
                in_use=self.clip.in_use,
                need_mb=self.clip.need_mb,
                gpus=_free(self.clip.in_cuda_order(told)) if told else None,
                returns=self._clip_returns,
            ),
            gpus=_free(told) or None,
            vlm_is_here=config.ollama_is_here,
            config=config,
            swaps=tuple(models.loads),
            server_problem=models.problem,
            mode_is_due=self._due_at is not None and now >= self._due_at,
        )

    # --- what is asked ----------------------------------------------------------------------------------------------
    async def reach(self, request: Request | Tick) -> MemoryPlan:
        """In a turn: do what is left until the request is met. Raises the GPUError that stands in its way."""
        tries = self._tries()
        if isinstance(request, Request) and request.kind in OF_LOADING:
            self._note_request(request.model)
        for _ in range(MOST_STEPS):
            await self._look(request)
            decision = decide(self.snapshot(), request)
            step = next(iter(decision.steps), None)
            if step is None or isinstance(step, Wait) or self._is_outdated(request):
                break
            log.info("%s", step.reason)
            await self._do(step, request, tries)
        else:
            raise GPUError(say("gpu.endless", request=request))
        wants_vlm = isinstance(request, Request) and request.kind in OF_LOADING and tagged(request.model) == self.vlm
        if decision.refusal is not None:
            if wants_vlm and isinstance(decision.refusal, NotEnoughVRAM):
                self.reporter.problem(Topic.MODEL, told_by(decision.refusal))
                self._refused = request if isinstance(request, Request) else None
            raise decision.refusal
        if isinstance(request, Request) and request.kind in OF_LOADING:
            self.models.touch(request.model)
        if wants_vlm:
            self.reporter.problem(Topic.MODEL, "")
            self._refused = None
        return decision

    async def change_mode(self) -> None:
        """In a turn: take the mode that was asked for last. What cannot be had degrades, it never raises (S1.21)."""
        if self.wanted is not self.mode:
            before, self.mode = self.mode, self.wanted
            told = say("gpu.mode_changed", before=say(f"mode.{before}"), now=say(f"mode.{self.mode}"))
            self.reporter.event(GPUEventKind.MODE_CHANGED, told)
        self._due_pause_s = self.config.due_pause_s
        self._clip_returns = False
        await self._have_what_the_mode_wants()

    @contextmanager
    def expecting(self, request: Request) -> Iterator[None]:
        """Somebody is about to use the model, or does: no chat drives it out, and it is not idle."""
        record = self.models.record(request.model)
        record.users = (*record.users, request.purpose)
        try:
            yield
        finally:
            record.users = record.users[1:]

    def has(self, model: str) -> bool:
        """Whether it was loaded when it was last looked; whoever needs to be sure looks in a turn."""
        return self.models.record(model).state is ModelState.LOADED

    def _note_request(self, model: str) -> None:
        if tagged(model) == self.vlm:
            self.last_request = datetime.now(UTC)

    # --- by itself --------------------------------------------------------------------------------------------------
    async def tick(self) -> None:
        """Do what is due: unload what is idle, have CLIP back, try again what a mode wants."""
        self.reporter.look()
        if self._refused is not None and decide(self.snapshot(), self._refused).refusal is None:
            self._refused = None
            self.reporter.problem(Topic.MODEL, "")
        snapshot = self.snapshot()
        if self.scheduler.is_busy or not (snapshot.mode_is_due or decide(snapshot, Tick()).steps):
            return
        entry = QueueEntry(Request(kind=RequestKind.MODE, mode=self.mode), BY_ITSELF)
        async with self.scheduler.turn(entry):
            try:
                if self.snapshot().mode_is_due:
                    await self._have_what_the_mode_wants()
                else:
                    await self.reach(Tick())
            except GPUError as error:  # it has been told, and is tried again at the next tick
                log.info("%s", error)

    async def probe(self) -> None:
        """Whether the server answers; a server that was away is followed again (S3.10)."""
        scheduler, granted = self.scheduler, self.scheduler.granted
        await self.models.probe(is_still=lambda: not scheduler.is_busy and scheduler.granted == granted)

    async def take_over(self) -> None:
        """In a turn: this process owns the GPU from now on; what is loaded is read, not remembered."""
        self.reporter.look()
        await self.models.probe()
        if self.vlm_state is ModelState.LOADED:
            self.models.touch(self.vlm)

    # --- the server -------------------------------------------------------------------------------------------------
    def _server_is_away(self) -> None:
        self._vlm_was_there = self.vlm_state is ModelState.LOADED

    def _server_is_back(self) -> None:
        if self._vlm_was_there and self.mode is ExecutionMode.RECORDING:
            self._due_at = self._due_at or 0.0
        if self._due_at is not None:
            self._due_at, self._due_pause_s = 0.0, self.config.due_pause_s

    def _vanished(self, names: list[str]) -> None:
        if self.vlm in names and self.mode is ExecutionMode.RECORDING and self._due_at is None:
            self._due_at = asyncio.get_running_loop().time() + self._due_pause_s

    async def _look(self, request: Request | Tick) -> None:
        if isinstance(request, Tick):
            await self.models.look("", None)
        elif request.kind not in OF_CLIP:
            wanted = self.vlm if request.kind is RequestKind.MODE else request.model
            await self.models.look("" if request.kind is RequestKind.UNLOAD else wanted, self._tries())

    # --- modes ------------------------------------------------------------------------------------------------------
    async def _have_what_the_mode_wants(self) -> None:
        mode, self._due_at = self.mode, None
        request = Request(kind=RequestKind.MODE, mode=mode)
        now = asyncio.get_running_loop().time
        try:
            decision = await self.reach(request)
        except GPUError as error:
            log.warning("%s mode without all that it wants: %s", mode, error)
            self._due_at = now() + self._due_pause_s
            self._due_pause_s = min(2 * self._due_pause_s, self.config.due_pause_at_most_s)
            # of a server that is away it is said already
            self.reporter.problem(Topic.MODE, "" if isinstance(error, ServerAway) else told_by(error))
        else:
            pause = next((step for step in decision.steps if isinstance(step, Wait)), None)
            if pause is not None:
                self._due_at = now() + pause.seconds
            self.reporter.problem(Topic.MODE, pause.reason if pause else "")
            if mode is ExecutionMode.AUTOPILOT:
                self._clip_returns = self.clip.available and self.clip.device == CPU

    def _is_outdated(self, request: Request | Tick) -> bool:
        """Another mode was asked for meanwhile: the steps that are left are not for this one any more."""
        return isinstance(request, Request) and request.kind is RequestKind.MODE and self.wanted is not request.mode

    # --- steps ------------------------------------------------------------------------------------------------------
    def _tries(self) -> Retries:
        config = self.config
        until = asyncio.get_running_loop().time() + config.load_timeout_s
        return Retries(most=config.load_tries, pause_s=config.retry_pause_s, until=until)

    async def _do(self, step: Step, request: Request | Tick, tries: Retries) -> None:
        """What fails is told, and raised for whoever asked."""
        if isinstance(step, MoveClip):
            gave_way = isinstance(request, Request) and request.kind in OF_LOADING
            self._clip_returns = False
            await self._move_clip(step)
            self._clip_returns = gave_way and self.mode is ExecutionMode.AUTOPILOT
        elif isinstance(step, UnloadModel):
            await self._unload(step)
        elif isinstance(step, LoadModel):
            self._note_request(step.model)
            await self._load(step, tries)

    async def _load(self, step: LoadModel, tries: Retries) -> None:
        """One try; after one that failed and may succeed yet, it is looked and decided again (S3.4)."""
        try:
            await self.models.load(step.model, until=tries.until)
        except VLMUnavailable as error:
            if await tries.again(error):
                return
            self._failed(step.model, error)
            raise
        self._succeeded(step.model)

    async def _unload(self, step: UnloadModel) -> None:
        try:
            await self.models.unload(step.model)
        except VLMUnavailable as error:
            self._failed(step.model, error)
            raise
        self._succeeded(step.model)
        if step.idle:
            self.reporter.event(GPUEventKind.IDLE_UNLOAD, say("gpu.idle_unloaded", model=step.model, why=step.reason))

    async def _move_clip(self, step: MoveClip) -> None:
        before = self.clip.device
        try:
            await self.clip.move(step.device)
        except ClipUnavailable as error:
            self.reporter.problem(Topic.CLIP, told_by(error))
            raise
        except Exception as error:  # of a library, or a driver: a mode never raises (S1.21)
            log.exception("CLIP could not be moved")
            problem = say("gpu.clip_stuck", device=step.device, now=self.clip.device, error=error)
            self.reporter.problem(Topic.CLIP, problem)
            raise ClipUnavailable(problem) from error
        if self.clip.device != step.device:
            raise ClipUnavailable(say("gpu.clip_elsewhere", device=step.device, now=self.clip.device))
        self.reporter.solved(Topic.CLIP, say("gpu.clip_moved", before=before, now=self.clip.device, why=step.reason))

    def _failed(self, model: str, error: VLMUnavailable) -> None:
        if isinstance(error, ServerAway):
            self.models.failed(error)
        elif tagged(model) == self.vlm:  # another one that fails degrades nothing but the chat that wanted it
            self.reporter.problem(Topic.MODEL, told_by(error))

    def _succeeded(self, model: str) -> None:
        self.models.answers()
        if tagged(model) == self.vlm:
            self.reporter.problem(Topic.MODEL, "")


def _free(gpus: Sequence[VRAMInfo]) -> tuple[int, ...]:
    return tuple(gpu.free_mb for gpu in gpus)
