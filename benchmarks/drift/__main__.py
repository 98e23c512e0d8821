"""`python -m benchmarks.drift [web|apps ...]` makes the pairs of what is named, or all; what is there stays."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
import time

from benchmarks.drift.pairs import FOLDER, PARTS


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.drift", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="part", help=f"any of: {', '.join(PARTS)}")
    parser.add_argument("--again", action="store_true", help="make anew what is there already")
    options = parser.parse_args(arguments)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "rpa_site.settings")  # it words what displays tell
    import django

    django.setup()
    from benchmarks.screens.stage import replacing

    for part in options.parts or PARTS:
        if part not in PARTS:
            parser.error(f"no such part: {part}; there are {', '.join(PARTS)}")
        started = time.perf_counter()
        make = getattr(importlib.import_module(f"benchmarks.drift.{part}"), f"make_{part}")
        if options.again:
            with replacing(FOLDER / part) as fresh:  # who measures meanwhile has the old ones
                make(fresh)
        else:
            make(FOLDER / part)
        print(f"{part}: {FOLDER / part} ready after {time.perf_counter() - started:.0f} s", file=sys.stderr)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
