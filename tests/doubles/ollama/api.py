"""The endpoints: what is checked in which order, and who answers (A.1, A.2)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tests.doubles.ollama import entries, errors, history
from tests.doubles.ollama.asks import Ask, ask_of, body_of, check_format
from tests.doubles.ollama.errors import Refusal
from tests.doubles.ollama.framing import Framing, OpenAIFraming
from tests.doubles.ollama.generation import Generation, refuse
from tests.doubles.ollama.images import is_whole
from tests.doubles.ollama.replies import End
from tests.doubles.ollama.scheduler import Ticket

if TYPE_CHECKING:
    from tests.doubles.ollama.models import Model, Runner
    from tests.doubles.ollama.server import OllamaServer
    from tests.doubles.ollama.wire import Exchange

INFERENCE = {"/api/generate": "generate", "/api/chat": "chat", "/v1/chat/completions": "chat"}
VERBS = {"/": "GET", "/api/version": "GET", "/api/tags": "GET", "/api/ps": "GET",
         "/v1/models": "GET", "/api/show": "POST", **dict.fromkeys(INFERENCE, "POST")}  # fmt: skip


class Api:
    def __init__(self, server: OllamaServer) -> None:
        self.server = server

    def serve(self, exchange: Exchange) -> None:
        verb = VERBS.get(exchange.path)
        if not host_is_local(exchange.headers.get("host", "")):
            exchange.answer(403, b"", "")
        elif verb is None:
            exchange.answer(404, b"404 page not found", "text/plain")
        elif exchange.method != verb:
            exchange.answer(405, b"405 method not allowed", "text/plain")
        elif exchange.path in INFERENCE:
            self._infer(exchange)
        else:
            self._tell(exchange)

    def _tell(self, exchange: Exchange) -> None:
        life = self.server.life
        told: dict[str, Callable[[], Any]] = {
            "/api/version": lambda: {"version": self.server.version},
            "/api/tags": lambda: entries.tags(life),
            "/api/ps": lambda: entries.ps(life),
            "/api/show": lambda: self._show(exchange),
            "/v1/models": lambda: {"object": "list", "data": [{"id": name, "object": "model"} for name in life.models]},
        }
        if exchange.path == "/":
            exchange.answer(200, b"Ollama is running", "text/plain; charset=utf-8")
            return
        try:
            exchange.json(200, told[exchange.path]())
        except Refusal as refusal:
            exchange.json(refusal.status, {"error": refusal.text})

    def _show(self, exchange: Exchange) -> dict[str, Any]:
        body = body_of(exchange.body)
        name = str(body.get("model") or body.get("name") or "")
        if not name:
            raise Refusal(400, errors.MODEL_REQUIRED)
        return entries.show(self._model(name), self.server.life)

    def _model(self, name: str) -> Model:
        model = self.server.named(name)
        if model is None:
            raise errors.not_found(name)
        return model

    # --- loads, unloads, answers ------------------------------------------------------------------------------------
    def _infer(self, exchange: Exchange) -> None:
        try:
            ask = ask_of(exchange.path, body_of(exchange.body))
            self.server.asks.append(ask)
            model = self._model(ask.model)
            frame = (OpenAIFraming if exchange.path.startswith("/v1/") else Framing)(ask, model, self.server.clock)
        except Refusal as refusal:
            openai = exchange.path.startswith("/v1/")
            body = {"message": refusal.text, "type": "api_error", "param": None, "code": None}
            exchange.json(refusal.status, {"error": body if openai else refusal.text})
            return
        try:
            if ask.empty and ask.keep_alive_s == 0:
                self.server.life.unload(model, lambda: exchange.json(200, frame.receipt("unload")))
                return
            self._check(ask, model)
        except Refusal as refusal:
            refuse(exchange, frame, refusal)
            return
        if model.is_remote:
            self._infer_far_away(exchange, ask, frame)
        else:
            self._schedule(exchange, ask, model, frame)

    def _check(self, ask: Ask, model: Model) -> None:
        if model.is_remote and self.server.life.settings.no_cloud:
            raise Refusal(403, errors.CLOUD_DISABLED)
        if "completion" not in model.capabilities:
            raise errors.unsupported(ask.model, INFERENCE[ask.path])

    def _infer_far_away(self, exchange: Exchange, ask: Ask, frame: Framing) -> None:
        """What left the machine is kept, so that a test can assert that nothing did."""
        self.server.left_machine.append(ask)
        if ask.empty:
            exchange.json(200, frame.receipt("load"))
            return
        ask.kept = list(range(len(ask.messages)))
        self._generation(exchange, ask, frame, lambda end: None).start()

    def _schedule(self, exchange: Exchange, ask: Ask, model: Model, frame: Framing) -> None:
        def granted(runner: Runner) -> None:
            if ask.empty:
                exchange.json(200, frame.receipt("load"))
                life.let_go(runner)
            else:
                self._take_slot(exchange, ask, frame, ticket, runner)

        life = self.server.life
        refused: Callable[[Refusal], None] = lambda refusal: refuse(exchange, frame, refusal)  # noqa: E731
        ticket = Ticket(model, granted, refused, ask.options, ask.keep_alive_s)
        exchange.on_hangup = lambda: self.server.scheduler.give_up(ticket)
        self.server.scheduler.ask(ticket)

    def _take_slot(self, exchange: Exchange, ask: Ask, frame: Framing, ticket: Ticket, runner: Runner) -> None:
        """One answer at a time for each slot; who waits here waits without any bound (A.3)."""

        def over(end: End | None) -> None:
            runner.running.remove(ticket)
            self.server.generations.pop(ticket, None)
            if end is None and exchange.hung_up:
                runner.model.aborted_runs += 1
            if end in (End.CRASH, End.OOM):
                self.server.life.crash(runner.model)
            self.server.life.let_go(runner)
            next_one(runner)

        def next_one(runner: Runner) -> None:
            while runner.waiting and not runner.running:
                start = runner.waiting.popleft().start
                assert start is not None
                start()

        def start() -> None:
            generation = self._generation(exchange, ask, frame, over)
            exchange.on_hangup = generation.stop
            runner.running.append(ticket)
            self.server.generations[ticket] = generation
            try:
                self._prepare(ask, runner)
            except Refusal as refusal:
                over(End.DONE)
                refuse(exchange, frame, refusal)
                return
            generation.start()

        def left_the_line() -> None:
            runner.waiting.remove(ticket)
            self.server.life.let_go(runner)

        ticket.start = start
        exchange.on_hangup = left_the_line
        runner.waiting.append(ticket)
        next_one(runner)
        self.server.told()

    def _prepare(self, ask: Ask, runner: Runner) -> None:
        check_format(ask.format)
        profile = self.server.life.profile
        if ask.images and "vision" not in runner.model.capabilities:
            raise Refusal(*profile.no_vision)
        if not all(is_whole(image) for image in ask.images):
            raise Refusal(*profile.bad_image)
        ask.truncate = ask.truncate or not profile.knows_truncate
        history.fit(ask, runner.context)

    def _generation(
        self, exchange: Exchange, ask: Ask, frame: Framing, over: Callable[[End | None], None]
    ) -> Generation:
        server = self.server
        return Generation(server.next_reply(ask), ask, frame, exchange, server.clock, server.life.profile, over=over)


def host_is_local(host: str) -> bool:
    """The guard against DNS rebinding."""
    return host.partition(":")[0] in ("", "localhost", "127.0.0.1")
