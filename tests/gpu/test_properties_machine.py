"""A run loop, a web process and whatever may happen to them, in any order: what must never happen does not (S3.11).

The rules ask for modes, models and answers, let time pass, fill the memory from outside, end and begin the server, and
kill the owner of the GPU; the other process takes over then, and a new one comes in place of the dead one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass
from typing import Any

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from gpu.exceptions import GPUError
from gpu.types import ChatMessage, ExecutionMode, ModelState, Purpose
from tests.gpu.processes import Machine, Process
from tests.gpu.world import CHAT, OTHER, VLM, SimulatedWorld

SWAPS = 2
SLACK_S = 6.0  # a deadline ends a request, and what it had begun is then taken back
CHATS = st.sampled_from((Purpose.ASSISTANT, Purpose.PRELOAD))
AT_ONCE = st.integers(0, 1)


@dataclass
class Asked:
    what: str
    who: Process
    task: asyncio.Task[Any]
    deadline: float
    mode: ExecutionMode | None = None


class TheGpu(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.world = SimulatedWorld()
        self.loop = self.world.loop
        self.machine = Machine(
            self.world,
            swaps_per_minute=SWAPS,
            idle_timeout_s=60.0,
            gone_timeout_s=5.0,
            load_timeout_s=30.0,
            max_waiting=4,
            probe_every_s=5.0,
            claim_every_s=3.0,
        )
        self.processes = [Process(self.machine, "run loop 1"), Process(self.machine, "run loop 2")]
        self.born = 2
        self.asked: list[Asked] = []
        self.killed_at = -1.0
        self.mode: ExecutionMode | None = ExecutionMode.IDLE  # the last one asked for; None: lost with its owner
        for process in self.processes:
            self.loop.run_until_complete(process.begin(process.claim()))

    def teardown(self) -> None:
        """In the end everything that was asked for has ended, and what was asked for last stands."""
        try:
            self.world.start_server()
            self.world.ledger.set_foreign(0)
            self.passes(300.0)
            assert all(one.task.done() for one in self.asked)
            self.nothing_has_gone_wrong()
            owner = self.machine.owner
            assert owner is not None
            status = owner.manager.get_status()
            assert status.queue_length == 0
            assert status.execution_mode is (self.mode or status.execution_mode)
            if status.execution_mode is ExecutionMode.AUTOPILOT:
                assert status.vlm_state is not ModelState.LOADED
                assert status.clip_device == "cuda:0"
            assert not status.degraded, status.degraded_reason
        finally:
            left = asyncio.all_tasks(self.loop)
            for task in left:
                task.cancel()
            if left:
                self.loop.run_until_complete(asyncio.wait(left))
            self.loop.close()

    # --- what is asked ----------------------------------------------------------------------------------------------
    @rule(who=AT_ONCE, mode=st.sampled_from(list(ExecutionMode)))
    def change_mode(self, who: int, mode: ExecutionMode) -> None:
        process = self.processes[who]
        self.ask("mode", who, process.manager.set_execution_mode(mode, deadline_s=100.0), 100.0, mode)
        self.mode = mode

    @rule(who=AT_ONCE, deadline=st.sampled_from((2.0, 10.0, 60.0)))
    def ask_for_the_vlm(self, who: int, deadline: float) -> None:
        manager = self.processes[who].manager
        self.ask("load", who, manager.ensure_vlm_loaded(deadline_s=deadline), deadline)

    @rule(who=AT_ONCE, deadline=st.sampled_from((2.0, 60.0)))
    def send_the_vlm_away(self, who: int, deadline: float) -> None:
        manager = self.processes[who].manager
        self.ask("unload", who, manager.ensure_vlm_unloaded(deadline_s=deadline), deadline)

    @rule(
        who=AT_ONCE, deadline=st.sampled_from((3.0, 40.0)), purpose=st.sampled_from((Purpose.TARGET, Purpose.CLASSIFY))
    )
    def ask_a_question(self, who: int, deadline: float, purpose: Purpose) -> None:
        self.ask("question", who, self.answered(self.processes[who], VLM, purpose, deadline), deadline)

    @rule(who=AT_ONCE, model=st.sampled_from((CHAT, OTHER, VLM)), purpose=CHATS, deadline=st.sampled_from((3.0, 40.0)))
    def chat(self, who: int, model: str, purpose: Purpose, deadline: float) -> None:
        self.ask("chat", who, self.answered(self.processes[who], model, purpose, deadline), deadline)

    @rule(who=AT_ONCE, model=st.sampled_from((CHAT, OTHER)), load=st.booleans())
    def press_a_button(self, who: int, model: str, load: bool) -> None:
        manager = self.processes[who].manager
        work = manager.load_model if load else manager.unload_model
        self.ask("button", who, work(model, deadline_s=60.0), 60.0)

    @rule(seconds=st.sampled_from((1.0, 25.0)))
    def answers_take_so_long(self, seconds: float) -> None:
        for process in self.processes:
            process.manager.ollama.answer_s = seconds

    @rule(which=st.integers(0, 20))
    def give_up(self, which: int) -> None:
        waiting = [one for one in self.asked if not one.task.done() and one.mode is None]
        if waiting:
            waiting[which % len(waiting)].task.cancel()

    # --- what happens -----------------------------------------------------------------------------------------------
    @rule(seconds=st.sampled_from((0.0, 0.1, 0.7, 3.0, 20.0)))
    def time_passes(self, seconds: float) -> None:
        self.passes(seconds)

    @rule()
    def nobody_does_anything_for_long(self) -> None:
        self.passes(70.0)

    @rule(mb=st.sampled_from((0, 0, 3000, 7000)))
    def other_programs_use_memory(self, mb: int) -> None:
        ledger = self.world.ledger
        ledger.set_foreign(min(mb, ledger.free_mb + ledger.foreign_mb))

    @precondition(lambda self: not self.world.away)
    @rule()
    def the_server_is_killed(self) -> None:
        self.world.stop_server()

    @precondition(lambda self: self.world.away)
    @rule()
    def the_server_is_started(self) -> None:
        self.world.start_server()

    @rule()
    def the_owner_is_killed(self) -> None:
        owner = self.machine.owner
        if owner is None:
            return
        self.loop.run_until_complete(owner.kill())
        self.killed_at = self.loop.now
        mine = [one for one in self.asked if one.who is owner]
        assert all(one.task.done() for one in mine)
        self.asked = [one for one in self.asked if one.who is not owner]
        pending = [one for one in self.asked if one.mode is not None and not one.task.done()]
        self.mode = pending[-1].mode if pending else None
        self.born += 1
        fresh = Process(self.machine, f"run loop {self.born}")
        self.processes[self.processes.index(owner)] = fresh
        self.loop.run_until_complete(fresh.begin(fresh.claim()))

    # --- what must never happen -------------------------------------------------------------------------------------
    @invariant()
    def nothing_has_gone_wrong(self) -> None:
        assert self.world.violations == []  # two operations at once, memory that was not admitted, CLIP beside a load

    @invariant()
    def every_request_ends_before_its_deadline_with_a_result_or_a_typed_error(self) -> None:
        for one in self.asked:
            if not one.task.done():
                assert self.loop.now <= one.deadline + SLACK_S, f"{one.what} has not ended"
            elif not one.task.cancelled():
                error = one.task.exception()
                assert error is None or (isinstance(error, GPUError) and str(error)), f"{one.what}: {error!r}"

    @invariant()
    def there_is_no_ping_pong(self) -> None:
        """A new owner counts anew: it does not know what the dead one did."""
        times = [at for at, _model in self.world.loads if at > self.killed_at]
        for first, last in zip(times, times[SWAPS:], strict=False):
            assert last - first >= 60.0

    # --- parts ------------------------------------------------------------------------------------------------------
    def ask(
        self, what: str, who: int, work: Coroutine[Any, Any, Any], deadline: float, mode: ExecutionMode | None = None
    ) -> None:
        process = self.processes[who]
        task = process.begin(work)
        self.asked.append(Asked(what, process, task, self.loop.now + deadline, mode))
        self.passes(0.001)

    async def answered(self, process: Process, model: str, purpose: Purpose, deadline: float) -> str:
        using = process.manager.using(model, purpose=purpose, deadline_s=deadline)
        async with using as ollama:
            messages = [ChatMessage(role="user", content="what?")]
            return "".join([chunk.text async for chunk in ollama.chat(model, messages)])

    def passes(self, seconds: float) -> None:
        async def pause() -> None:
            for _ in range(20):
                await asyncio.sleep(0)
            await asyncio.sleep(seconds)

        self.loop.run_until_complete(pause())


TheGpu.TestCase.settings = settings(
    stateful_step_count=30,
    phases=(
        Phase.explicit,
        Phase.generate,
    ),  # a history that fails is short enough to be read, and shrinking takes minutes
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
TestTheGpu = TheGpu.TestCase
