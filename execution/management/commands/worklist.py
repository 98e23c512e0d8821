from __future__ import annotations

import csv
import io
import json
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from execution.choices import ExecutionMode, Origin
from execution.exceptions import BadRows
from execution.models import Worklist
from execution.worklists.actions.lists import append, create_list, pause_list, start_list
from execution.worklists.actions.rows import VERBS
from execution.worklists.adding import NewRow
from execution.worklists.progress import progress_of
from execution.worklists.results_of import result_rows
from sentences.said import worded
from workflows.exceptions import DomainError


class Command(BaseCommand):
    help = "Lists of work: worklist create|import|start|stop|status|export|again|skip|set_aside|first|cancel (S12)."

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
        create.add_argument("--parallel", type=int, metavar="N", help="rows at work at once")
        bring = verbs.add_parser("import", help="take the rows of a CSV file (UTF-8, with a head), all or none")
        bring.add_argument("list_id")
        bring.add_argument("file", help="- for what is piped in")
        bring.add_argument("--take-good", action="store_true", help="leave the bad rows out, and say which")
        start = verbs.add_parser("start", help="begin rows, for the first time or again")
        start.add_argument("list_id")
        verbs.add_parser("stop", help="begin no new row; those at work are finished").add_argument("list_id")
        verbs.add_parser("status", help="of one list, or of all").add_argument("list_id", nargs="?")
        verbs.add_parser("export", help="each row with its result, a line of JSON each").add_argument("list_id")
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
        except BadRows as error:
            lines = [f"{row['row']}: {row['reason']}" for row in error.rows]
            raise CommandError("\n".join([worded(error), *lines])) from error
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
        self.stdout.write(worklist.worklist_id)

    def _import(self, options: dict[str, Any]) -> None:
        name = options["file"]
        text = sys.stdin.read() if name == "-" else Path(name).read_text(encoding="utf-8-sig")
        rows = [NewRow(data={k: v or "" for k, v in row.items() if k}) for row in csv.DictReader(io.StringIO(text))]
        taken = append(
            worklist_id=options["list_id"], rows=rows, atomic=not options["take_good"], origin=Origin.COMMAND
        )
        for row in taken.refused:
            self.stderr.write(f"{row['row']}: {row['reason']}")
        self.stdout.write(f"{len(taken.numbers)} added, {len(taken.known)} known, {len(taken.refused)} refused")

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

    def _export(self, options: dict[str, Any]) -> None:
        for row in result_rows(Worklist.objects.by_id(options["list_id"])):
            self.stdout.write(json.dumps(row, ensure_ascii=False, default=str))

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
