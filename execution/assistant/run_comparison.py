"""One run beside another of the same workflow: where they part, and what took longer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from django.utils.translation import gettext as _

from execution.assistant.facts import Facts
from execution.assistant.phrases import capital, outcome, seconds, sentence, what_and_where
from execution.assistant.run_briefing import Section
from execution.choices import ExecutionState
from execution.language.rungs import RUNGS
from execution.models import Step

MOST_OF_A_KIND = 3
WORTH_SAYING_S = 1.0  # by which a step took longer here than there

Pair = tuple[Step, Step]


def compared(here: Facts, there: Facts, said: Section) -> None:
    """What differs, said of `here`. The texts of each run are its own, without what is hidden in it."""
    run, other = here.execution, there.execution
    words = {"n": other.pk, "state": ExecutionState(other.state).label}
    said.say(_("Compared with run %(n)d (%(state)s).") % words)
    if run.version.number != other.version.number:
        versions = {"here": run.version.number, "there": other.version.number}
        said.say(_("This is version %(here)d of the workflow, that was version %(there)d.") % versions)
    if names := ", ".join(_other_values(here, there)):
        said.say(_("It was started with other values: %(names)s.") % {"names": names})
    acts, acts_there = ([s for s in facts.steps if s.edge_id] for facts in (here, there))
    pairs = list(_side_by_side(acts, acts_there))
    before = len(said.sentences)
    _way(here, there, acts, acts_there, said)
    for pair in [p for p in pairs if p[0].outcome != p[1].outcome][:MOST_OF_A_KIND]:
        _say_outcomes(here, pair, said)
    for pair in [p for p in pairs if p[0].rung and p[1].rung and p[0].rung != p[1].rung][:MOST_OF_A_KIND]:
        _say_rungs(here, pair, said)
    if len(said.sentences) == before:
        said.say(_("Both went the same way, step for step, with the same results."))
    _times(here, there, pairs, said)


def _side_by_side(here: Sequence[Step], there: Sequence[Step]) -> Iterator[Pair]:
    """The steps that both took, in order, as long as they go the same way."""
    for one, other in zip(here, there, strict=False):
        if (one.node_id, one.edge_id) != (other.node_id, other.edge_id):
            return
        yield one, other


def _way(here: Facts, there: Facts, acts: Sequence[Step], acts_there: Sequence[Step], said: Section) -> None:
    shared = len(list(_side_by_side(acts, acts_there)))
    if shared == len(acts) == len(acts_there):
        return
    if shared:
        said.say(_("Both went the same way up to step %(n)d.") % {"n": acts[shared - 1].index}, acts[shared - 1])
    after, after_there = acts[shared:], acts_there[shared:]
    if after:
        said.say(_("Then came here %(step)s.") % {"step": what_and_where(here, after[0])}, after[0])
    else:
        said.say(_("Here nothing came after it."))
    if after_there:
        said.say(sentence(_("There came: %(what)s") % {"what": there.sentence(after_there[0])}))
    else:
        said.say(_("There nothing came after it."))


def _say_outcomes(here: Facts, pair: Pair, said: Section) -> None:
    step, other = pair
    words = {"step": capital(what_and_where(here, step)), "here": outcome(step), "there": outcome(other)}
    said.say(_("%(step)s: here %(here)s, there %(there)s.") % words, step)


def _say_rungs(here: Facts, pair: Pair, said: Section) -> None:
    step, other = pair
    words = {
        "step": capital(what_and_where(here, step)),
        "here": RUNGS.get(step.rung, step.rung),
        "there": RUNGS.get(other.rung, other.rung),
    }
    said.say(_("%(step)s was found by another sign: here “%(here)s”, there “%(there)s”.") % words, step)


def _times(here: Facts, there: Facts, pairs: Sequence[Pair], said: Section) -> None:
    durations = {
        "here": seconds(here.execution.duration_seconds),
        "there": seconds(there.execution.duration_seconds),
    }
    said.say(_("It took %(here)s here and %(there)s there.") % durations)
    slower = max(pairs, key=lambda pair: pair[0].robot_ms - pair[1].robot_ms, default=None)
    if slower and slower[0].robot_ms - slower[1].robot_ms >= WORTH_SAYING_S * 1000:
        words = {
            "step": what_and_where(here, slower[0]),
            "here": seconds(slower[0].robot_ms / 1000),
            "there": seconds(slower[1].robot_ms / 1000),
        }
        said.say(_("Most of it at %(step)s: %(here)s here, %(there)s there.") % words, slower[0])


def _other_values(here: Facts, there: Facts) -> list[str]:
    """The labels of the variables that differ; of a secret one it is not even said that it does."""
    secret = here.hidden.names | there.hidden.names
    ours, theirs = here.execution.variables, there.execution.variables
    labels = {v.name: v.label or v.name for v in here.graph.variables}
    names = [name for name in {**theirs, **ours} if name not in secret and ours.get(name) != theirs.get(name)]
    return [here.hidden.text(labels.get(name, name)) for name in names]
