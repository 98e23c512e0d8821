"""One answer of a model, from the slot to the last byte, on the virtual clock (A.5.11 to A.5.15)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tests.doubles.ollama import errors
from tests.doubles.ollama.errors import Refusal
from tests.doubles.ollama.replies import End, Reply, content_of, words

if TYPE_CHECKING:
    from tests.doubles.ollama.asks import Ask
    from tests.doubles.ollama.clock import Timer, VirtualClock
    from tests.doubles.ollama.framing import Framing
    from tests.doubles.ollama.profiles import Profile
    from tests.doubles.ollama.wire import Exchange

ENDLESS_GAP_S = 0.01
RUNNER_ENDS = {End.CRASH: errors.RUNNER_STOPPED, End.OOM: errors.CUDA_OOM}


class Generation:
    """Sends what a reply scripts; `over` is called once, however it ends, with the end."""

    def __init__(
        self, reply: Reply, ask: Ask, frame: Framing, exchange: Exchange, clock: VirtualClock, profile: Profile,
        *, over: Callable[[End | None], None],
    ) -> None:  # fmt: skip
        self.reply = reply
        self.ask = ask
        self.frame = frame
        self.exchange = exchange
        self.clock = clock
        self.profile = profile
        self.over = over
        self._timer: Timer | None = None
        self._pieces: list[bytes] = []
        self._ended = False

    def start(self) -> None:
        thinks = "thinking" in self.frame.model.capabilities and self.ask.think is not False
        self.ask.passes = 2 if thinks and self.ask.format else 1
        self.content, self.reason = content_of(self.reply, self.ask.format)
        self.thinking = self.reply.thinking if thinks else ""
        tokens = [(word, "") for word in words(self.content)]
        self.tokens = [("", word) for word in words(self.thinking)] + tokens
        limit = self.ask.options.get("num_predict")
        if isinstance(limit, int) and 0 <= limit < len(self.tokens):
            self.tokens, self.reason = self.tokens[:limit], "length"
        if self.reply.end is End.REPEAT:
            self.tokens = [("...", "")] * self.profile.repeats_allowed
        if self.reply.after is not None:
            self.tokens = self.tokens[: self.reply.after]
        if self.ask.stream:
            self._start_stream()
        else:
            wait = self.reply.first_s + self.reply.gap_s * max(0, len(self.tokens) - 1)
            self._later(wait, self._answer_whole)

    def stop(self) -> None:
        """The client hung up."""
        if not self._ended:
            self._finish(None)

    def forget(self) -> None:
        """The server was killed: nothing is said any more, and nobody is told."""
        self._ended, self.over = True, lambda end: None
        if self._timer is not None:
            self._timer.cancel()

    # --- in one piece -----------------------------------------------------------------------------------------------
    def _answer_whole(self) -> None:
        end, frame = self.reply.end, self.frame
        content = "".join(content for content, _thinking in self.tokens)
        thinking = "".join(thinking for _content, thinking in self.tokens)
        self._finish(end)
        if end is End.DONE:
            self.exchange.json(200, frame.final(self.reason, len(self.tokens), content, thinking))
        else:
            self.exchange.json(500, frame.error(self._error_text()))

    # --- as a stream ------------------------------------------------------------------------------------------------
    def _start_stream(self) -> None:
        lines = [self.frame.line(self.frame.said(content, thinking)) for content, thinking in self.tokens]
        if self.reply.end in (End.ERROR, *RUNNER_ENDS) and not lines:
            self._later(self.reply.first_s, self._answer_whole)  # before the first byte it is a real status
            return
        lines += self._last_lines()
        self._pieces = self._cut(lines)
        self._later(self.reply.first_s, self._send)

    def _last_lines(self) -> list[bytes]:
        end, frame = self.reply.end, self.frame
        if end is End.DONE:
            return [frame.line(frame.final(self.reason, len(self.tokens))), *filter(None, [frame.last()])]
        if end is End.GARBAGE:
            return [b"\x00{not json at all\n"]
        if end in (End.ERROR, *RUNNER_ENDS) or (end is End.REPEAT and not self.profile.repeats_end_silently):
            return [frame.line(frame.error(self._error_text()))]
        return []

    def _cut(self, lines: list[bytes]) -> list[bytes]:
        body = b"".join(lines)
        if self.reply.every:
            return [body[at : at + self.reply.every] for at in range(0, len(body), self.reply.every)]
        return lines

    def _send(self) -> None:
        """One piece, or all that are left where none has to wait."""
        if not self.exchange.begun:
            self.exchange.begin(self.frame.content_type)
        while self._pieces:
            self.exchange.write(self._pieces.pop(0))
            if self.reply.gap_s > 0 and self._pieces:
                self._later(self.reply.gap_s, self._send)
                return
        self._end_stream()

    def _end_stream(self) -> None:
        end = self.reply.end
        if end is End.ENDLESS:
            self._pieces = [self.frame.line(self.frame.said(" on"))]
            self._timer = self.clock.call_later(max(self.reply.gap_s, ENDLESS_GAP_S), self._send)
            return
        if end is End.STALL:
            return
        self._finish(end)
        if end is End.RESET:
            self.exchange.reset()
        elif end is End.CUT:
            self.exchange.cut()
        else:
            self.exchange.end()

    def _error_text(self) -> str:
        end = self.reply.end
        return errors.TOKEN_REPEAT if end is End.REPEAT else RUNNER_ENDS.get(end, self.reply.error)

    def _later(self, seconds: float, call: Callable[[], None]) -> None:
        if seconds > 0:
            self._timer = self.clock.call_later(seconds, call)
        else:
            call()

    def _finish(self, end: End | None) -> None:
        self._ended = True
        if self._timer is not None:
            self._timer.cancel()
        self.over(end)


def refuse(exchange: Exchange, frame: Framing, refusal: Refusal) -> None:
    if refusal.text is None:
        exchange.answer(refusal.status, b"", "")
    else:
        exchange.json(refusal.status, frame.error(refusal.text, **refusal.more))
