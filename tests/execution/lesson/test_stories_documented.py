"""docs/stories.md: each example on it is a story, and it has an example of all that a story can say (S6.16)."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

import pytest

from execution.lesson.story import ACTS, Story
from execution.lesson.story_checks import check
from execution.lesson.story_reading import WORDS, read_story

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs" / "stories.md").read_text()
EXAMPLES = re.findall(r"^```yaml\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
WHOLE = EXAMPLES[0]
STEPS = "\n".join(EXAMPLES[1:])


def as_story(example: str) -> str:
    """The steps of an example in the story that the page begins with."""
    if example is WHOLE:
        return example
    return WHOLE.split("steps:\n")[0] + "steps:\n" + textwrap.indent(example, "  ")


def told(example: str) -> Story:
    story = read_story(as_story(example))
    check(story)
    return story


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.splitlines()[0])
def test_each_example_is_a_story(example: str) -> None:
    assert told(example).steps


def test_the_examples_mean_what_the_page_says() -> None:
    """An example that is read as something else would teach its reader that."""
    [story] = [told(example) for example in EXAMPLES if "each:" in example]
    each = story.steps[0].said.each
    assert each is not None
    assert (each.counter, each.at_most, each.until) == ("n", 20, ("No more letters",))
    [story] = [told(example) for example in EXAMPLES if "only_if:" in example]
    asked = [[(one.name, one.test, one.to) for one in step.said.only_if] for step in story.steps]
    assert asked[0] == [("amount", "more", ("100",)), ("ward", "equals", ("Ward 3",))]
    assert asked[1] == [("ward", "one_of", ("Ward 1", "Ward 7"))]
    assert [step.keep for step in story.steps] == [True, True, True, True, False]
    [story] = [told(example) for example in EXAMPLES if "this_place:" in example]
    assert [step.where.nth for step in story.steps] == ["", "2", "{{line}}", "1", "", ""]
    assert story.steps[-1].where.place == (0.82, 0.11)


def test_the_page_has_an_example_of_each_act_and_of_each_word() -> None:
    assert [act for act in ACTS if not re.search(rf"^- {act}:", STEPS, re.MULTILINE)] == []
    assert [word for word in WORDS if not re.search(rf"^\s+{word}:", STEPS, re.MULTILINE)] == []


def test_the_demo_is_told_by_a_story_that_can_be_told() -> None:
    story = read_story((ROOT / "workflows" / "demo" / "patient_note.yaml").read_text())
    check(story)
    assert story.workflow == "Patient note"
