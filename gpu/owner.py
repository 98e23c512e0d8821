"""The one who changes what is in the GPU's memory: a look, a decision, a step, and again (S3, RELIABILITY.md A.9).

All of it runs in one loop, and everything that changes something inside a turn of the scheduler.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from datetime import UTC, datetime

from gpu.breaker import Breaker
from gpu.choices import EventKind
from gpu.config import GPUResourceConfig
from gpu.exceptions import ClipUnavailable, GPUError, NotEnoughVRAM, ServerAway, VLMUnavailable
from gpu.ollama.entries import tagged
from gpu.parts import Clip, Declared, Memory, Needs, Ollama
from gpu.policy import (
    CPU,
    NO_VLM,
    ClipView,
    Decision,
    GpuView,
    Limits,
    LoadModel,
    MoveClip,
    Snapshot,
    Step,
    Tick,
    UnloadModel,
    Wait,
    decide,
)  # fmt: skip
from gpu.problems import NO_GPU, About, Problems
from gpu.residency import Residency
from gpu.scheduler import BY_ITSELF, Errand, Scheduler
from gpu.tries import Tries
from gpu.types import ExecutionMode, ModelState, Request, RequestKind, VRAMInfo

log = logging.getLogger(__name__)

MOST_STEPS = 16  # a decision that never ends is an error of ours, and no loop
VRAM_MOVED_MB = 100
OF_LOADING = (RequestKind.LOAD, RequestKind.USE)
OF_CLIP = (RequestKind.CLIP_TO_GPU, RequestKind.CLIP_TO_CPU)

Tell = Callable[[EventKind, str], None]


class Owner:
    """`tell` hears every change in one sentence."""

    def __init__(
        self,
        config: GPUResourceConfig,
        *,
        ollama: Ollama | None,
        memory: Memory,
        clip: Clip,
        tell: Tell,
        needs: Needs | None = None,
        declared_mb: Declared | None = None,
    ) -> None:
        self.config, self.clip = config, clip
        self._ollama, self._memory, self._tell = ollama, memory, tell
        self.scheduler = Scheduler(max_waiting=config.max_waiting)
        self.problems = Problems()
        self.breaker = Breaker(failures_until_open=config.failures_until_open, open_s=config.open_s)
        self.models: Residency | None = None
        if ollama is not None:
            self.models = Residency(
                config, ollama, free_mb=self.free_mb, say=self._changed, needs=needs, declared_mb=declared_mb
            )
        self.vlm = tagged(config.vlm_model) if config.has_vlm else ""
        self.mode = self.wanted = ExecutionMode.IDLE
        self.last_request: datetime | None = None
        self._clip_returns = False
        self._due_at: float | None = None  # when what the mode wants is tried again
        self._due_pause_s = config.due_pause_s
        self._away = False
        self._vlm_was_there = False
        self._gpu_seen = False
        self._refused: Request | None = None  # for want of memory; it degrades until there is enough
        self._told_used_mb = 0
        self.look_at_memory(first=True)

    # --- what there is ----------------------------------------------------------------------------------------------
    def gpus(self) -> tuple[VRAMInfo, ...]:
        return self._memory.read()

    def free_mb(self) -> int | None:
        """Free memory of this machine's GPUs; None where it is unknown, or Ollama runs elsewhere."""
        gpus = self.gpus() if self.config.ollama_is_here else ()
        return sum(gpu.free_mb for gpu in gpus) if gpus else None

    @property
    def vlm_state(self) -> ModelState:
        return self.models.record(self.vlm).state if self.models and self.vlm else ModelState.UNLOADED

    def snapshot(self) -> Snapshot:
        """As far as it is known; in a turn `_look` asks the server first."""
        now = asyncio.get_running_loop().time()
        config, models = self.config, self.models
        gpus = tuple(GpuView(total_mb=gpu.total_mb, free_mb=gpu.free_mb) for gpu in self.gpus())
        return Snapshot(
            now=now,
            mode=self.mode,
            vlm=self.vlm,
            models=models.views() if models else (),
            clip=ClipView(
                device=self.clip.device,
                available=self.clip.available,
                need_mb=self.clip.need_mb,
                returns=self._clip_returns,
            ),
            gpus=gpus or None,
            vlm_is_here=config.ollama_is_here,
            limits=Limits(
                headroom_mb=config.headroom_mb,
                idle_timeout_s=config.idle_timeout_s,
                swaps_per_minute=config.swaps_per_minute,
            ),
            swaps=tuple(models.loads) if models else (),
            server_problem=self.breaker.problem,
            server_again_s=self.breaker.again_in_s(now),
            mode_is_due=self._due_at is not None and now >= self._due_at,
        )

    # --- what is asked ----------------------------------------------------------------------------------------------
    async def reach(self, request: Request | Tick) -> Decision:
        """In a turn: do what is left until the request is met. Raises the GPUError that stands in its way."""
        tries = self._tries()
        for _ in range(MOST_STEPS):
            await self._look(request)
            decision = decide(self.snapshot(), request)
            step = next(iter(decision.steps), None)
            if step is None or isinstance(step, Wait) or self._is_outdated(request):
                break
            log.info("%s", step.reason)
            await self._do(step, request, tries)
        else:
            raise GPUError(f"{request} does not come to an end.")
        wants_vlm = isinstance(request, Request) and request.kind in OF_LOADING and tagged(request.model) == self.vlm
        if decision.refusal is not None:
            if wants_vlm and isinstance(decision.refusal, NotEnoughVRAM):
                self._say_problem(About.MODEL, str(decision.refusal))
                self._refused = request if isinstance(request, Request) else None
            raise decision.refusal
        if isinstance(request, Request) and request.kind in OF_LOADING and self.models:
            self.models.touch(request.model)
        if wants_vlm:
            self._say_problem(About.MODEL, "")
            self._refused = None
        return decision

    async def change_mode(self) -> None:
        """In a turn: take the mode that was asked for last. What cannot be had degrades, it never raises (S1.21)."""
        if self.wanted is not self.mode:
            self._tell_mode(self.wanted)
        self._due_pause_s = self.config.due_pause_s
        self._clip_returns = False
        await self._have_what_the_mode_wants()

    async def begin_use(self, request: Request) -> None:
        """In a turn: the model is loaded, and somebody has it from now on."""
        if self.models is None:
            raise VLMUnavailable(NO_VLM, passing=False)
        self.note_request(request.model)
        await self.reach(request)
        record = self.models.record(request.model)
        record.users = (*record.users, request.purpose)

    def end_use(self, request: Request) -> None:
        if self.models is not None:
            record = self.models.record(request.model)
            record.users = record.users[1:]
            self.models.touch(request.model)

    def has(self, model: str) -> bool:
        """Whether it was loaded when it was last looked; whoever needs to be sure looks in a turn."""
        return self.models is not None and self.models.record(model).state is ModelState.LOADED

    def note_request(self, model: str) -> None:
        if tagged(model) == self.vlm:
            self.last_request = datetime.now(UTC)

    # --- by itself --------------------------------------------------------------------------------------------------
    async def tick(self) -> None:
        """Do what is due: unload what is idle, have CLIP back, try again what a mode wants."""
        self.look_at_memory()
        if self._refused is not None and decide(self.snapshot(), self._refused).refusal is None:
            self._refused = None
            self._say_problem(About.MODEL, "")
        if self.scheduler.is_busy or not self._is_something_due():
            return
        errand = Errand(Request(kind=RequestKind.MODE, mode=self.mode), BY_ITSELF)
        async with self.scheduler.turn(errand):
            try:
                if self.snapshot().mode_is_due:
                    await self._have_what_the_mode_wants()
                else:
                    await self.reach(Tick())
            except GPUError as error:  # it has been told, and is tried again at the next tick
                log.info("%s", error)

    async def probe(self) -> None:
        """Whether the server answers; a server that was away is followed again (S3.10)."""
        if self._ollama is None:
            return
        try:
            await self._ollama.health()
        except VLMUnavailable as error:
            self.server_failed(error)
            return
        self.breaker.probe_succeeded()
        if self._away:
            self._is_back()
        if self.models is not None and not self.scheduler.is_busy:
            await self._follow_if_it_says()

    async def take_over(self) -> None:
        """In a turn: this process owns the GPU from now on; what is loaded is read, not remembered."""
        self.look_at_memory()
        if self.models is not None:
            await self._follow_if_it_says()
            if self.vlm_state is ModelState.LOADED:
                self.models.touch(self.vlm)

    def look_at_memory(self, *, first: bool = False) -> None:
        """Tell of memory that moved by more than 100 MB (S3.9), of a GPU that is there no more or again (S3.10)."""
        gpus = self.gpus()
        if gpus:
            self._gpu_seen = True
            self._say_problem(About.GPU, "", quiet=first)
        elif self._gpu_seen:
            why = self._memory.problem or "no reason given"
            self._say_problem(About.GPU, f"The GPU cannot be seen any more, its memory is unknown ({why}).")
        else:
            self._say_problem(About.GPU, NO_GPU, quiet=first)
        self._look_for_lost_memory(gpus)
        used = _used(gpus)
        if not first and gpus and abs(used - self._told_used_mb) > VRAM_MOVED_MB:
            self._changed(f"GPU memory in use: {self._told_used_mb} → {used} MB.")
        if first:
            self._told_used_mb = used

    # --- the server -------------------------------------------------------------------------------------------------
    def server_failed(self, error: VLMUnavailable) -> None:
        now = asyncio.get_running_loop().time()
        self.breaker.failed(now, str(error))
        if not self._away:
            self._away = True
            self._vlm_was_there = self.vlm_state is ModelState.LOADED
            if self.models is not None:
                self.models.lost_sight()
        self._say_problem(About.SERVER, str(error))

    def _is_back(self) -> None:
        """What it could not do says nothing any more; what the mode wants is made true again."""
        self._away = False
        if self.models is not None:
            self.models.forget_errors()
        if self._vlm_was_there and self.mode is ExecutionMode.RECORDING:
            self._due_at = self._due_at or 0.0
        if self._due_at is not None:
            self._due_at, self._due_pause_s = 0.0, self.config.due_pause_s
        self.problems.set(About.MODEL, "")
        self.problems.set(About.SERVER, "")
        self._changed("Ollama answers again.")

    async def _look(self, request: Request | Tick) -> None:
        """Read what is in memory, unless the request is about CLIP alone or the server is left alone just now.

        A server that is away is asked again before it is believed; raises VLMUnavailable where it does not say.
        """
        if self.models is None or (isinstance(request, Request) and request.kind in OF_CLIP):
            return
        tries = self._tries()
        while True:
            if self.breaker.refuses(asyncio.get_running_loop().time()):
                return
            try:
                await self._follow()
                if isinstance(request, Request) and request.kind is not RequestKind.UNLOAD:
                    await self._know(request)
            except ServerAway as error:
                self.server_failed(error)
                if isinstance(request, Tick) or not await tries.again(error):
                    return
            else:
                return

    async def _know(self, request: Request) -> None:
        wanted = self.vlm if request.kind is RequestKind.MODE else request.model
        if wanted and self.models and self.models.record(wanted).state is not ModelState.LOADED:
            await self.models.know(wanted)

    async def _follow(self) -> None:
        """Ask what is in memory; what has come or gone without our doing is told."""
        assert self.models is not None
        before = {record.name: record.state for record in self.models.records()}
        vanished = await self.models.follow()
        self.breaker.probe_succeeded()
        if self._away:
            self._is_back()
        for name in vanished:
            self._changed(f"“{name}” is gone: the server has unloaded it.")
        for record in self.models.records():
            if record.state is ModelState.LOADED and before.get(record.name) is not ModelState.LOADED:
                self._changed(f"“{record.name}” is in memory.")
        if self.vlm in vanished and self.mode is ExecutionMode.RECORDING and self._due_at is None:
            self._due_at = asyncio.get_running_loop().time() + self._due_pause_s

    async def _follow_if_it_says(self) -> None:
        """As `_follow`, where nothing hangs on it."""
        try:
            await self._follow()
        except ServerAway as error:
            self.server_failed(error)
        except VLMUnavailable as error:  # it may be late while it unloads: that is no outage (RELIABILITY.md A.4.8)
            log.info("what is in memory is not known just now: %s", error)

    # --- modes ------------------------------------------------------------------------------------------------------
    def _tell_mode(self, mode: ExecutionMode) -> None:
        before, self.mode = self.mode, mode
        self._tell(EventKind.MODE_CHANGED, f"Mode: {before} → {mode}.")

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
            self._say_problem(About.MODE, str(error))
        else:
            pause = next((step for step in decision.steps if isinstance(step, Wait)), None)
            if pause is not None:
                self._due_at = now() + pause.seconds
            self._say_problem(About.MODE, pause.reason if pause else "")
            if mode is ExecutionMode.AUTOPILOT:
                self._clip_returns = self.clip.available and self.clip.device == CPU

    def _is_outdated(self, request: Request | Tick) -> bool:
        """Another mode was asked for meanwhile: the steps that are left are not for this one any more."""
        return isinstance(request, Request) and request.kind is RequestKind.MODE and self.wanted is not request.mode

    def _is_something_due(self) -> bool:
        snapshot = self.snapshot()
        return snapshot.mode_is_due or bool(decide(snapshot, Tick()).steps)

    # --- steps ------------------------------------------------------------------------------------------------------
    def _tries(self) -> Tries:
        config = self.config
        until = asyncio.get_running_loop().time() + config.load_timeout_s
        return Tries(most=config.load_tries, pause_s=config.retry_pause_s, until=until)

    async def _do(self, step: Step, request: Request | Tick, tries: Tries) -> None:
        if isinstance(step, MoveClip):
            await self._move_clip(step, request)
        elif isinstance(step, UnloadModel):
            await self._unload(step)
        elif isinstance(step, LoadModel):
            await self._load(step, tries)

    async def _load(self, step: LoadModel, tries: Tries) -> None:
        """One try; after one that failed and may succeed yet, it is looked and decided again (S3.4)."""
        assert self.models is not None
        self.note_request(step.model)
        try:
            await self.models.load(step.model, until=tries.until)
        except VLMUnavailable as error:
            if await tries.again(error):
                return
            self._failed(step.model, error)
            raise
        self._succeeded(step.model)

    async def _unload(self, step: UnloadModel) -> None:
        assert self.models is not None
        try:
            await self.models.unload(step.model)
        except VLMUnavailable as error:
            self._failed(step.model, error)
            raise
        self._succeeded(step.model)
        if step.idle:
            self._tell(EventKind.IDLE_UNLOAD, f"“{step.model}” is unloaded: {step.reason}")

    async def _move_clip(self, step: MoveClip, request: Request | Tick) -> None:
        before = self.clip.device
        try:
            await self.clip.move(step.device)
        except ClipUnavailable as error:
            self._say_problem(About.CLIP, str(error))
            self._clip_returns = False
            raise
        if self.clip.device != step.device:
            raise ClipUnavailable(f"CLIP was to go to {step.device} and is on {self.clip.device}.")
        gave_way = isinstance(request, Request) and request.kind in OF_LOADING
        self._clip_returns = gave_way and self.mode is ExecutionMode.AUTOPILOT
        self.problems.set(About.CLIP, "")
        self._changed(f"CLIP {before} → {self.clip.device}: {step.reason}")

    # --- telling ----------------------------------------------------------------------------------------------------
    def _failed(self, model: str, error: VLMUnavailable) -> None:
        if isinstance(error, ServerAway):
            self.server_failed(error)
        elif tagged(model) == self.vlm:  # another one that fails degrades nothing but the chat that wanted it
            self._say_problem(About.MODEL, str(error))

    def _succeeded(self, model: str) -> None:
        self.breaker.succeeded()
        self._away = False
        self._say_problem(About.SERVER, "")
        if tagged(model) == self.vlm:
            self._say_problem(About.MODEL, "")

    def _look_for_lost_memory(self, gpus: tuple[VRAMInfo, ...]) -> None:
        """Memory that did not come back with the unload of a model, and that may do so yet."""
        missing = self.models.missing_mb if self.models else None
        if missing is None or self.models is None:
            return
        _name, expected, text = missing
        if gpus and sum(gpu.free_mb for gpu in gpus) > expected:
            self.models.missing_mb = None
            text = ""
        self._say_problem(About.MEMORY, text)

    def _say_problem(self, about: About, text: str, *, quiet: bool = False) -> None:
        if self.problems.set(about, text) and not quiet:
            self._changed(text or f"All right again: {about}.")

    def _changed(self, text: str) -> None:
        self._told_used_mb = _used(self.gpus())
        self._tell(EventKind.RESOURCE_CHANGED, text)


def _used(gpus: tuple[VRAMInfo, ...]) -> int:
    return sum(gpu.used_mb for gpu in gpus)
