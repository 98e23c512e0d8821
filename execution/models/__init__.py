"""What happened, and what people asked for. One concern a file; import from here."""

from execution.models.execution import Execution, ExecutionEvent, StartKey, WishRecord
from execution.models.learning import (
    CorrectionPack,
    CorrectionUse,
    DriftWatch,
    LearnedCorrection,
    Place,
    Prototype,
    TrainingRecord,
    TrainingSession,
)
from execution.models.lesson import MEND, Lesson, LessonStep
from execution.models.notice import NoticeMark, NoticeMessage, NoticeRule
from execution.models.prompt import Decision, Prompt
from execution.models.reference import ReferenceReading, ReferenceVector
from execution.models.replay import EyesPrint, Replay, ReplayDifference, ReplayReason, ReplayState
from execution.models.robot import Ability, AbilityOrigin, Robot
from execution.models.schedule import BroughtFile, ClockLook, ListStart, Schedule
from execution.models.step import Step, StepMark, ValueRead
from execution.models.webhook import IncomingWebhook, WebhookCall
from execution.models.work import Job
from execution.models.worklist import WorkItem, Worklist, WorklistEvent, WorkRun

__all__ = [
    "MEND",
    "Ability",
    "AbilityOrigin",
    "BroughtFile",
    "ClockLook",
    "CorrectionPack",
    "CorrectionUse",
    "Decision",
    "DriftWatch",
    "Execution",
    "ExecutionEvent",
    "EyesPrint",
    "IncomingWebhook",
    "Job",
    "LearnedCorrection",
    "Lesson",
    "LessonStep",
    "ListStart",
    "NoticeMark",
    "NoticeMessage",
    "NoticeRule",
    "Place",
    "Prompt",
    "Prototype",
    "ReferenceReading",
    "ReferenceVector",
    "Replay",
    "ReplayDifference",
    "ReplayReason",
    "ReplayState",
    "Robot",
    "Schedule",
    "StartKey",
    "Step",
    "StepMark",
    "TrainingRecord",
    "TrainingSession",
    "ValueRead",
    "WebhookCall",
    "WishRecord",
    "WorkItem",
    "WorkRun",
    "Worklist",
    "WorklistEvent",
]
