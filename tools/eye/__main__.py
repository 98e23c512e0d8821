"""`python -m tools.eye FOLDER` learns the eye from the icon sets under FOLDER and writes its weights: see README.md."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
import openvino as ov
import torch

from execution.perception.eye.ink import SIDE
from tools.eye import drawings, judging, training

WEIGHTS = Path(__file__).resolve().parents[2] / "execution" / "perception" / "eye" / "weights"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.eye", description=__doc__)
    parser.add_argument("folder", type=Path, help="with node_modules and icons in it")
    parser.add_argument("--steps", type=int, default=2400)
    parser.add_argument("--workers", type=int, default=2, help="processes that draw")
    parser.add_argument("--into", type=Path, default=WEIGHTS)
    options = parser.parse_args(arguments)
    drawn = drawings.load(options.folder)
    print(
        f"{len(drawn.names)} drawings of {len(set(drawn.names))} names by {len(set(drawn.families))} families",
        flush=True,
    )
    network = training.train(drawn, steps=options.steps, workers=options.workers)

    def embed(pictures: np.ndarray) -> np.ndarray:
        with torch.no_grad():
            return np.concatenate(
                [network(torch.from_numpy(part)).numpy() for part in np.array_split(pictures, len(pictures) // 256 + 1)]
            )

    options.into.mkdir(parents=True, exist_ok=True)
    model = ov.convert_model(network, example_input=torch.zeros(1, 2, SIDE, SIDE), input=[-1, 2, SIDE, SIDE])
    ov.save_model(model, options.into / "eye.xml", compress_to_fp16=True)
    figures = judging.judge(drawn, embed)
    print(json.dumps(figures, indent=1), flush=True)
    (options.into / "figures.json").write_text(json.dumps(figures, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
