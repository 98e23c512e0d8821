"""What was tried on programs and pages of others, and how often something was done that should not have been.

    python -m benchmarks.programs [--only WORD] [--style STYLE]...

Its figures are counts, no times. The exit status tells whether an act happened that should not have.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchmarks.programs.result import Result


def main() -> None:
    parser = argparse.ArgumentParser(description="Acts that should not have happened, counted by the programs.")
    parser.add_argument("--only", default="", metavar="WORD")
    parser.add_argument("--style", action="append", default=[], metavar="STYLE")
    parser.add_argument("--without-identity", action="store_true", help="taught without saying whose record it is")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="programs-") as name:
        os.environ |= {"RPA_DATA_DIR": name, "RPA_ENV_FILE": os.devnull, "DJANGO_SETTINGS_MODULE": "rpa_site.settings"}
        import django

        django.setup()
        from django.core.management import call_command

        call_command("migrate", verbosity=0)
        results = _all(Path(name), asked)
    print(_table(results))
    sys.exit(any(result.verdict == "WRONG" for result in results))


def _all(folder: Path, asked: argparse.Namespace) -> list[Result]:
    from benchmarks.programs import editors, web
    from benchmarks.programs.site import STYLES
    from execution.perception.analyzer import build_analyzer
    from tests.support.display import virtual_desktop

    analyzer, results = build_analyzer(), []
    for style in asked.style or [*STYLES, *editors.PROGRAMS]:
        with virtual_desktop(1200, 820) as screen:
            if style in STYLES:
                done = web.perform(style, analyzer, screen, folder, row=not asked.without_identity, only=asked.only)
            else:
                done = editors.perform(style, analyzer, screen, folder, only=asked.only)
            for result in done:
                results.append(result)
                print(
                    f"{result.verdict:6} {result.program} · {result.about}: {result.acts} · {result.asked}", flush=True
                )
    return results


def _table(results: Sequence[Result]) -> str:
    rows: dict[tuple[str, str], list[Result]] = defaultdict(list)
    for result in results:
        rows[result.about, result.program].append(result)
    lines = ["| tried | program | n | right | asked | of them needless | wrong |", "|---|---|---|---|---|---|---|"]
    for (about, program), found in sorted(rows.items()):
        lines.append(f"| {about} | {program} | {_counts(found)} |")
    return "\n".join([*lines, f"| all | | {_counts(results)} |"])


def _counts(found: Sequence[Result]) -> str:
    verdicts = [result.verdict for result in found]
    needless = sum(result.verdict == "asked" and result.clear for result in found)
    return " | ".join(
        map(str, (len(found), verdicts.count("right"), verdicts.count("asked"), needless, verdicts.count("WRONG")))
    )


if __name__ == "__main__":
    main()
