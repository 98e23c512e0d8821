"""What happened, and what people asked for. One concern a file; import from here."""

from execution.models.drift import DriftWatch
from execution.models.event import ExecutionEvent
from execution.models.execution import Execution
from execution.models.learning import (
    CorrectionPack,
    CorrectionUse,
    LearnedCorrection,
    TrainingRecord,
    TrainingSession,
)
from execution.models.lesson import MEND, Lesson, LessonStep
from execution.models.mark import StepMark
from execution.models.place import Place
from execution.models.prompt import Decision, Prompt
from execution.models.prototype import Prototype
from execution.models.reference import ReferenceReading, ReferenceVector
from execution.models.replay import EyesPrint, Replay, ReplayDifference, ReplayReason, ReplayState
from execution.models.robot import Ability, AbilityOrigin, Robot
from execution.models.start_key import StartKey
from execution.models.step import Step
from execution.models.value import ValueRead
from execution.models.wish import WishRecord
from execution.models.work import Job
from execution.models.worklist import WorkItem, Worklist, WorklistEvent, WorkRun

__all__ = [
    "MEND",
    "Ability",
    "AbilityOrigin",
    "CorrectionPack",
    "CorrectionUse",
    "Decision",
    "DriftWatch",
    "Execution",
    "ExecutionEvent",
    "EyesPrint",
    "Job",
    "LearnedCorrection",
    "Lesson",
    "LessonStep",
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
    "StartKey",
    "Step",
    "StepMark",
    "TrainingRecord",
    "TrainingSession",
    "ValueRead",
    "WishRecord",
    "WorkItem",
    "WorkRun",
    "Worklist",
    "WorklistEvent",
]
