from __future__ import annotations

from argparse import ArgumentParser
from datetime import time
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db.models import Q
from django.utils import timezone
from django.utils.dateparse import parse_time

from execution.choices import About, Origin
from execution.models import NoticeMessage, NoticeRule, Worklist
from execution.worklists.actions.telling import drop_rule, keep_rule, send_test, switch_rule, try_now
from execution.worklists.looking import worker_missing
from sentences.said import worded
from workflows.exceptions import DomainError


def _time(text: str) -> time:
    try:
        found = parse_time(text)
    except ValueError:
        found = None
    if found is None:
        raise CommandError(f"“{text}” is no time. Write it as 07:00.")
    return found


class Command(BaseCommand):
    help = "Who is told of lists: notice list|add|on|off|delete|test|messages|try."

    def add_arguments(self, parser: ArgumentParser) -> None:
        verbs = parser.add_subparsers(dest="verb", required=True)
        verbs.add_parser("list", help="the rules of one list, or all").add_argument("list_id", nargs="?")
        add = verbs.add_parser("add", help="a rule, of one list or of all")
        add.add_argument("list_id", nargs="?", default="")
        add.add_argument("--about", action="append", required=True, choices=About.values)
        add.add_argument("--address", required=True, metavar="NAME", help="as an admin entered it")
        add.add_argument("--person", default="", metavar="USER", help="told by their own mail, by that mail server")
        add.add_argument("--zone", default="", help="as Europe/Paris; without it that of the server")
        add.add_argument("--quiet", nargs=2, metavar=("FROM", "UNTIL"), help="told at the end of these hours")
        add.add_argument("--digest", default="", metavar="TIME", help="once a day, all in one message")
        add.add_argument("--escalate", nargs=2, metavar=("MINUTES", "NAME"), help="told without an answer")
        add.add_argument("--with-values", action="store_true", help="values of rows stand in it")
        for verb in ("on", "off", "delete", "test"):
            verbs.add_parser(verb).add_argument("rule_id")
        told = verbs.add_parser("messages", help="the last messages of one list, or of all, with what came of them")
        told.add_argument("list_id", nargs="?")
        told.add_argument("--last", type=int, default=20, metavar="N")
        verbs.add_parser("try", help="send a message again that has not arrived").add_argument("message_id")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            getattr(self, f"_{options['verb']}")(options)
        except DomainError as error:
            raise CommandError(worded(error)) from error
        if problem := worker_missing():
            self.stderr.write(worded(problem))

    def _list(self, options: dict[str, Any]) -> None:
        for rule in NoticeRule.objects.filter(_of(options["list_id"])).select_related("worklist", "address"):
            self._say(rule)

    def _add(self, options: dict[str, Any]) -> None:
        quiet, (minutes, to) = options["quiet"], options["escalate"] or ("0", "")
        if not minutes.isdecimal():
            raise CommandError("--escalate takes minutes and a name, as 20 “Ward IT”.")
        kept = keep_rule(
            worklist_id=options["list_id"],
            abouts=options["about"],
            address=options["address"],
            person=options["person"],
            zone=options["zone"],
            quiet_from=_time(quiet[0]) if quiet else None,
            quiet_until=_time(quiet[1]) if quiet else None,
            digest_at=_time(options["digest"]) if options["digest"] else None,
            escalate_minutes=int(minutes) or None,
            escalate_to=to,
            with_values=options["with_values"],
            origin=Origin.COMMAND,
        )
        self._say(kept)

    def _on(self, options: dict[str, Any]) -> None:
        self._say(switch_rule(rule_id=options["rule_id"], is_on=True, origin=Origin.COMMAND))

    def _off(self, options: dict[str, Any]) -> None:
        self._say(switch_rule(rule_id=options["rule_id"], is_on=False, origin=Origin.COMMAND))

    def _delete(self, options: dict[str, Any]) -> None:
        drop_rule(rule_id=options["rule_id"], origin=Origin.COMMAND)

    def _test(self, options: dict[str, Any]) -> None:
        self._tell(send_test(rule_id=options["rule_id"], origin=Origin.COMMAND))

    def _messages(self, options: dict[str, Any]) -> None:
        found = NoticeMessage.objects.filter(_of(options["list_id"])).select_related("address")
        for message in found[: options["last"]]:
            self._tell(message)

    def _try(self, options: dict[str, Any]) -> None:
        self._tell(try_now(message_id=options["message_id"], origin=Origin.COMMAND))

    def _say(self, rule: NoticeRule) -> None:
        about = rule.worklist.name if rule.worklist else "all lists"
        state = "on" if rule.is_on else "off"
        self.stdout.write(f"{rule.rule_id}  {about}  {', '.join(rule.abouts)}  {rule.address.name}  {state}")

    def _tell(self, message: NoticeMessage) -> None:
        at, to = timezone.localtime(message.made_at), message.address.name if message.address else "–"
        said = f"  {worded(message.said)}" if message.said else ""
        self.stdout.write(f"{message.message_id}  {at:%Y-%m-%d %H:%M}  {message.about}  {to}  {message.state}{said}")


def _of(list_id: str | None) -> Q:
    return Q(worklist=Worklist.objects.by_id(list_id)) | Q(worklist=None) if list_id else Q()
