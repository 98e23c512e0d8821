from __future__ import annotations

import json
import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from execution.choices import ExecutionMode, Origin
from execution.models import Worklist
from execution.worklists.actions.lists import bring, create_list, pause_list, start_list
from execution.worklists.actions.rows import VERBS
from execution.worklists.actions.when import keep_files
from execution.worklists.adding import words_of_bad
from execution.worklists.bringing import look_at
from execution.worklists.folder import told
from execution.worklists.intake.cells import index_of
from execution.worklists.intake.dates import Order
from execution.worklists.intake.encodings import ENCODINGS
from execution.worklists.intake.preview import Choices
from execution.worklists.looking import worker_missing
from execution.worklists.progress import progress_of
from execution.worklists.results import KINDS
from execution.worklists.results_of import file_of, result_rows
from sentences.said import worded
from workflows.exceptions import DomainError


def _add_import(bring: ArgumentParser) -> None:
    bring.add_argument("list_id")
    bring.add_argument("file", help="- for what is piped in")
    bring.add_argument("--take-good", action="store_true", help="leave the bad rows out, and say which")
    bring.add_argument("--encoding", choices=ENCODINGS, default="", help="without it, it is found")
    bring.add_argument("--delimiter", default="", help="without it, it is found; tab for a tab")
    bring.add_argument("--sheet", default="", help="of a workbook; without it the first")
    bring.add_argument("--head", type=int, metavar="ROW", help="the row that names the columns; 0: none does")
    bring.add_argument("--hidden", choices=("yes", "no"), help="whether hidden rows come in too")
    bring.add_argument("--order", action="append", default=[], metavar="COLUMN=day_first|month_first")
    bring.add_argument("--confirm", action="append", default=[], metavar="KEY", help="of a question: leave it as it is")


def _choices(options: dict[str, Any]) -> Choices:
    """What was said of the file; columns are named by their letter."""
    try:
        orders = {index_of(column): Order(order) for column, order in (pair.split("=", 1) for pair in options["order"])}
    except ValueError as error:
        raise CommandError("--order takes a column and an order, as in B=day_first or B=month_first.") from error
    return Choices(
        encoding=options["encoding"],
        delimiter={"tab": "\t"}.get(options["delimiter"], options["delimiter"]),
        sheet=options["sheet"],
        head=options["head"],
        orders=orders,
        with_hidden={"yes": True, "no": False}.get(options["hidden"]),
        confirmed=frozenset(options["confirm"]),
    )


def _json_lines(worklist: Worklist) -> Iterator[str]:
    return (json.dumps(row, ensure_ascii=False, default=str) + "\n" for row in result_rows(worklist))


class Command(BaseCommand):
    help = "Lists of work: worklist create|import|start|stop|status|export|again|skip|set_aside|first|cancel."
    requires_system_checks = ["startup"]

    def add_arguments(self, parser: ArgumentParser) -> None:
        verbs = parser.add_subparsers(dest="verb", required=True)
        create = verbs.add_parser("create", help="an empty list, for the rows of a file")
        create.add_argument("name")
        create.add_argument("--workflow", required=True, metavar="ID")
        create.add_argument("--columns", required=True, metavar="A,B", help="in the order of the file")
        create.add_argument("--key", action="append", default=[], metavar="COLUMN", help="makes a row's reference")
        create.add_argument("--map", action="append", default=[], metavar="VARIABLE=COLUMN")
        create.add_argument("--version-number", type=int, metavar="N", help="without it the newest one is run")
        create.add_argument("--mode", choices=ExecutionMode.values, default="")
        create.add_argument("--reset", default="", metavar="ID", help="the workflow that leads back to the start")
        create.add_argument("--patience", type=int, default=600, metavar="S", help="how long a question waits")
        create.add_argument("--breaker", type=int, default=3, metavar="N", help="rows that fail before the list stands")
        create.add_argument("--writes", choices=tuple(KINDS), default="", help="results go to its folder in out/, too")
        create.add_argument("--take-good", action="store_true", help="of files in its folder leave the bad rows out")
        create.add_argument("--parallel", type=int, metavar="N", help="rows at work at once")
        _add_import(verbs.add_parser("import", help="take the rows of a CSV or .xlsx file, all or none"))
        start = verbs.add_parser("start", help="begin rows, for the first time or again")
        start.add_argument("list_id")
        verbs.add_parser("stop", help="begin no new row; those at work are finished").add_argument("list_id")
        verbs.add_parser("status", help="of one list, or of all").add_argument("list_id", nargs="?")
        export = verbs.add_parser("export", help="each row with its result")
        export.add_argument("list_id")
        export.add_argument("--format", choices=("json", *KINDS), default="json", help="json: a line for each row")
        export.add_argument("--output", metavar="FILE", help="without it the file goes to the standard output")
        for verb in VERBS:
            rows = verbs.add_parser(verb)
            rows.add_argument("list_id")
            rows.add_argument("numbers", type=int, nargs="+")
            if verb in ("skip", "set_aside"):
                rows.add_argument("--reason", default="")
            if verb == "again":
                rows.add_argument("--not-saved", default="", help="what you saw in the program: nothing was saved")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            if options["verb"] in VERBS:
                self._rows(options)
            else:
                getattr(self, f"_{options['verb']}")(options)
        except DomainError as error:
            raise CommandError(worded(error)) from error

    def _create(self, options: dict[str, Any]) -> None:
        mapping = dict(pair.split("=", 1) for pair in options["map"] if "=" in pair)
        worklist = create_list(
            name=options["name"],
            workflow_id=options["workflow"],
            columns=options["columns"].split(","),
            keys=options["key"],
            mapping=mapping or None,
            version_number=options["version_number"],
            mode=options["mode"],
            reset_id=options["reset"],
            patience_s=options["patience"],
            breaker=options["breaker"],
            parallel=options["parallel"],
            origin=Origin.COMMAND,
        )
        if options["writes"] or options["take_good"]:
            wanted = {"writes": options["writes"], "takes_good": options["take_good"]}
            keep_files(worklist_id=worklist.worklist_id, origin=Origin.COMMAND, **wanted)
        self.stdout.write(worklist.worklist_id)

    def _import(self, options: dict[str, Any]) -> None:
        name = options["file"]
        data = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
        worklist = Worklist.objects.by_id(options["list_id"])
        looked = look_at(worklist, data, _choices(options))
        for question in looked.preview.questions:
            self.stderr.write(f"{question.key}: {worded(question.said)}")
        for cell in looked.checked.bad:
            self.stderr.write(told(cell))
        refused = len(looked.checked.bad_rows)
        if refused and not options["take_good"]:
            raise CommandError(words_of_bad(refused))
        taken = bring(worklist_id=worklist.worklist_id, looked=looked, origin=Origin.COMMAND)
        self.stdout.write(f"{len(taken.numbers)} added, {len(taken.known)} known, {refused} refused")

    def _start(self, options: dict[str, Any]) -> None:
        self._say(start_list(worklist_id=options["list_id"], origin=Origin.COMMAND))

    def _stop(self, options: dict[str, Any]) -> None:
        self._say(pause_list(worklist_id=options["list_id"], origin=Origin.COMMAND))

    def _status(self, options: dict[str, Any]) -> None:
        if options["list_id"]:
            self._say(Worklist.objects.by_id(options["list_id"]))
        else:
            for worklist in Worklist.objects.all():
                self._say(worklist)
        if problem := worker_missing():
            self.stderr.write(worded(problem))

    def _export(self, options: dict[str, Any]) -> None:
        worklist, kind = Worklist.objects.by_id(options["list_id"]), options["format"]
        pieces = _json_lines(worklist) if kind == "json" else file_of(worklist, kind)
        if options["output"]:
            with Path(options["output"]).open("wb") as file:
                file.writelines(piece.encode() if isinstance(piece, str) else piece for piece in pieces)
        elif kind == "xlsx":
            raise CommandError("A workbook goes into a file: say --output FILE.")
        else:
            for piece in pieces:
                self.stdout.write(piece, ending="")

    def _rows(self, options: dict[str, Any]) -> None:
        asked = {name: options[name] for name in ("reason", "not_saved") if name in options}
        moved = VERBS[options["verb"]](
            worklist_id=options["list_id"], numbers=options["numbers"], origin=Origin.COMMAND, **asked
        )
        self.stdout.write(f"{len(moved.numbers)} rows, {len(moved.left)} stand otherwise")
        if moved.saved:
            raise CommandError(
                f"Something may have been saved in {', '.join(map(str, moved.saved))}: look at the program, "
                "then say --not-saved with what you saw."
            )

    def _say(self, worklist: Worklist) -> None:
        told = progress_of(worklist)
        counts = ", ".join(f"{n} {state}" for state, n in told.counts.items() if n)
        reason = f"  {worded(worklist.reason)}" if worklist.reason else ""
        self.stdout.write(f"{worklist.worklist_id}  {worklist.name}  {worklist.state}  {counts or 'empty'}{reason}")
