"""A machine for tests: the double's scheduler and memory without its sockets, CLIP on the same GPU, other programs.

It watches what must never happen: two operations at once, a load into memory that was not free.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property, wraps
from typing import Any

from gpu.config import GPUResourceConfig
from gpu.control.scheduler import QueueEntry
from gpu.exceptions import ClipUnavailable, CloudModelRefused, LoadFailed, ModelMissing, OutOfMemory, ServerAway
from gpu.manager import GPUResourceManager
from gpu.ollama import tagged
from gpu.policy import CHATS
from gpu.types import ChatMessage, Chunk, ExecutionMode, ModelOnDisk, Purpose, Resident, VRAMInfo
from tests.doubles.ollama import LOADED, ON_DISK, STOPPING, Ledger, Model, Overdrawn, Settings
from tests.doubles.ollama.clock import VirtualClock
from tests.doubles.ollama.errors import Refusal
from tests.doubles.ollama.lifecycle import Lifecycle
from tests.doubles.ollama.models import Runner
from tests.doubles.ollama.scheduler import Scheduler, Ticket
from tests.gpu.virtual_time import RuntimeHere, VirtualLoop, run

VLM, CHAT, OTHER = "vlm:7b", "chat:8b", "other:3b"
CLIP_MB, TOTAL_MB = 1500, 12_000


class SimulatedWorld:
    """Time is the loop's; `away` servers refuse, `clip_fails` moves to the GPU run out of memory."""

    def __init__(self, *models: Model, total_mb: int = TOTAL_MB, gpu: bool = True, headroom_mb: int = 512) -> None:
        self.clock = VirtualClock()
        self.ledger = Ledger(self.clock, total_mb)
        named = models or (
            Model(VLM, size_mb=6000, load_s=4.0, unload_s=0.5, release_s=1.0),
            Model(CHAT, size_mb=5000, load_s=3.0, unload_s=0.5),
            Model(OTHER, size_mb=2500, load_s=2.0),
        )
        self.models = {model.name: model for model in named}
        self.life = Lifecycle(self.models, self.clock, self.ledger, lambda: None, settings=Settings(max_loaded=9))
        self.scheduler = Scheduler(self.life)
        self.headroom_mb = headroom_mb
        self.gpu_seen = gpu
        self.away = False
        self.clip_fails = False
        self.clip_moves: list[tuple[float, str]] = []
        self.loads: list[tuple[float, str]] = []
        self.answers: list[str] = []
        self.violations: list[str] = []
        self.orphans: set[str] = set()  # asked to go by an owner that was killed since
        self.running: list[str] = []  # operations, now
        self.asking: set[asyncio.Future[Any]] = set()

    @cached_property
    def loop(self) -> VirtualLoop:
        """Begun when it is first needed: whoever begins it closes it."""
        return VirtualLoop(self)

    # --- time -------------------------------------------------------------------------------------------------------
    def next_due(self) -> float | None:
        return self.clock.next_due()

    def advance_to(self, when: float) -> None:
        self.clock.advance_to(when)

    # --- what happens to it -----------------------------------------------------------------------------------------
    def stop_server(self) -> None:
        self.away = True
        self.scheduler.reset()
        self.life.reset()
        for future in list(self.asking):
            if not future.done():
                future.set_exception(ServerAway("Ollama cannot be reached: the connection was reset."))

    def start_server(self) -> None:
        self.away = False

    def is_loaded(self, name: str) -> bool:
        return self.models[name].state == LOADED

    @contextmanager
    def operation(self, name: str) -> Iterator[None]:
        """Loads, unloads and moves of CLIP pass here."""
        stopping = [
            one.name
            for one in self.models.values()
            if one.state == STOPPING and one.name not in name and one.name not in self.orphans
        ]
        if self.running or (stopping and name.startswith("load")):
            self.violations.append(f"{self.clock.now}: {name} while {self.running or stopping}")
        self.running.append(name)
        try:
            yield
        finally:
            self.running.remove(name)


class SimulatedMemory:
    problem = "the driver does not answer"

    def __init__(self, world: SimulatedWorld) -> None:
        self._world = world

    def read(self) -> tuple[VRAMInfo, ...]:
        if not self._world.gpu_seen:
            return ()
        ledger = self._world.ledger
        return (
            VRAMInfo(
                uuid="GPU-1", name="Test", total_mb=ledger.total_mb, used_mb=ledger.used_mb, free_mb=ledger.free_mb
            ),
        )


class SimulatedClip:
    def __init__(self, world: SimulatedWorld, *, available: bool = True) -> None:
        self._world = world
        self.available = available
        self.in_use = True
        self.need_mb = CLIP_MB
        self.device, self.gpu_uuid = "cpu", ""

    def in_cuda_order(self, gpus: Sequence[VRAMInfo]) -> Sequence[VRAMInfo]:
        return gpus

    def on_device_change(self, listener: Callable[[str, str], None]) -> None:
        """It never moves by itself."""

    def close(self) -> None:
        self.device = "cpu"

    async def move(self, device: str) -> None:
        with self._world.operation(f"clip to {device}"):
            await asyncio.sleep(0.5)
            if device == self.device:
                return
            if device == "cpu":
                self._world.ledger.give_back("CLIP")
            else:
                self._take(device)
            self.device = device
            self._world.clip_moves.append((self._world.clock.now, device))

    def _take(self, device: str) -> None:
        if self._world.clip_fails:
            raise ClipUnavailable(f"CLIP cannot go to {device} and is on the processor: out of memory.")
        try:
            self._world.ledger.take("CLIP", self.need_mb)
        except Overdrawn as error:
            raise ClipUnavailable(f"CLIP cannot go to {device} and is on the processor: {error}.") from error


class SimulatedOllama:
    """`gpu.ollama.OllamaManager` on the scheduler of the double; an answer takes `answer_s`."""

    def __init__(self, world: SimulatedWorld, config: GPUResourceConfig) -> None:
        self._world, self.config = world, config
        self.answer_s = 1.0
        self.entry: Callable[[], QueueEntry | None] = lambda: None
        self.mode: Callable[[], ExecutionMode] = lambda: ExecutionMode.IDLE

    async def health(self) -> str:
        await self._reach()
        return "0.33.0"

    async def list_models(self) -> tuple[ModelOnDisk, ...]:
        await self._reach()
        return tuple(
            ModelOnDisk(name=one.name, digest=one.digest, size_mb=one.size_mb) for one in self._world.models.values()
        )

    async def loaded_models(self) -> tuple[Resident, ...]:
        await self._reach()
        runners = [self._world.life.runner(model) for model in self._world.models.values()]
        return tuple(
            Resident(
                name=one.model.name, digest=one.model.digest, size_mb=one.model.size_mb, vram_mb=one.vram_mb,
                context_length=one.context,
                expires_at=None,
            )
            for one in runners if one is not None
        )  # fmt: skip

    async def refuse_cloud(self, model: str) -> None:
        if model.endswith("cloud"):
            raise CloudModelRefused(f"“{model}” runs in a cloud.")

    async def load_model(self, model: str) -> None:
        await self._reach()
        world = self._world
        here = self._model(model).state != ON_DISK  # an unload that is taken back
        if world.gpu_seen and not here and world.ledger.free_mb - world.headroom_mb < self._model(model).size_mb:
            world.violations.append(f"{world.clock.now}: {model} is loaded into {world.ledger.free_mb} MB")
        entry = self.entry()
        chat = entry is not None and entry.request.purpose in CHATS
        chat = chat and self.mode() is ExecutionMode.AUTOPILOT  # then it never moves CLIP (S4.5)
        if world.ledger.held.get("CLIP") and model == VLM and not chat:
            world.violations.append(f"{world.clock.now}: {model} is loaded while CLIP is on the GPU")
        with world.operation(f"load {model}"):
            runner = await self._granted(model)
        world.loads.append((world.clock.now, model))
        world.life.let_go(runner)

    async def unload_model(self, model: str) -> None:
        await self._reach()
        with self._world.operation(f"unload {model}"):
            self._world.life.unload(self._model(model), lambda: None)

    async def answer(self, model: str, *, prompt: str, pictures: Sequence[bytes], schema: Mapping[str, Any]) -> Chunk:
        texts = [chunk.text async for chunk in self.chat(model, [ChatMessage(role="user", content=prompt)])]
        return Chunk(text=json.dumps({"said": "".join(texts)}))

    def chat(self, model: str, messages: Sequence[ChatMessage], **more: Any) -> AsyncGenerator[Chunk]:
        return self._chat(model, messages)

    async def aclose(self) -> None:
        """There is nothing to close."""

    # --- parts ------------------------------------------------------------------------------------------------------
    async def _chat(self, model: str, messages: Sequence[ChatMessage]) -> AsyncGenerator[Chunk]:
        await self._reach()
        if not self._world.is_loaded(tagged(model)):
            self._world.violations.append(f"{self._world.clock.now}: {model} is asked and is not loaded")
        runner = await self._granted(model)
        try:
            for word in ("this", "that"):
                await asyncio.sleep(self.answer_s / 2)
                await self._reach()
                if runner.model.runner is not runner:
                    raise ServerAway("Ollama cannot be reached: the connection was reset.")
                yield Chunk(text=word)
            self._world.answers.append(messages[-1].content)
            yield Chunk(done=True, done_reason="stop")
        finally:
            self._world.life.let_go(runner)

    async def _reach(self) -> None:
        await asyncio.sleep(0)
        if self._world.away:
            raise ServerAway("Ollama cannot be reached.")

    def _model(self, name: str) -> Model:
        try:
            return self._world.models[tagged(name)]
        except KeyError:
            raise ModelMissing(f"Ollama does not have “{name}”.") from None

    async def _granted(self, model: str) -> Runner:
        future: asyncio.Future[Runner] = asyncio.get_running_loop().create_future()

        def refused(refusal: Refusal) -> None:
            if not future.done():
                kind = OutOfMemory if "memory" in str(refusal.text) else LoadFailed
                future.set_exception(kind(f"Ollama could not load “{model}”: {refusal.text} ({refusal.status})."))

        ticket = Ticket(
            self._model(model),
            granted=lambda runner: self._world.life.let_go(runner) if future.done() else future.set_result(runner),
            refused=refused,
            options={"num_ctx": self.config.num_ctx},
            keep_alive_s=self.config.idle_timeout_s + 60,
        )
        self._world.asking.add(future)
        self._world.scheduler.ask(ticket)
        try:
            return await future
        except asyncio.CancelledError:
            self._world.scheduler.give_up(ticket)
            raise
        finally:
            self._world.asking.discard(future)


def config_of(**fields: Any) -> GPUResourceConfig:
    return GPUResourceConfig(**{"ollama_url": "http://localhost:11434", "vlm_model": VLM, **fields})


def manager_in(world: SimulatedWorld, *, clip: SimulatedClip | None = None, **fields: Any) -> GPUResourceManager:
    """A manager of that world; `fields` are of the configuration, or of the manager itself."""
    of_manager = {name: fields.pop(name) for name in ("ownership", "remote", "needs", "record") if name in fields}
    config = config_of(headroom_mb=world.headroom_mb, **fields)
    ollama = SimulatedOllama(world, config)
    manager = GPUResourceManager(
        config,
        ollama=ollama,
        vram=SimulatedMemory(world),
        clip=clip or SimulatedClip(world),
        runtime=RuntimeHere(world.loop),
        **of_manager,
    )
    ollama.entry = lambda: manager.controller.scheduler.current
    ollama.mode = lambda: manager.controller.mode
    return manager


def told(manager: GPUResourceManager) -> list[str]:
    texts: list[str] = []
    manager.on_event(lambda kind, text, status: texts.append(text))
    return texts


def in_world(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    """A test that is run in the loop of its `world`, to its end; nothing may have gone wrong in it."""

    @wraps(test)
    def inside(*args: Any, world: SimulatedWorld, **more: Any) -> None:
        run(world.loop, lambda: test(*args, world=world, **more))
        assert world.violations == []

    return inside


async def settle() -> None:
    for _ in range(30):
        await asyncio.sleep(0)


async def chat(manager: GPUResourceManager, model: str = CHAT, **more: Any) -> str:
    async with manager.using(model, **{"purpose": Purpose.ASSISTANT, **more}) as ollama:
        return "".join([chunk.text async for chunk in ollama.chat(model, [ChatMessage(role="user", content="hi")])])
