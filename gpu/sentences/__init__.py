"""All sentences of the GPU and the models by their codes (see `sentences`)."""

from __future__ import annotations

from gpu.sentences import catalogue, choice, devices, memory, servers
from sentences.base import register

register(catalogue.WORDS, choice.WORDS, devices.WORDS, memory.WORDS, servers.WORDS)
