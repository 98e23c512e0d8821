"""How many tokens messages take for a model: reckoned first, then set right by what its server counted (S4.3)."""

from __future__ import annotations

import io
import math
import threading
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import replace

from gpu.exceptions import PromptTooLarge
from gpu.types import ChatMessage
from gpu.wire.pictures import MEGA, READ_MEGAPIXELS
from sentences.said import say

BYTES_A_TOKEN = 3.0  # of UTF-8; English takes about four, German and French three and a half, Chinese three
PICTURE_TOKENS = 768  # what Ollama reckons for one (A.3)
MESSAGE_TOKENS = 4  # the marks of its role around each message
PIXELS_A_TOKEN = 28 * 28  # of Qwen2.5-VL: patches of 14 pixels, four of them a token; others take less
SMALLEST, LARGEST = 0.5, 4.0
IMPLAUSIBLE = 0.4  # a server that counts only what it had not read before (a kept beginning) says less than there was
DOWNWARDS = 0.2  # a share of the way: too high costs some history, too low the answer
MORE = 1.05
WORTH_LEARNING = 50  # tokens; below that the marks between the messages are most of it


def estimated_tokens(message: ChatMessage) -> int:
    text = len(message.content.encode()) / BYTES_A_TOKEN
    return MESSAGE_TOKENS + int(text) + PICTURE_TOKENS * len(message.pictures)


def refuse_what_cannot_fit(messages: Sequence[ChatMessage], *, context_length: int, model: str) -> None:
    """For servers that would drop the oldest messages without a word; raises PromptTooLarge."""
    needed = sum(estimated_tokens(message) for message in messages)
    if needed > context_length:
        raise PromptTooLarge(say("question.too_long", model=model, needed=needed, room=context_length))


class TokenCounter:
    """One for all models; may be used by any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._factors: dict[str, float] = {}
        self._floors: dict[str, float] = {}

    def factor(self, model: str) -> float:
        return max(self._factors.get(model, 1.0), self._floors.get(model, SMALLEST))

    def count(self, messages: Iterable[ChatMessage], *, model: str = "") -> int:
        texts = pictures = 0
        for message in messages:
            texts += estimated_tokens(replace(message, pictures=()))
            pictures += sum(picture_tokens(picture) for picture in message.pictures)
        return math.ceil(texts * self.factor(model)) + pictures

    def learn(self, messages: Sequence[ChatMessage], *, model: str, counted: int) -> None:
        """The server counted so many: upwards at once, downwards by and by. Messages with pictures teach nothing."""
        reckoned = sum(estimated_tokens(message) for message in messages)
        if reckoned < WORTH_LEARNING or any(message.pictures for message in messages):
            return
        ratio = counted / reckoned
        if ratio < IMPLAUSIBLE:
            return
        with self._lock:
            known = self._factors.get(model, 1.0)
            learned = ratio if ratio >= known else known + DOWNWARDS * (ratio - known)
            self._factors[model] = min(LARGEST, max(SMALLEST, learned))

    def was_too_much(self, model: str, *, reckoned: int, context_length: int) -> None:
        """The server found too long what had been reckoned to fit: from now on it would not, for this model."""
        with self._lock:
            too_low_by = MORE * context_length / max(1, reckoned)
            self._floors[model] = min(LARGEST, max(1.0, self.factor(model) * max(MORE, too_low_by)))


def picture_tokens(picture: bytes) -> int:
    """For the model that takes most of those known, and no less than Ollama reckons; only the head is read."""
    from PIL import Image

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)  # nothing is decoded
            image = Image.open(io.BytesIO(picture))
        with image:
            pixels = min(image.width * image.height, READ_MEGAPIXELS * MEGA)
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        return PICTURE_TOKENS  # whoever sends it says what is wrong with it
    return max(PICTURE_TOKENS, math.ceil(pixels / PIXELS_A_TOKEN))
