"""python -m tests.doubles.ollama: an Ollama without models and without a GPU, to try clients on by hand."""

from __future__ import annotations

import argparse
import signal
import threading

from tests.doubles.ollama.clock import RealTime
from tests.doubles.ollama.models import Model
from tests.doubles.ollama.profiles import PROFILES
from tests.doubles.ollama.replies import Reply
from tests.doubles.ollama.server import OllamaServer


def model(text: str) -> Model:
    name, _, size = text.rpartition(":")
    if not name or not size.isdigit():
        raise argparse.ArgumentTypeError(f"“{text}” is not NAME:SIZE_MB, as in qwen2.5vl:7b:6000")
    return Model(name, int(size))


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.doubles.ollama", description=__doc__)
    parser.add_argument("--profile", choices=PROFILES, default="new", help="which servers of the field it is like")
    parser.add_argument("--port", type=int, default=11434, help="on 127.0.0.1; 0 takes a free one")
    parser.add_argument("--model", type=model, action="append", metavar="NAME:SIZE_MB", help="a model on its disk")
    parser.add_argument("--total-mb", type=int, default=24_000, help="the memory of its GPU")
    parser.add_argument("--load-s", type=float, default=3.0, help="how long a load takes")
    parser.add_argument("--release-s", type=float, default=1.0, help="how long memory takes to come back")
    parser.add_argument("--gap-s", type=float, default=0.1, help="between two words of an answer")
    args = parser.parse_args(argv)
    models = args.model or [Model("qwen2.5vl:7b", 6000), Model("llama3:latest", 4700, capabilities=("completion",))]
    for one in models:
        one.load_s, one.release_s = args.load_s, args.release_s
    server = OllamaServer(*models, profile=PROFILES[args.profile], total_mb=args.total_mb)
    server.reply = Reply(gap_s=args.gap_s)
    server.start(port=args.port)
    time = RealTime(server.advance_to)
    time.start()
    print(f"Ollama double ({args.profile}, {server.version}) at {server.url}; Ctrl-C ends it.", flush=True)
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    stop.wait()
    time.close()
    server.close()


if __name__ == "__main__":
    main()
