from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from execution.perception.config import PerceptionConfig
from execution.perception.fetching.download import TIMEOUT_S, fetch
from execution.perception.fetching.errors import FetchFailed
from execution.perception.fetching.kept import check_kept, keep_checksum
from execution.perception.fetching.progress import MB, Progress
from execution.perception.fetching.published import ClipChoice, clip_choice, clip_weights
from execution.perception.languages import UnknownLanguage
from execution.perception.weights import Damaged, Weights, easyocr_weights, look_over, verify
from gpu.weights import INSTALL

EXIT_DAMAGED = 2
GROUPS = ("easyocr", "open_clip")
INTERRUPTED = 130


class Command(BaseCommand):
    help = (
        "Get the weights of models that bring none: EasyOCR and CLIP (S2.8, S2.10). Nothing else ever downloads. "
        "Ends with 2: missing or damaged, 3: no network or server, 4: not what was published, 5: no room."
    )
    requires_system_checks: list[str] = []  # which refuse settings whose weights are not there yet

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("names", nargs="*", metavar="NAME", help="easyocr, open_clip (default: what is configured)")
        parser.add_argument("--folder", type=Path, help="where to (default: RPA_MODELS_DIR)")
        parser.add_argument("--list", action="store_true", help="say what there is to get, and what is there")
        parser.add_argument("--verify", action="store_true", help="check the files that are there; nothing is fetched")
        parser.add_argument("--again", action="store_true", help="fetch also what is there and whole")
        parser.add_argument("--clip-tag", default="", metavar="TAG", help="which training of RPA_CLIP_MODEL")
        parser.add_argument(
            "--timeout", type=float, default=TIMEOUT_S, metavar="S", help="without an answer (default: 30)"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        self.config = PerceptionConfig.from_settings(settings)
        self.folder: Path = (options["folder"] or self.config.models_dir).resolve()
        self.options = options
        unknown = sorted(set(options["names"]) - set(GROUPS))
        if unknown:
            raise CommandError(f"There are no weights named {', '.join(unknown)}; choose of: {', '.join(GROUPS)}.")
        try:
            self._do(options["names"])
        except FetchFailed as error:
            raise CommandError(str(error), returncode=error.exit_code) from error
        except UnknownLanguage as error:
            raise CommandError(str(error)) from error
        except ImportError as error:
            raise CommandError(f"{error} {INSTALL}") from error
        except KeyboardInterrupt as error:
            raise CommandError("Stopped; run it again to go on from there.", returncode=INTERRUPTED) from error

    def _do(self, names: list[str]) -> None:
        if self.options["list"]:
            self._list(names or list(GROUPS))
            return
        names = names or self._configured()
        if not names:
            self.stdout.write(
                "Nothing to do: RPA_OCR_ENGINE and RPA_EMBEDDER are set to what brings its own models. "
                f"To get others all the same, name them: {', '.join(GROUPS)}."
            )
        elif self.options["verify"]:
            self._verify(names)
        else:
            self._fetch(names)

    def _configured(self) -> list[str]:
        """The groups that the settings need."""
        needed = {"easyocr": self.config.reader == "easyocr", "open_clip": self.config.embedder == "open_clip"}
        return [name for name in GROUPS if needed[name]]

    def _fetch(self, names: list[str]) -> None:
        if "easyocr" in names:
            for weights in easyocr_weights(self.config.languages):
                self._get(weights, self.folder / weights.filename)
        if "open_clip" in names:
            choice = clip_choice(self.config, self.options["clip_tag"])
            path = choice.file_in(self.folder)
            if path is None or self.options["again"] or self._problem(path, None):
                weights = clip_weights(choice, timeout_s=self.options["timeout"])
                path = self._get(weights, self.folder / weights.filename)
                keep_checksum(path)
            else:
                self.stdout.write(f"{path.name}: there")
            self.stdout.write(
                f"Set RPA_EMBEDDER=open_clip, RPA_CLIP_MODEL={choice.model} and RPA_CLIP_WEIGHTS={self._shown(path)}."
            )

    def _get(self, weights: Weights, path: Path) -> Path:
        if not self.options["again"] and not self._problem(path, weights):
            self.stdout.write(f"{path.name}: there")
            return path
        progress = Progress(weights.filename, self.stdout._out)
        path = fetch(weights, self.folder, progress=progress, timeout_s=self.options["timeout"])
        self.stdout.write(f"{path}: {'checksum right' if weights.checksum else 'its publisher gives no checksum'}")
        return path

    def _verify(self, names: list[str]) -> None:
        rows: list[tuple[str, Path | None, Weights | None]] = []
        if "easyocr" in names:
            rows += [(w.filename, self.folder / w.filename, w) for w in easyocr_weights(self.config.languages)]
        if "open_clip" in names:
            rows.append(self._clip_row())
        bad = 0
        for name, path, weights in rows:
            problem = self._problem(path, weights)
            bad += bool(problem)
            self.stdout.write(f"{path or name}: {problem or 'whole'}")
        if bad:
            said = f"{bad} of {len(rows)} cannot be used; get them with 'manage.py fetchmodels {' '.join(names)}'."
            raise CommandError(said, returncode=EXIT_DAMAGED)

    def _clip_row(self) -> tuple[str, Path | None, Weights | None]:
        """The file that is configured, or the one that would be fetched."""
        path = self.config.clip_weights
        if path is None or self.options["clip_tag"]:
            choice = clip_choice(self.config, self.options["clip_tag"])
            return choice.stem, choice.file_in(self.folder), None
        return path.name, path, None

    def _problem(self, path: Path | None, weights: Weights | None) -> str:
        """What is wrong with a file, empty if nothing is; without `weights`, by the checksum kept beside it."""
        if path is None or not path.is_file():
            return "missing"
        try:
            if weights:
                verify(path, weights)
            else:
                look_over(path)
                check_kept(path)
        except Damaged as error:
            return str(error)
        return ""

    def _list(self, names: list[str]) -> None:
        if "easyocr" in names:
            self.stdout.write(f"easyocr, for {', '.join(self.config.languages)}:")
            for weights in easyocr_weights(self.config.languages):
                self._list_row(weights.filename, self.folder / weights.filename, weights)
                self.stdout.write(f"    from {weights.url}, {weights.algorithm} {weights.checksum}")
        if "open_clip" in names:
            choice = clip_choice(self.config, self.options["clip_tag"])
            self.stdout.write(f"open_clip, {choice.model}:")
            self._list_row(choice.stem, choice.file_in(self.folder), None)
            self.stdout.write(f"    from {clip_home(choice)}")
        self.stdout.write(f"Folder: {self.folder}")

    def _list_row(self, name: str, path: Path | None, weights: Weights | None) -> None:
        problem = self._problem(path, weights)
        size = f", {path.stat().st_size / MB:.1f} MB" if path and path.is_file() else ""
        self.stdout.write(f"  {name}: {problem or 'there'}{size}")

    def _shown(self, path: Path) -> str:
        return path.name if path.parent == self.config.models_dir.resolve() else str(path)


def clip_home(choice: ClipChoice) -> str:
    """Where open_clip has the weights from, as its own table says."""
    import open_clip

    row = open_clip.get_pretrained_cfg(choice.model, choice.tag)
    return f"the hub's {row['hf_hub'].rstrip('/')}" if row.get("hf_hub") else str(row["url"])
