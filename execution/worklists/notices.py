"""Who is told what, and when: rules and what happened become messages, at most one for one thing (S12.10).

Pure: what was told already stands in marks that the caller keeps, each of which it writes once. So a clock that looks
twice, or two that look at once, tell nobody twice.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, time, timedelta
from enum import StrEnum
from zoneinfo import ZoneInfo

from cronsim import CronSim

from execution.choices import About
from sentences.said import Said, by_sentence, say, worded

# Minutes until a message is tried again: most failures are short, and one of a night is over in the morning.
BACKOFF = (1, 5, 15, 60)
GIVEN_UP_AFTER = timedelta(days=1)
EVER = datetime.min.replace(tzinfo=UTC)
MOST_TOLD = 20  # things that one message names; the page has the rest


ANSWERED_BY_PEOPLE = frozenset({About.PERSON_NEEDED, About.STOPPED, About.ROBOT_AWAY})


class Step(StrEnum):
    """Which message about a thing it is."""

    FIRST = "first"
    ESCALATION = "escalation"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """Who is told. `channel` and `escalate_to` are names of addresses that an admin entered; without `lists` and
    `workflows` it is about all of them.

    In quiet hours nothing is sent to `channel`: what happens then comes in one message at their end. With `digest_at`
    all of a day comes in one message at that time. `with_values`: an admin allows values of rows in it.
    """

    abouts: frozenset[About]
    channel: str
    zone: str
    lists: frozenset[str] = frozenset()
    workflows: frozenset[str] = frozenset()
    quiet_from: time | None = None
    quiet_until: time | None = None
    digest_at: time | None = None
    escalate_after: timedelta | None = None
    escalate_to: str = ""
    with_values: bool = False
    since: datetime = EVER  # of what was before nobody is told
    name: str = ""  # of the rule itself, for whoever keeps the messages

    def is_about(self, event: Event) -> bool:
        return (
            event.about in self.abouts
            and event.at >= self.since
            and (not self.lists or event.list_id in self.lists)
            and (not self.workflows or event.workflow_id in self.workflows)
        )

    def told_at(self, event: Event) -> datetime:
        """When the first message about it is due."""
        if self.digest_at is not None:
            return _next(self.digest_at, event.at, self.zone)
        if self.quiet_from is None or self.quiet_until is None or self.quiet_from == self.quiet_until:
            return event.at
        now = event.at.astimezone(ZoneInfo(self.zone)).time()
        in_one_day = self.quiet_from < self.quiet_until
        is_quiet = (
            self.quiet_from <= now < self.quiet_until
            if in_one_day
            else now >= self.quiet_from or now < self.quiet_until
        )
        return _next(self.quiet_until, event.at, self.zone) if is_quiet else event.at


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Something that happened to a list. `key` names the thing: what has the same key is the same thing.

    `rows` are numbers, `reason` a sentence; `values` are those of rows, for rules that may tell them.
    """

    key: str
    about: About
    list_id: str
    list_name: str
    workflow_id: str
    at: datetime
    link: str
    rows: tuple[int, ...] = ()
    reason: str = ""
    values: str = ""
    answered_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """What goes to a channel; `marks` say what it tells, each is kept and never told again."""

    channel: str
    step: Step
    events: tuple[Event, ...]
    with_values: bool = False
    rule: str = ""

    @property
    def marks(self) -> tuple[str, ...]:
        return tuple(mark(self.channel, self.step, event) for event in self.events)


def mark(channel: str, step: Step, event: Event) -> str:
    return f"{channel}|{step}|{event.key}"


def messages(rules: Iterable[Rule], events: Sequence[Event], told: Container[str], now: datetime) -> list[Message]:
    """The messages that are due now; `told` are the marks of all that were made before."""
    return untold(due(rules, events, now), told)


def due(rules: Iterable[Rule], events: Sequence[Event], now: datetime) -> list[Message]:
    """Those whose time has come, whether or not they were made before."""
    return [m for rule in rules for m in (*_first_ones(rule, events, now), *_escalations(rule, events, now))]


def untold(found: Iterable[Message], told: Container[str]) -> list[Message]:
    """What of them is left to tell; of two messages to one channel about one thing the first."""
    made: set[str] = set()
    left: list[Message] = []
    for message in found:
        events = tuple(e for e in message.events if _is_new(mark(message.channel, message.step, e), told, made))
        if events:
            left.append(replace(message, events=events))
    return left


def _is_new(one: str, told: Container[str], made: set[str]) -> bool:
    if one in told or one in made:
        return False
    made.add(one)
    return True


def _first_ones(rule: Rule, events: Iterable[Event], now: datetime) -> Iterator[Message]:
    """What waited for the same moment comes in one message."""
    together: dict[tuple[datetime, str], list[Event]] = defaultdict(list)
    for event in events:
        at = rule.told_at(event)
        if rule.is_about(event) and at <= now and not _is_answered(event, at):
            together[at, "" if at > event.at else event.key].append(event)
    for _at, group in sorted(together.items(), key=lambda item: item[0]):
        yield _message(rule, Step.FIRST, rule.channel, *group)


def _escalations(rule: Rule, events: Iterable[Event], now: datetime) -> Iterator[Message]:
    if rule.escalate_after is None or not rule.escalate_to:
        return
    for event in events:
        if not rule.is_about(event) or event.about not in ANSWERED_BY_PEOPLE:
            continue
        at = rule.told_at(event) + rule.escalate_after
        if at <= now and not _is_answered(event, at):
            yield Message(
                channel=rule.escalate_to,
                step=Step.ESCALATION,
                events=(event,),
                with_values=rule.with_values,
                rule=rule.name,
            )


def _message(rule: Rule, step: Step, channel: str, *events: Event) -> Message:
    return Message(channel=channel, step=step, events=events, with_values=rule.with_values, rule=rule.name)


def _is_answered(event: Event, at: datetime) -> bool:
    """True if nobody needs to be told any more: a person has answered before the message was due."""
    return event.answered_at is not None and event.answered_at <= at and event.about in ANSWERED_BY_PEOPLE


def _next(wall: time, after: datetime, zone: str) -> datetime:
    """The first moment after `after` at which the clock on the wall shows this time."""
    found = CronSim(f"{wall.minute} {wall.hour} * * *", after.astimezone(ZoneInfo(zone)))
    return next(moment for one in found if (moment := one.astimezone(UTC)) > after)


def next_try(tries: int, first: datetime, now: datetime) -> datetime | None:
    """When a message that failed is tried again; None once it is given up."""
    at = now + timedelta(minutes=BACKOFF[min(tries, len(BACKOFF)) - 1])
    return at if at - first <= GIVEN_UP_AFTER else None


# --- in words ------------------------------------------------------------------------------------------------------
def subject(message: Message) -> str:
    """In the active language: names of lists and what happened, never a value of a row."""
    if len(message.events) > 1:
        return worded(say("notice.several", n=len(message.events)))
    event = message.events[0]
    said = say(f"notice.{event.about}", name=event.list_name)
    return worded(say("notice.again", what=said) if message.step == Step.ESCALATION else said)


def body(message: Message) -> str:
    """In the active language: what happened, the rows by number, the reason and one link."""
    parts = [_told(event, with_values=message.with_values) for event in message.events[:MOST_TOLD]]
    if (more := len(message.events) - MOST_TOLD) > 0:
        parts.append(say("notice.more", n=more))
    return "\n\n".join(["\n".join(map(worded, parts)), message.events[0].link])


def _told(event: Event, *, with_values: bool) -> str:
    sentences = [say(f"notice.{event.about}", name=event.list_name)]
    if event.rows:
        shown = ", ".join(str(row) for row in event.rows[:MOST_TOLD])
        sentences.append(say("notice.rows", n=len(event.rows), rows=shown))
    if reason := event.reason if with_values else without_values(event.reason):
        sentences.append(reason)
    if with_values and event.values:
        sentences.append(event.values)
    return by_sentence(sentences)


def without_values(reason: str) -> str:
    """The sentence with dots for its texts, which may be those of a row; a text that is no sentence of ours is none."""
    return reason.with_texts(lambda text: "…") if isinstance(reason, Said) else ""
