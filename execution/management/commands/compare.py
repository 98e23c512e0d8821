from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

import cv2
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils.translation import gettext as _

from execution.matching.reasons import reasons
from execution.matching.side_by_side import SIGNS, Beside, beside, painted
from execution.perception.analyzer import build_analyzer
from execution.perception.config import BadConfig, PerceptionConfig
from execution.perception.ocr.base import ReaderUnavailable
from execution.perception.single_look import state_of
from sentences.said import worded
from workflows.exceptions import PictureRefused
from workflows.pictures import decode


class Command(BaseCommand):
    help = "Say whether two pictures show the same screen, and why: each sign with its share (S2.10)."
    requires_system_checks: list[str] = []  # no database is needed

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("taught", type=Path, metavar="TAUGHT", help="the picture of the screen as it was taught")
        parser.add_argument("seen", type=Path, metavar="SEEN", help="the picture that may show it")
        parser.add_argument("--out", type=Path, metavar="FILE", help="default: SEEN.compared.png, beside it")

    def handle(self, *args: Any, **options: Any) -> None:
        taught, seen = options["taught"], options["seen"]
        out: Path = options["out"] or seen.with_name(f"{seen.name}.compared.png")
        path = taught
        try:
            config = PerceptionConfig.from_settings(settings)
            config.check()
            analyzer = build_analyzer(config)
            states = []
            for path in (taught, seen):
                states.append(state_of(decode(path.read_bytes(), name=path.name), analyzer))
            found = beside(*states, name=taught.name)
            path = out
            out.write_bytes(cv2.imencode(".png", painted(found, *states))[1].tobytes())
        except (PictureRefused, ReaderUnavailable, BadConfig) as error:
            raise CommandError(worded(error)) from error
        except OSError as error:
            text = _("%(file)s cannot be used: %(why)s.")
            raise CommandError(text % {"file": path, "why": error.strerror or error}) from error
        self.stdout.write("\n".join(told(found)))
        self.stdout.write(_("Drawn: %(file)s (green: on both, red: on one alone, purple: lies on top)") % {"file": out})


def told(found: Beside) -> list[str]:
    """The answer, the condition that is not held, the notes, and each kind of sign with its share."""
    percent = f"{100 * found.probability:.0f} %"
    if found.differs:
        lines = [_("Another screen: %(why)s") % {"why": worded(found.differs.note)}]
        lines.append(_("The rest is %(percent)s alike.") % {"percent": percent})
    else:
        lines = [_("The same screen: %(percent)s") % {"percent": percent}]
    lines += [f"  {worded(reason.note)}" for reason in reasons(found.compared)]
    ordered = sorted(found.shares.items(), key=lambda one: -abs(one[1]))
    return [*lines, *(f"  {share:+6.2f}  {SIGNS[kind]}" for kind, share in ordered if abs(share) >= 0.005)]
