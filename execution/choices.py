"""Modes, states and the one table of allowed moves (S1.1, S1.2)."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _

from workflows.choices import LearningState


class ExecutionMode(models.TextChoices):
    OBSERVATION = "observation", _("observation")
    COACHING = "coaching", _("coaching")
    SUPERVISED = "supervised", _("supervised")
    AUTOMATIC = "automatic", _("automatic")


MODE_EXPLAINED = {
    ExecutionMode.OBSERVATION: _("Watches what you do and says what it would have done. It never acts."),
    ExecutionMode.COACHING: _("Suggests each action; you accept, correct, do it yourself, skip or reject."),
    ExecutionMode.SUPERVISED: _("Acts after you have confirmed each action."),
    ExecutionMode.AUTOMATIC: _("Acts by itself and asks when it is not sure."),
}

# What is said of the mode that is offered to whoever starts a run.
MODE_OFFERED_BECAUSE = {
    ExecutionMode.COACHING: _("Suggested because its runs have not yet proved that it can do this without you."),
    ExecutionMode.SUPERVISED: _("Suggested because its runs have proved much, and nobody has trusted it to act alone."),
    ExecutionMode.AUTOMATIC: _("Suggested because it has earned to act by itself."),
}

MODE_OF_LEARNING_STATE = {
    LearningState.OBSERVATION: ExecutionMode.OBSERVATION,
    LearningState.COACHING: ExecutionMode.COACHING,
    LearningState.AUTO_CANDIDATE: ExecutionMode.SUPERVISED,
    LearningState.AUTO_CONFIRMED: ExecutionMode.AUTOMATIC,
}


class ExecutionState(models.TextChoices):
    IDLE = "idle", _("not started")
    QUEUED = "queued", _("queued")
    RUNNING = "running", _("running")
    PAUSED = "paused", _("paused")
    WAITING_CONFIRMATION = "waiting", _("waiting for a person")
    WAITING_COACHING = "coaching", _("waiting for a person")
    COMPLETED = "completed", _("completed")
    FAILED = "failed", _("failed")
    STOPPED = "stopped", _("stopped")


S = ExecutionState
FINAL = frozenset({S.COMPLETED, S.FAILED, S.STOPPED})
WAITING = frozenset({S.WAITING_CONFIRMATION, S.WAITING_COACHING})
STANDS_STILL = WAITING | {S.PAUSED}
ON_DESKTOP = frozenset({S.RUNNING, S.PAUSED}) | WAITING  # claimed by a run loop, holds its desktop
LIVE = ON_DESKTOP | {S.QUEUED}

_ENDS = frozenset({S.COMPLETED, S.FAILED, S.STOPPED})
MOVES: dict[ExecutionState, frozenset[ExecutionState]] = {
    S.IDLE: frozenset({S.QUEUED, S.STOPPED}),
    S.QUEUED: frozenset({S.RUNNING, S.STOPPED, S.FAILED}),
    S.RUNNING: frozenset({S.PAUSED}) | WAITING | _ENDS,
    S.PAUSED: frozenset({S.RUNNING}) | _ENDS,
    S.WAITING_CONFIRMATION: frozenset({S.RUNNING, S.PAUSED}) | _ENDS,
    S.WAITING_COACHING: frozenset({S.RUNNING, S.PAUSED}) | _ENDS,
    S.COMPLETED: frozenset(),
    S.FAILED: frozenset(),
    S.STOPPED: frozenset(),
}


class Wish(models.TextChoices):
    """What a person asked of a run and its loop has not yet done."""

    NONE = "", ""
    PAUSE = "pause", _("pause")
    RESUME = "resume", _("resume")
    STOP = "stop", _("stop")
    CONTROL = "control", _("take control")
    CHANGE_VERSION = "version", _("go on with another version")


HALTS = frozenset(
    {Wish.PAUSE, Wish.STOP, Wish.CONTROL, Wish.CHANGE_VERSION}
)  # the run does nothing more before it was heeded


class Verb(models.TextChoices):
    """What people ask of a run; each is kept with who, when and from where (S1.24)."""

    START = "start", _("start")
    PAUSE = "pause", _("pause")
    RESUME = "resume", _("resume")
    STOP = "stop", _("stop")
    SET_MODE = "set_mode", _("another mode")
    LIFT_DEGRADED = "lift_degraded", _("read in full again")
    SET_CONTINUOUS_CAPTURE = "set_continuous_capture", _("continuous capture")
    TAKE_CONTROL = "take_control", _("take control")
    CHANGE_VERSION = "change_version", _("go on with another version")


class Origin(models.TextChoices):
    """From where a wish or an answer came."""

    UNKNOWN = "", ""  # kept before it was asked
    PAGE = "page", _("page")
    API = "api", _("API")
    ADMIN = "admin", _("administration")
    COMMAND = "command", _("command line")
    PROGRAM = "program", _("program")
    LOOP = "loop", _("run loop")  # nobody answered in time
    LIST = "list", _("list")  # a row was in turn


class PauseReason(models.TextChoices):
    NONE = "", ""
    ASKED = "asked", _("paused by a person")
    CONTROL = "control", _("a person has control")
    NO_MATCH = "no_match", _("screen not known")
    DIALOG = "dialog", _("a dialog came over it")
    LEAP = "leap", _("another screen than expected")
    ALREADY_AT_END = "already_at_end", _("at the end before anything was done")
    REJECTED = "rejected", _("suggestion rejected")
    TARGET = "target", _("target not found")
    SKIPPED = "skipped", _("nothing left to suggest")
    NO_WAY = "no_way", _("no way is open")
    FAILED_ACTION = "failed_action", _("action failed")
    DESKTOP_LOST = "desktop_lost", _("desktop lost")
    STORAGE = "storage", _("pictures cannot be kept")
    OTHER_DESKTOP = "other_desktop", _("desktop has changed")
    PROGRAM = "program", _("its program is not there")
    ERROR = "error", _("error")


class StepPhase(models.TextChoices):
    """Where a step stands: its intent is committed before the act, its result after it (S9.1)."""

    PLANNED = "planned", _("planned")
    INTENT = "intent", _("acting")
    CLOSED = "closed", _("closed")


class Outcome(models.TextChoices):
    NONE = "", ""
    SUCCEEDED = "succeeded", _("done")
    FAILED = "failed", _("failed")
    REJECTED = "rejected", _("rejected")
    SKIPPED = "skipped", _("skipped")
    MANUAL = "manual", _("done by a person")
    OBSERVED = "observed", _("observed")
    TERMINAL = "terminal", _("end reached")
    INTERRUPTED = "interrupted", _("not carried out")


PERFORMED = frozenset({Outcome.SUCCEEDED, Outcome.FAILED})  # by the robot
NOT_EXECUTED = frozenset({Outcome.REJECTED, Outcome.INTERRUPTED})


class Verified(models.TextChoices):
    NONE = "", ""
    YES = "yes", _("verified")
    NO = "no", _("not done")
    CANNOT_TELL = "cannot_tell", _("not verified")


class ReadBack(models.TextChoices):
    """How far the proof of an act is (S5.9): it is to be read back, that held, or a person said what came of it."""

    OPEN = "open", _("not read back yet")
    HELD = "held", _("read back")
    SAID = "said", _("said by a person")


class PromptKind(models.TextChoices):
    COACHING = "coaching", _("coaching")
    CONFIRMATION = "confirmation", _("confirmation")
    TARGET = "target", _("help with a target")
    IN_DOUBT = "in_doubt", _("step in doubt")
    IDENTITY = "identity", _("check before an action")


# Which answers a prompt takes; the page shows a button for each, in this order.
CHOICES_OF_PROMPT: dict[PromptKind, tuple[str, ...]] = {
    PromptKind.COACHING: ("accept", "correct", "manual", "skip", "reject"),
    PromptKind.CONFIRMATION: ("accept", "reject"),
    PromptKind.TARGET: ("correct", "manual", "skip", "reject"),
    PromptKind.IN_DOUBT: ("done", "retry", "stop"),
    PromptKind.IDENTITY: ("retry", "manual", "skip", "reject"),
}

# What happens when nobody answers in time; None: the prompt has no time-out.
TIMEOUT_CHOICE: dict[PromptKind, str | None] = {
    PromptKind.COACHING: "skip",
    PromptKind.CONFIRMATION: "reject",
    PromptKind.TARGET: "reject",
    PromptKind.IN_DOUBT: None,
    PromptKind.IDENTITY: "reject",
}


class PromptState(models.TextChoices):
    OPEN = "open", _("open")
    ANSWERED = "answered", _("answered")
    WITHDRAWN = "withdrawn", _("withdrawn")


class Feedback(models.TextChoices):
    """What a person says of a step afterwards (S6.5)."""

    CORRECT = "correct", _("right")
    INCORRECT = "incorrect", _("wrong")
    PARTIAL = "partial", _("right in part")


class CorrectionKind(models.TextChoices):
    """What a coach's correction says (S6.4)."""

    TARGET = "target", _("one more look of a target")
    PARAMS = "params", _("another value of a step")
    NODE = "node", _("one more look of a screen")
    WAY = "way", _("a way that a person went")


class CorrectionState(models.TextChoices):
    """What a correction may do: nothing is trusted before it proved right, and what proved wrong is off (S6.4)."""

    ON_TRIAL = "on_trial", _("on trial")
    TRUSTED = "trusted", _("trusted")
    OFF = "off", _("off")
    NEEDS_PERSON = "needs_person", _("needs a person")
    MERGED = "merged", _("in a version")


class UseOutcome(models.TextChoices):
    RIGHT = "right", _("right")
    WRONG = "wrong", _("wrong")
    UNKNOWN = "unknown", _("nobody knows")


class Watched(models.TextChoices):
    """What is watched for drift (S6.7): how sure a screen is recognised, whether a step is verified."""

    SCREEN = "screen", _("screen")
    STEP = "step", _("step")


class EventKind(models.TextChoices):
    STATE = "state", _("state")
    STEP = "step", _("step")
    PROMPT = "prompt", _("prompt")
    DECISION = "decision", _("decision")
    WISH = "wish", _("wish")
    DEGRADED = "degraded", _("degraded")
    DRIFT_DETECTED = "drift_detected", _("drift detected")
    ERROR = "error", _("error")
    RESOURCE_CHANGED = "resource_changed", _("resource changed")
    MODE_CHANGED = "mode_changed", _("mode changed")
    IDLE_UNLOAD = "idle_unload", _("unloaded when idle")
    CONTROL = "control", _("done by a person")
    VERSION_CHANGED = "version_changed", _("version changed")


def ended_error(state: ExecutionState) -> str:
    """As programs read it (S7.2); people are told in words of their own."""
    return f"Execution ended in state: {state.value}"


class LessonState(models.TextChoices):
    """Of one sitting of a teacher: until a robot takes it, while it is taught, while nobody watches, over."""

    WAITING = "waiting", _("waiting for its desktop")
    LIVE = "live", _("being taught")
    AWAY = "away", _("the teacher is away")
    DONE = "done", _("done")


HOLDS_DESKTOP = frozenset({LessonState.WAITING, LessonState.LIVE})


class LessonKind(models.TextChoices):
    """What is taught from: a desktop, the workflow's own pictures, or those of a run."""

    DESKTOP = "desktop", _("a desktop")
    PICTURES = "pictures", _("pictures")
    RUN = "run", _("a run")


class LessonStepState(models.TextChoices):
    """`doubt`: its intent was committed and nobody knows what came of it; `unkept`: done, and no step of the draft;
    `earlier`: a step that the draft had before the lesson."""

    EARLIER = "earlier", _("taught before")
    HELD = "held", _("waits for an answer")
    DOING = "doing", _("being done")
    DONE = "done", _("done")
    DOUBT = "doubt", _("in doubt")
    UNDONE = "undone", _("taken back")
    UNKEPT = "unkept", _("done without being kept")


class Rhythm(models.TextChoices):
    """How often a list begins by itself."""

    ONCE = "once", _("Once")
    DAILY = "daily", _("Every day")
    WEEKDAYS = "weekdays", _("Weekdays")
    CRON = "cron", _("Own rule (cron)")


class WhileRunning(models.TextChoices):
    """What a start does while the list still runs."""

    WAIT = "wait", _("Wait for its end")
    SKIP = "skip", _("Skip")


class StartState(models.TextChoices):
    """What became of a moment at which a list was to begin. `waiting`: for the list's end, or for a file that is still
    being written; `empty`: there was nothing to begin with."""

    WAITING = "waiting", _("waiting")
    BEGUN = "begun", _("begun")
    MISSED = "missed", _("missed")
    EMPTY = "empty", _("nothing to do")


class NightEnd(models.TextChoices):
    """How what a start began came to its end."""

    FINISHED = "finished", _("finished")
    LEFT = "left", _("rows left")
    STOPPED = "stopped", _("stopped")


class About(models.TextChoices):
    """What people are told of lists."""

    PERSON_NEEDED = "person_needed", _("A person is needed")
    STOPPED = "stopped", _("List stopped")
    FINISHED = "finished", _("List finished")
    LEFT = "left", _("Rows left over")
    LATE = "late", _("Not done in time")
    ROBOT_AWAY = "robot_away", _("No robot works on it")
    MISSED_START = "missed_start", _("Start missed")
    NO_FILE = "no_file", _("No file has come")
    FILE_REFUSED = "file_refused", _("File refused")


class MessageState(models.TextChoices):
    WAITING = "waiting", _("on its way")
    DELIVERED = "delivered", _("delivered")
    FAILED = "failed", _("failed")
