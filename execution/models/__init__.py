"""What happened, and what people asked for. One concern a file; import from here."""

from execution.models.event import ExecutionEvent
from execution.models.execution import Execution
from execution.models.lesson import Lesson, LessonStep
from execution.models.place import Place
from execution.models.prompt import Decision, Prompt
from execution.models.reference import ReferenceReading, ReferenceVector
from execution.models.robot import Robot
from execution.models.step import Step
from execution.models.value import ValueRead
from execution.models.wish import WishRecord

__all__ = [
    "Decision",
    "Execution",
    "ExecutionEvent",
    "Lesson",
    "LessonStep",
    "Place",
    "Prompt",
    "ReferenceReading",
    "ReferenceVector",
    "Robot",
    "Step",
    "ValueRead",
    "WishRecord",
]
