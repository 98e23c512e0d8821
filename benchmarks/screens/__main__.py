"""`python -m benchmarks.screens [web|wide|nodes|apps|sequences]` makes what is asked, or all; --again anew."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
import time

from benchmarks.screens.corpus import FOLDER

# Each part: its module here and the function that makes it, given the folder.
PARTS = {
    "web": ("web", "make_web"),
    "wide": ("wide", "make_wide"),
    "nodes": ("nodes", "make_nodes"),
    "apps": ("apps", "make_apps"),
    "sequences": ("sequences", "make_sequences"),
}


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.screens", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="part", help=f"any of: {', '.join(PARTS)}")
    parser.add_argument("--again", action="store_true", help="make anew what is there already")
    options = parser.parse_args(arguments)
    unknown = [part for part in options.parts if part not in PARTS]
    if unknown:
        parser.error(f"no such part: {', '.join(unknown)}; there are {', '.join(PARTS)}")
    _set_up()
    return max([make(part, again=options.again) for part in options.parts or PARTS])


def _set_up() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "rpa_site.settings")  # it words what displays tell
    import django

    django.setup()


def make(part: str, *, again: bool) -> int:
    """Make one part; 1 where what makes it is absent."""
    module_name, function = PARTS[part]
    full = f"benchmarks.screens.{module_name}"
    try:
        module = importlib.import_module(full)
    except ModuleNotFoundError as error:
        if error.name != full:
            raise
        print(f"{part}: nothing makes it, {full} is absent", file=sys.stderr)
        return 1
    started = time.perf_counter()
    folder = FOLDER / part
    if part in ("web", "wide", "nodes"):
        module.__dict__[function](folder, again=again)
    elif again or not (folder / "index.json").is_file():
        module.__dict__[function](folder)
    print(f"{part}: {folder} ready after {time.perf_counter() - started:.0f} s")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
