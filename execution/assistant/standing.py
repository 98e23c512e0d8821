"""How a run stands, in the sentences of its records: how far it is, why it waits, what came of it."""

from __future__ import annotations

from dataclasses import dataclass, field

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from execution.assistant.facts import Facts
from execution.assistant.phrases import capital, listed, seconds, sentence, what_and_where, why
from execution.choices import FINAL, ExecutionState, PauseReason
from execution.models import Step
from execution.record.attribution import how_it_ended
from execution.record.summary import run_summary
from workflows.words import sentence as edge_sentence


@dataclass(slots=True)
class Told:
    """Sentences, and the steps that they stand on in the order of their weight."""

    sentences: list[str] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)

    def say(self, text: str, *steps: Step) -> None:
        if text:
            self.sentences.append(text)
        self.steps.extend(step for step in steps if step not in self.steps)

    @property
    def text(self) -> str:
        return " ".join(self.sentences)


def progress(facts: Facts, said: Told) -> None:
    state_of(facts, said)
    run = facts.execution
    if run.state in FINAL:
        summary = run_summary(run)
        words = {"done": summary["done"], "all": summary["actions"], "time": seconds(run.duration_seconds)}
        done = ngettext(
            "%(done)d of %(all)d action was done, in %(time)s.",
            "%(done)d of %(all)d actions were done, in %(time)s.",
            summary["actions"],
        )
        said.say(done % words)
    else:
        path = facts.graph.likely_path(run.current_node_id or run.start_node_id)
        words = {"n": len(facts.steps), "ahead": len(path), "time": seconds(run.duration_seconds)}
        taken = ngettext(
            "%(n)d step taken in %(time)s, about %(ahead)d to come.",
            "%(n)d steps taken in %(time)s, about %(ahead)d to come.",
            len(facts.steps),
        )
        said.say(taken % words, *facts.steps[-1:])
        if path and facts.prompt is None:
            likely = edge_sentence(path[0], facts.graph, run.variables)
            said.say(sentence(_("Likely next: %(what)s") % {"what": facts.hidden.text(likely)}))
    timed = [s for s in facts.steps if s.robot_ms]
    if len(timed) > 1:
        slow = max(timed, key=lambda s: s.robot_ms)
        words = {"step": what_and_where(facts, slow), "time": seconds(slow.robot_ms / 1000)}
        said.say(_("The slowest was %(step)s, with %(time)s.") % words, slow)


def state(facts: Facts, said: Told) -> None:
    state_of(facts, said)
    if facts.steps and not facts.prompt:
        said.say(_("The last step was %(step)s.") % {"step": what_and_where(facts, facts.steps[-1])}, facts.steps[-1])


def state_of(facts: Facts, said: Told) -> None:
    run, prompt = facts.execution, facts.prompt
    state = ExecutionState(run.state)
    if prompt is not None:
        step = next((s for s in facts.steps if s.pk == prompt.step_id), prompt.step)
        said.say(
            _("The run waits for a person to answer about %(step)s.") % {"step": what_and_where(facts, step)}, step
        )
        said.say(sentence(facts.hidden.of(step).text(prompt.message)))
        if prompt.deadline_at:
            left = (prompt.deadline_at - timezone.now()).total_seconds()
            if left > 0:
                said.say(_("There are %(n)d s left for it.") % {"n": left})
        return
    if state is ExecutionState.PAUSED:
        reason = run.pause_reason or PauseReason.ASKED
        said.say(_("The run is paused: %(why)s.") % {"why": PauseReason(reason).label})
        said.say(sentence(facts.hidden.text(run.pause_detail.get("message", ""))))
        return
    words = {"n": run.pk, "name": run.version.workflow.name, "state": state.label}
    said.say(_("Run %(n)d of “%(name)s” is %(state)s.") % words)
    if ended := how_it_ended(run):
        said.say(sentence(facts.hidden.text(ended)))


def run(facts: Facts, said: Told) -> None:
    progress(facts, said)
    if facts.failed:
        last = facts.failed[-1]
        said.say(_("%(step)s failed.") % {"step": capital(what_and_where(facts, last))}, last)
        said.say(why(facts, last))
    corrected = [s for s in facts.steps if any(d.choice == "correct" for d in facts.by_person(s))]
    if corrected:
        said.say(
            _("A person corrected the steps %(numbers)s.") % {"numbers": listed([s.index for s in corrected])},
            *corrected,
        )
