from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

import cv2
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils.translation import gettext as _

from execution.perception.analyzer import build_analyzer
from execution.perception.config import BadConfig, PerceptionConfig
from execution.perception.ocr.base import ReaderUnavailable
from execution.perception.scene.painting import painted
from execution.perception.single_look import look_at
from sentences.said import worded
from workflows.exceptions import PictureRefused
from workflows.pictures import decode


class Command(BaseCommand):
    help = "Draw what the robot sees on a picture: every thing with its box, kind, source and words (S2.12)."
    requires_system_checks: list[str] = []  # no database is needed

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("picture", type=Path, metavar="PICTURE", help="a PNG, JPEG, WebP or BMP file")
        parser.add_argument("--out", type=Path, metavar="FILE", help="default: PICTURE.scene.png, beside it")

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path = options["picture"]
        out: Path = options["out"] or path.with_name(f"{path.name}.scene.png")
        try:
            pixels = decode(path.read_bytes(), name=path.name)
            config = PerceptionConfig.from_settings(settings)
            config.check()
            analyzer = build_analyzer(config)
            analyzer.warm_up()  # so that loading is no part of how long reading takes
            look = look_at(pixels, analyzer)
        except (PictureRefused, ReaderUnavailable, BadConfig) as error:
            raise CommandError(worded(error)) from error
        except OSError as error:
            raise CommandError(_no_file(path, error)) from error
        for number, thing in enumerate(look.things, 1):
            x, y, w, h = thing.box
            place = f"{x},{y} {w}×{h}"
            self.stdout.write(f"{number:4d}  {thing.kind:9} {thing.source:8} {place:18} {thing.text}".rstrip())
        for note in look.notes:
            self.stderr.write(worded(note))
        try:
            _ok, encoded = cv2.imencode(".png", painted(pixels, look.things))
            out.write_bytes(encoded.tobytes())
        except OSError as error:
            raise CommandError(_no_file(out, error)) from error
        told = {"read": look.read_s, "scene": look.scene_s, "file": out}
        self.stdout.write(_("Read in %(read).2f s, things found in %(scene).2f s. Drawn: %(file)s") % told)


def _no_file(path: Path, error: OSError) -> str:
    return _("%(file)s cannot be used: %(why)s.") % {"file": path, "why": error.strerror or error}
