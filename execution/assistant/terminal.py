"""Talking with the assistant in a terminal, or through a pipe (S4.7)."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator
from typing import TextIO

from django.db import DatabaseError
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from execution.assistant.commands import CommandName, command_in, explained, written
from execution.assistant.facts import gather, the_run
from execution.assistant.run_briefing import as_text, briefing
from execution.exceptions import UnknownExecution
from execution.models import Execution
from gpu.assistant import conversations
from gpu.assistant.assistant import AnswerOutcome, AnswerPart, Assistant, PartKind
from gpu.exceptions import GPUError
from sentences.said import worded
from workflows.exceptions import DomainError


def help_text() -> str:
    """The commands, those of the terminal after those that ask something of the run."""
    lines = [
        *explained(),
        (
            "/model NAME",
            _("another model answers from now on; the conversation stays (/model auto: the best is chosen)"),
        ),
        ("/model", _("which model would answer")),
        ("/run ID", _("talk about another run; without an ID, about the latest")),
        ("/new", _("begin a new conversation")),
        ("/quit", _("leave (also Ctrl-D); Ctrl-C stops an answer, and leaves where there is none")),
    ]
    width = max(len(command) for command, _what in lines)
    head = _("Ask in your own words, where a model is there to answer, or give a command:")
    return "\n".join([head, *(f"  {command:{width}}  {what}" for command, what in lines)])


def printable(text: str) -> str:
    """A text without what a terminal would take for a command: a screen may have shown one."""
    return "".join(
        c for c in text if c in "\n\t" or unicodedata.category(c) not in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")
    )


class Chat:
    """One conversation. `switch` holds a model by hand, `status` says who would answer."""

    def __init__(
        self,
        assistant: Assistant,
        *,
        out: TextIO,
        about: str,
        switch: Callable[[str], str],
        status: Callable[[], str],
        key: str = "",
    ) -> None:
        self._assistant, self._out = assistant, out
        self._switch, self._status = switch, status
        self.about = about
        self.is_database_away = False
        self._shown = ""  # of the records, in the answer on its way
        self.key = key or conversations.begin(about=about)

    def say(self, text: str = "", *, end: str = "\n") -> None:
        self._out.write(printable(text) + end)
        self._out.flush()

    def greet(self) -> None:
        run = Execution.objects.filter(execution_id=self.about).select_related("version__workflow").first()
        if run is None:
            self.say(f"{self._assistant.name} · {_('There is no run yet.')}")
            return
        words = {"n": run.pk, "name": run.version.workflow.name, "id": run.execution_id}
        about = _("run %(n)d, %(name)s (%(id)s)") % words
        ways = _("%(help)s for help, /quit to leave") % {"help": written(CommandName.HELP)}
        self.say(f"{self._assistant.name} · {about} · {ways}")
        self.say(as_text(briefing(gather(run))))

    def hear(self, lines: Iterator[str]) -> None:
        """Each line is a question or a command; KeyboardInterrupt comes through where no answer is on its way."""
        for line in lines:
            text = line.strip()
            if text in ("/quit", "/exit"):
                return
            if text and not self._did(text):
                self.ask(text)

    def ask(self, text: str) -> AnswerOutcome | None:
        """Ask and show the answer as it comes; None where it was not asked. Ctrl-C stops the answer alone."""
        try:
            parts = self._assistant.stream_message(text, conversation=self.key)
        except ValueError as refusal:
            self.say(worded(refusal))
            return None
        outcome: AnswerOutcome | None = AnswerOutcome.STOPPED
        began = False
        try:
            for part in parts:
                began = self._show(part, began=began)
                outcome = part.outcome
        except KeyboardInterrupt:
            parts.close()  # type: ignore[attr-defined]
            self.say(f"\n({_('stopped')})")
            return AnswerOutcome.STOPPED
        except DatabaseError as error:  # it may be there again for the next question
            self.is_database_away = True
            self.say(("\n" if began else "") + _("The database cannot be used now: %(why)s") % {"why": error})
            return AnswerOutcome.FAILED
        return outcome

    def _show(self, part: AnswerPart, *, began: bool) -> bool:
        """Print a part; gives whether words of a model stand on the screen now."""
        match part.kind:
            case PartKind.RECORDS:
                self._shown = part.text
                self.say(part.text)
            case PartKind.TEXT:
                self.say(part.text if began else f"\n{part.text}", end="")
                return True
            case PartKind.AGAIN:
                self.say(f" …\n({_('another model begins anew')})" if began else "", end="\n" if began else "")
                return False
            case PartKind.END:
                self.say("\n" if began else "", end="")
                if part.message and part.message.records != self._shown:  # no model answered: the whole briefing
                    self.say(part.message.records)
                self._close(part)
        return began

    def _close(self, part: AnswerPart) -> None:
        message = part.message
        if message is None:
            return
        notes = [message.model, part.note]
        for attempt in message.attempts:
            if message.model and attempt.get("error") and attempt.get("model") not in ("", message.model):
                words = {"model": attempt["model"], "reason": attempt.get("reason") or attempt["error"]}
                notes.append(_("%(model)s was asked first: %(reason)s") % words)
        if message.draft:
            notes.append(_("A draft waits on the run's live page; it is sent from there alone."))
        if message.dropped.get("messages"):
            n = len(message.dropped["messages"])
            notes.append(
                ngettext(
                    "The model no longer saw the first message.", "The model no longer saw the first %(n)d messages.", n
                )
                % {"n": n}
            )
        if said := " · ".join(filter(None, notes)):
            self.say(f"({said})")

    # --- commands ---------------------------------------------------------------------------------------------------
    def _did(self, text: str) -> bool:
        """Whether it was a command of the terminal; what asks something of the run goes to the assistant."""
        name, _space, rest = text.partition(" ")
        command = command_in(text)
        try:
            match name:
                case "/model" if rest.strip():
                    self.say(f"({_('From now on: %(model)s') % {'model': self._switch(rest.strip())}})")
                case "/model" | "/status":
                    self.say(self._status())
                case "/new":
                    self.key = conversations.begin(about=self.about)
                    self.say(f"({_('A new conversation.')})")
                case "/run":
                    self.about = run_to_talk_about(rest.strip())
                    self.key = conversations.begin(about=self.about)
                    self.greet()
                case _ if command and command.what in (CommandName.HELP, None):
                    if command.what is None:
                        self.say(_("There is no command /%(name)s. There are:") % {"name": command.name})
                    self.say(help_text())
                case _:
                    return False
        except (GPUError, DomainError, DatabaseError) as refusal:
            self.say(worded(refusal))
        return True


def run_to_talk_about(execution_id: str) -> str:
    """The id of that run, or of the latest one; empty where there is none. Raises UnknownExecution."""
    try:
        return the_run(execution_id).execution_id
    except UnknownExecution:
        if execution_id:
            raise
        return ""
