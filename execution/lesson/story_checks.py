"""What can be known of a story before anything is done: whether all that it names is there (S6.16).

A story that stops in the middle has touched a desktop; whatever can be refused without that is refused here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from django.utils.translation import gettext as _

from execution.language.read_values import parsed_date
from execution.lesson.story import BadStory, Story, Told, ToldVariable
from workflows.calling import published
from workflows.choices import VariableKind
from workflows.conditions import date_of, number_of
from workflows.models import Workflow
from workflows.text import fill_known, names, sole_name
from workflows.vault import known_names


def check(story: Story) -> None:
    """Raises BadStory for the first thing that is wrong in the story itself."""
    for variable in story.variables:
        _check_variable(variable)
    _check_names(story)
    _check_values(story)


def check_here(story: Story) -> None:
    """Raises BadStory for the first thing that this installation has not: a saved password, a published workflow."""
    saved = known_names()
    wanted = [(one.line, one.vault) for one in story.variables if one.vault]
    wanted += [(step.line, step.what) for step in story.steps if step.act == "visual_login"]
    for line, name in wanted:
        if name not in saved:
            raise BadStory(
                line, _("No password is saved as “%(name)s”; save it with its user name first.") % {"name": name}
            )
    for step in story.steps:
        if (proof := step.said.proof) and published(proof.workflow, proof.version or newest(proof.workflow)) is None:
            words = {"name": proof.workflow, "n": proof.version or 1}
            raise BadStory(
                step.line, _("There is no version %(n)d of “%(name)s”; publish that workflow first.") % words
            )
        if step.call and published(step.what, version_of(step)) is None:
            words = {"name": step.what, "n": step.call.version or 1}
            raise BadStory(
                step.line, _("There is no version %(n)d of “%(name)s”; publish that workflow first.") % words
            )


def version_of(step: Told) -> int:
    """Of the other workflow that it does; 0 where it has none."""
    assert step.call is not None
    return step.call.version or newest(step.what)


def newest(workflow_id: str) -> int:
    """The newest version of a workflow; 0 where it has none."""
    other = Workflow.objects.filter(workflow_id=workflow_id).first()
    version = other.versions.order_by("-number").first() if other else None
    return version.number if version else 0


def _check_variable(variable: ToldVariable) -> None:
    looks = {VariableKind.NUMBER: number_of, VariableKind.DATE: date_of}.get(VariableKind(variable.kind))
    if looks and looks(variable.value) is None:
        words = {"text": variable.value, "name": variable.name, "kind": variable.kind}
        raise BadStory(variable.line, _("“%(text)s” is no %(kind)s, as “%(name)s” must be.") % words)


def _check_names(story: Story) -> None:
    """Every {{variable}}, line, screen and id is there, and said once."""
    given = {variable.name for variable in story.variables}
    secret = {variable.name for variable in story.variables if variable.is_secret}
    counters, ids, read = story.counters, set[str](), set[str]()
    lines = [step.said.each.counter for step in story.steps if step.said.each]
    for step in story.steps:
        if step.said.each and (lines.count(step.said.each.counter) > 1 or step.said.each.counter in given):
            raise BadStory(step.line, _("“%(name)s” is told twice.") % {"name": step.said.each.counter})
        if step.said.in_each and step.said.in_each not in counters:
            raise BadStory(step.line, _("No step says “each” with the line “%(name)s”.") % {"name": step.said.in_each})
        if step.said.id and step.said.id in ids:
            raise BadStory(step.line, _("“%(name)s” is told twice.") % {"name": step.said.id})
        ids.add(step.said.id)
        for name in _used(step):
            if name not in given | read | counters.keys():
                raise BadStory(
                    step.line, _("“%(name)s” is no variable of this story, and was not read before.") % {"name": name}
                )
            if name in secret and not (step.act == "type_text" and sole_name(step.what) == name):
                raise BadStory(
                    step.line, _("“%(name)s” is secret: it can only be typed, and by itself.") % {"name": name}
                )
        for name in _brought(step):
            if name in given | read | counters.keys():
                raise BadStory(step.line, _("“%(name)s” is told twice.") % {"name": name})
            read.add(name)
    called = {story.begins_on, *(step.screen for step in story.steps)}
    for screen in story.screens:
        if screen.name not in called:
            words = {"name": screen.name}
            raise BadStory(
                screen.line, _("No step leads to “%(name)s”: say “screen: %(name)s” where it shows.") % words
            )


def _used(step: Told) -> Iterator[str]:
    """The variables that a step uses, in its texts and conditions, and in what is done by hand within it."""
    yield from sorted(names(list(step.texts())))
    yield from (condition.name for condition in step.said.only_if)
    for one in step.call.by_hand if step.call else ():
        yield from _used(one)


def _brought(step: Told) -> Iterator[str]:
    """The values that a run has from this step on."""
    if step.act == "read_value":
        yield step.what
    if step.call:
        yield from (ours for _theirs, ours in step.call.outputs)


def _check_values(story: Story) -> None:
    known: Mapping[str, str] = story.values
    vaults = {variable.name: variable.vault for variable in story.variables if variable.is_secret}
    for step in [*story.steps, *(one for call in story.steps if call.call for one in call.call.by_hand)]:
        what = fill_known(step.what, known)
        if step.act == "pick_date" and not names(what) and not parsed_date(what, step.format):
            words = {"text": what}
            raise BadStory(step.line, _("“%(text)s” is no one day; write 2026-11-21, or say its “format”.") % words)
        if step.act == "type_text" and (name := sole_name(step.what)) in vaults and not vaults[name]:
            raise BadStory(step.line, _("Say with “vault” whose saved password “%(name)s” is.") % {"name": name})
