"""What was found out about an action, one fact each: whether it speaks for it, and whether it is a proof."""

from __future__ import annotations

from dataclasses import dataclass

from execution.types import Answer, Reason

EXPECTED, DESTINATION, TYPED, CHANGE = "expected", "destination", "typed", "change"
EFFECT, ERROR, WAITING, IDENTITY, NODE = "effect", "error", "waiting", "identity", "node"
DOUBT = "doubt"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """`answer`: it is as it should be, it is not, or nobody can tell. `proof`: it was not so before the action.

    `absence`: it is about something that is no longer seen.
    """

    sign: str
    answer: Answer
    note: str
    proof: bool = False
    absence: bool = False

    @property
    def reason(self) -> Reason:
        """Its score is None where it says nothing: it cannot be told, or it was so before."""
        if self.answer is Answer.NO:
            return Reason(sign=self.sign, score=0.0, note=self.note)
        return Reason(sign=self.sign, score=1.0 if self.proof else None, note=self.note)


def combined(answers: list[Answer]) -> Answer:
    """No if any is no, else cannot tell if any is, else yes."""
    for answer in (Answer.NO, Answer.CANNOT_TELL):
        if answer in answers:
            return answer
    return Answer.YES
