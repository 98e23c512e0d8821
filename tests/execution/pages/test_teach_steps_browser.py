"""Steps on the page on which workflows are taught: controls, conditions, what was understood, what becomes of them.

In a real browser; the robot's end of its socket is the test's (S6.1)."""

from __future__ import annotations

import re
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from execution.lesson.telling import draft_told
from execution.models import Lesson
from tests.execution.lesson.test_editing import two_ways
from tests.factories import make_published
from tests.support.display import wait_until
from tests.support.taught import make_lesson
from tests.support.teach_page import at, click, sent, shown, tool
from workflows.actions.publish import publish
from workflows.models import Edge, Node, Variable
from workflows.specs import graph_of

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("own_folder"),
]


# --- controls --------------------------------------------------------------------------------------------------------
def test_an_option_is_chosen_in_what_is_pointed_at(teach) -> None:
    """S6.12: its text is said once it was pointed at; meanwhile no key goes to the desktop."""
    page, end, _lesson = teach()
    tool(page, "choose")
    expect(page.locator("#tool-hint")).to_contain_text("combo box")
    click(page, 300, 186)
    page.keyboard.type("Ward 4")
    page.keyboard.press("Enter")
    [said] = sent(page, end, "set")
    assert (said["act"], said["params"]) == ("choose", {"option": "Ward 4"})
    assert abs(said["x"] - 300) <= 1
    assert (end.of("act"), end.of("type")) == ([], [])
    expect(page.locator("#question-title")).to_have_text("The robot does it …")
    end.say(type="acted", id=said["id"], state="refused", ms=5, why="There is no option “Ward 4”.")
    expect(page.locator("#question")).to_contain_text("There is no option “Ward 4”.")
    tool(page, "choose")
    click(page, 300, 186)
    page.get_by_role("button", name="{{patient}} LEFÈVRE Marie").click()
    assert sent(page, end, "set", 2)[1]["params"] == {"option": "{{patient}}"}


def test_a_box_is_set_by_a_key_and_a_date_is_put_as_it_is_written_there(teach) -> None:
    page, end, _lesson = teach()
    tool(page, "set_state")
    click(page, 300, 186)
    page.keyboard.press("2")
    first = sent(page, end, "set")[0]
    assert first["params"] == {"state": "off"}
    end.say(type="acted", id=first["id"], state="done", ms=5)
    tool(page, "pick_date")
    click(page, 300, 186)
    expect(page.get_by_label("Day", exact=True)).to_have_value(page.evaluate("new Date().toLocaleDateString('sv')"))
    page.get_by_label("Day", exact=True).fill("2026-12-31")
    page.get_by_label("Written there as").select_option("fr")
    page.get_by_role("button", name="Put it").click()
    assert sent(page, end, "set", 2)[1]["params"] == {"date": "2026-12-31", "format": "fr"}


def test_a_control_that_was_pointed_at_can_be_left(teach) -> None:
    page, end, _lesson = teach()
    tool(page, "choose")
    click(page, 300, 186)
    page.keyboard.press("Escape")
    expect(page.locator("#question-title")).to_have_text("This is Queue")
    assert end.of("set") == []


def test_logging_in_takes_the_name_of_saved_credentials_and_no_password(teach, monkeypatch) -> None:
    """S10.3"""
    monkeypatch.setattr("execution.pages.teach.known_names", lambda: ("ward-clerk",))
    page, end, _lesson = teach()
    tool(page, "visual_login")
    page.get_by_role("button", name="Log in", exact=True).click()
    [said] = sent(page, end, "set")
    assert (said["act"], said["params"]) == ("visual_login", {"credential": "ward-clerk"})


def test_the_texts_of_a_row_and_their_columns_are_lines_on_its_panel(teach) -> None:
    """S5.9: in one line they would be one text, and the second of the columns that of the first text."""
    page, end, lesson = teach()
    edge = lesson.steps.get(index=3).edge
    edge.action_type, edge.target = "must_see_row", None
    edge.params = {"text": "{{patient}}\n{{day}}", "columns": "\nDay"}
    edge.save()
    end.tell(rev=2)
    shown(page)
    texts, columns = page.get_by_label("Text", exact=True), page.get_by_label("Columns of these texts")
    expect(texts).to_have_value("{{patient}}\n{{day}}")
    expect(columns).to_have_value("\nDay")
    columns.fill("\nWritten on")
    page.keyboard.press("Tab")
    wait_until(lambda: Edge.objects.get(pk=edge.pk).params["columns"] == "\nWritten on", what="the other columns")
    assert Edge.objects.get(pk=edge.pk).params["text"] == "{{patient}}\n{{day}}"


# --- when a step is done ---------------------------------------------------------------------------------------------
def test_a_step_is_repeated_for_each_line_and_its_rounds_are_told(teach) -> None:
    """S6.13: the robot counts its target on the picture; how often and with what is changed on the page."""
    page, end, lesson = teach()
    page.locator("[data-row=step-1]").click()
    panel = page.locator("#panel-target")
    panel.get_by_role("button", name="Repeat for each line of this list …").click()
    panel.get_by_label("At most so many lines").fill("20")
    panel.get_by_label("Over once this text is seen").fill("No patient waits")
    panel.get_by_label("Type “{{patient}}”").check()
    panel.get_by_role("button", name="Save").click()
    [said] = sent(page, end, "repeat")
    assert said == {
        "type": "repeat", "step": 1, "counter": "n", "most": 20, "until": ["No patient waits"],
        "steps": ["type_patient"],
    }  # fmt: skip
    edge = lesson.steps.get(index=1).edge
    edge.repeat = {"counter": "n", "most": 20, "until": ["No patient waits"], "steps": ["type_patient"]}
    edge.save()
    edge.target.evidence = {**edge.target.evidence, "number": "{{n}}"}
    edge.target.save()
    end.tell(rev=2)
    expect(page.locator("[data-row=step-1] .step-when").first).to_have_text("for each line “n” of the list, at most 20")
    expect(page.locator("[data-row=step-2] .step-when")).to_have_text("in each round of line “n”")
    panel.locator("[data-key=each_line]").click()
    panel.get_by_label("At most so many lines").fill("30")
    panel.get_by_role("button", name="Save").click()
    expect(panel).to_contain_text("at most 30")
    panel.get_by_role("button", name="Not for each line").click()
    expect(page.locator("[data-row=step-1] .step-when")).to_have_count(0)


# --- what was understood ---------------------------------------------------------------------------------------------
def test_signs_are_left_out_and_taken_back_with_one_choice(teach) -> None:
    """S6.11: the row of the target is another one at once, with what was left out kept beside it."""
    page, _end, lesson = teach()
    page.locator("[data-row=step-1]").click()
    expect(page.locator("#panel-target")).to_contain_text("14 of 14 found")
    expect(page.locator("#panel-target")).to_contain_text("The label Rechercher beside it")
    page.select_option("[data-sign=named_by]", "left_out")
    expect(page.locator("li.left_out")).to_contain_text("The label")
    target = lesson.workflow.targets.get()
    assert "named_by" not in target.evidence
    page.select_option("[data-sign=named_by]", "needed")
    expect(page.locator("li.left_out")).to_have_count(0)
    target.refresh_from_db()
    assert target.evidence["needed"] == ["named_by"]
    assert target.evidence["named_by"]["text"] == "Rechercher"


def test_a_target_is_redrawn_on_the_picture_it_was_taught_on(teach) -> None:
    """S6.11: what shows by now may be another screen."""
    page, end, lesson = teach()
    lesson.steps.filter(index=1).update(picture_before=Node.objects.get().reference.digest)
    end.tell(rev=2)
    shown(page)
    page.locator("[data-row=step-1]").click()
    page.get_by_role("button", name="Show its place").click()
    expect(page.locator("#kept-picture")).to_be_visible()
    page.mouse.move(*at(page, 128, 80))
    page.mouse.down()
    page.mouse.move(*at(page, 256, 160), steps=3)
    page.mouse.up()
    message = sent(page, end, "redraw")[0]
    assert message["step"] == 1
    assert message["box"] == pytest.approx([0.1, 0.1, 0.1, 0.1], abs=0.004)
    expect(page.locator("#kept-picture")).to_be_hidden()
    page.get_by_role("button", name="Show its place").click()
    click(page, 640, 400)
    message = sent(page, end, "redraw", 2)[1]
    assert message["at"] == pytest.approx([0.5, 0.5], abs=0.004)
    assert end.of("act") == []


def test_a_step_is_moved_and_one_is_inserted_behind_it(teach) -> None:
    """S6.10"""
    page, end, lesson = teach()
    panel = page.locator("#panel-target")
    page.locator("[data-row=step-2]").click()
    expect(panel.get_by_role("button", name="Earlier")).to_be_enabled()
    panel.get_by_role("button", name="Earlier").click()
    wait_until(lambda: lesson.steps.get(index=2).edge.order == 0, what="the order")
    expect(panel.get_by_role("button", name="Earlier")).to_be_disabled()
    panel.get_by_role("button", name="Insert a step after it").click()
    assert sent(page, end, "insert") == [{"type": "insert", "after": 2}]
    end.tell(rev=2, inserts_after=2)
    expect(page.locator("#tool-hint")).to_contain_text("The next step is inserted after: Type “{{patient}}”")
    page.get_by_role("button", name="Stop inserting").click()
    assert sent(page, end, "insert", 2)[1] == {"type": "insert", "after": None}
    end.tell(rev=3)
    expect(page.locator("#tool-hint")).to_be_hidden()


def test_without_a_robot_a_step_is_shown_on_its_own_picture_and_changed(teach) -> None:
    """S6.16: what a robot reads waits for one, the rest does not."""
    page, _end, lesson = teach(lambda end: None)
    shown_on = Node.objects.get().reference.digest
    lesson.steps.filter(index=1).update(picture_before=shown_on, state="earlier", screen={"box": [0.1, 0.2, 0.3, 0.1]})
    Lesson.objects.update(state="waiting")
    page.reload()
    page.locator("[data-row=step-1]").click()
    expect(page.locator("#kept-picture")).to_have_attribute("src", re.compile(shown_on))
    expect(page.locator("#overlay .spot.chosen")).to_have_attribute("style", re.compile("left: 10%"))
    panel = page.locator("#panel-target")
    expect(panel.get_by_role("button", name="Insert a step after it")).to_be_disabled()
    panel.get_by_role("button", name="Delete the step").click()
    expect(page.locator("[data-row=step-1]")).to_have_count(0)
    assert Edge.objects.count() == 2


def test_a_value_that_is_new_is_a_variable_before_it_is_typed_and_the_keys_are_the_desktops_again(teach) -> None:
    """S6.1: where no variable was made yet a secret was all that could be typed; and nothing typed is no dead end."""
    page, end, _lesson = teach()
    click(page, 300, 186)
    page.get_by_role("button", name="Type a value").click()
    dialog = page.locator("#type-dialog")
    dialog.get_by_role("button", name="Cancel").click()
    expect(page.locator("#keys")).to_be_focused()
    page.keyboard.insert_text("b")
    assert sent(page, end, "type")[0]["text"] == "b"
    page.get_by_role("button", name="Type a value").click()
    dialog.get_by_label("Name of the value").fill("file_number")
    dialog.get_by_label("Here it is").fill("004711")
    dialog.get_by_role("button", name="Type this value").click()
    expect(dialog).to_be_hidden()
    assert [one["text"] for one in end.of("type")] == ["b", "004711"]
    assert Variable.objects.get(name="file_number").example == "004711"
    expect(page.locator("#keys-line")).to_contain_text("Keys go to the desktop")


def test_a_secret_is_made_one_before_it_is_typed(teach) -> None:
    """S6.1: it is in one message to the robot and on no page that stays."""
    page, end, _lesson = teach()
    click(page, 300, 186)
    page.get_by_role("button", name="Type a value").click()
    dialog = page.locator("#type-dialog")
    expect(dialog.get_by_role("button", name="{{patient}} LEFÈVRE Marie")).to_be_visible()
    dialog.get_by_label("Secret text").fill("hunter2-Azerty")
    dialog.get_by_role("button", name="Type it on the desktop").click()
    typed = sent(page, end, "type")[0]
    assert (typed["text"], typed["secret"]) == ("{{password}}", "hunter2-Azerty")
    assert Variable.objects.get(name="password").kind == "secret"
    assert "hunter2" not in page.content()
    expect(page.locator("#keys-line")).to_contain_text("Keys go to the desktop")


def test_a_field_that_was_opened_stays_while_the_robot_tells_more_of_the_step(teach) -> None:
    """S6.10: its proof comes a moment later, when somebody is about to write the name of a variable."""
    page, end, lesson = teach()
    page.locator(".step-button", has_text="Rechercher").first.click()
    page.locator(".step-button", has_text="{{patient}}").click()
    page.get_by_label("a variable").check()
    page.get_by_label("always this").check()
    page.get_by_label("a variable").check()
    typed = lesson.steps.get(index=2)
    typed.screen = {**typed.screen, "after": ["Note médicale", "Signed"]}
    typed.save()
    end.tell(rev=2)
    expect(page.locator("#panel-screen, #steps")).to_have_count(2)
    page.wait_for_timeout(200)
    field = page.get_by_label("Name of the variable")
    expect(field).to_be_focused()
    field.fill("who")
    page.locator("#panel-target .overline").first.click()
    page.get_by_role("button", name="Pause").focus()
    expect(page.locator("[data-chip='Signed']")).to_be_visible()


def test_a_form_is_saved_whatever_the_robot_tells_between_press_and_release(teach) -> None:
    """S6.10: news that draw the panel anew take neither the click nor what was written; nor does a refusal."""
    page, end, lesson = teach()
    page.locator("[data-row=step-3]").click()
    change = page.locator("[data-part=record] .link-button")
    save = page.locator(".identity-form button[type=submit]")
    revisions = iter((2, 3, 4))

    def press_while_told(button: Any, name: str) -> None:
        box = button.bounding_box()
        assert box
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        page.mouse.down()
        steps = draft_told(lesson)["steps"]
        end.tell(rev=next(revisions), steps=[{**steps[0], "sentence": name}, *steps[1:]])
        expect(page.locator("[data-row=step-1]")).to_contain_text(name)
        page.mouse.up()

    change.scroll_into_view_if_needed()
    press_while_told(change, "Search")
    value = page.get_by_label("Value that must be seen")
    page.route("**/steps/3/", lambda route: route.fulfill(status=409, json={"detail": "It is locked."}), times=1)
    value.fill("{{doctor}}")
    press_while_told(save, "Search for somebody")
    expect(page.locator("#question")).to_contain_text("It is locked.")
    expect(value).to_have_value("{{doctor}}")
    value.fill("{{patient}}")
    press_while_told(save, "Search for a patient")
    expect(page.locator("[data-part=record]")).to_contain_text("{{patient}}")
    expect(save).to_have_count(0)
    assert lesson.steps.get(index=3).edge.identity == [{"value": "{{patient}}"}]


@pytest.mark.parametrize(
    ("opens", "fills", "value"),
    [
        ("[data-part=record] .link-button", "Value that must be seen", "{{patient}}"),
        ("[data-key=only_if]", "Compared with", "Lefèvre"),
    ],
    ids=["record", "condition"],
)
def test_what_was_saved_is_there_for_whoever_changes_it_again_at_once(teach, opens, fills, value) -> None:
    """S6.10: else the second of two values is saved without the first."""
    page, _end, _lesson = teach()
    page.locator("[data-row=step-3]").click()
    page.locator(opens).click()
    page.get_by_label(fills).first.fill(value)
    page.evaluate(
        """opens => new MutationObserver((_, observer) => {
            const button = document.querySelector(opens);
            if (button) { observer.disconnect(); button.click(); document.body.id = "again"; }
        }).observe(document.querySelector("#panel-target"), { childList: true, subtree: true })""",
        opens,
    )
    page.locator("#panel-target form:has([type=submit]) >> visible=true").get_by_role("button", name="Save").click()
    expect(page.locator("body#again")).to_be_attached()
    expect(page.get_by_label(fills).first).to_have_value(value)


def test_texts_of_a_screen_and_its_areas_are_changed_on_the_page(teach) -> None:
    """S6.10: a press leaves a text out, data is crossed out, an area is drawn on the picture."""
    page, _end, _lesson = teach()
    page.click("#tab-screen")
    page.locator("[data-chip='File active']").click()
    expect(page.locator("[data-chip='File active']")).to_have_attribute("aria-pressed", "false")
    expect(page.locator(".chip.data")).to_have_text("BERNARD Chloé")
    page.get_by_role("button", name="Must be empty").click()
    page.mouse.move(*at(page, 128, 80))
    page.mouse.down()
    page.mouse.move(*at(page, 640, 160), steps=3)
    page.mouse.up()
    expect(page.locator(".region.must_not")).to_have_count(1)
    node = Node.objects.get(node_id="queue")
    assert node.texts == ["Rechercher"]
    kinds = [region["kind"] for region in node.regions]
    assert kinds == ["ignore", "must_not"]
    assert node.regions[1]["box"] == pytest.approx([0.1, 0.1, 0.4, 0.1], abs=0.004)
    page.get_by_label("Name of the screen").fill("Waiting list")
    page.keyboard.press("Tab")
    expect(page.locator("#steps .group-name strong").first).to_have_text("Waiting list")


# --- done ------------------------------------------------------------------------------------------------------------
def test_done_lists_what_is_left_to_mend_goes_there_and_publishes(teach) -> None:
    """S6.1: each thing with a button that goes there; then published, and the first run is offered."""
    page, _end, lesson = teach()
    page.click("#done")
    dialog = page.locator("#done-dialog")
    expect(dialog).to_contain_text("1 thing to mend before publishing")
    dialog.get_by_role("button", name=re.compile("Go there: No screen is marked as the end")).click()
    expect(dialog).not_to_be_visible()
    page.get_by_label("A run ends here").check()
    expect(page.locator("#problems-count")).to_be_hidden()
    page.click("#done")
    expect(dialog).to_contain_text("Ready to publish")
    dialog.get_by_role("button", name="Publish").click()
    expect(dialog).to_contain_text("Published as version 1")
    lesson.refresh_from_db()
    assert lesson.state == "done"
    assert lesson.workflow.versions.count() == 1
    dialog.get_by_role("link", name="Start the first run").click()
    page.wait_for_url(re.compile("/runs/new"))
    card = page.locator(".choice-card", has_text="suggested")
    expect(card.locator("input")).to_be_checked()


def test_what_publishing_changes_is_told_before_it(teach) -> None:
    """S6.10"""
    page, _end, lesson = teach()
    Node.objects.update(is_end=True)
    publish(workflow=lesson.workflow, user=lesson.teacher)
    page.locator("[data-row=step-3]").click()
    page.get_by_label("Keys", exact=True).fill("f5")
    page.keyboard.press("Tab")
    expect(page.locator("[data-row=step-3] .step-name")).to_contain_text("f5")
    page.locator("[data-row=step-1]").click()
    page.locator("#panel-target").get_by_label("Optional").check()
    expect(page.locator("#saving")).to_have_text("")
    page.click("#done")
    changes = page.locator("#done-dialog .changes")
    expect(changes).to_contain_text("What changes from version 1")
    expect(changes.locator("li")).to_have_count(2)
    expect(changes.locator(".was")).to_contain_text(["nothing of that", "enter"])
    expect(changes.locator(".now")).to_contain_text(["Optional", "f5"])
    page.get_by_label("What changed (optional)").fill("F5 it is")
    page.locator("#done-dialog").get_by_role("button", name="Publish").click()
    expect(page.locator("#done-dialog")).to_contain_text("Published as version 2")
    assert lesson.workflow.versions.get(number=2).note == "F5 it is"


def test_a_date_of_a_run_is_todays_with_one_press(page_of, designer) -> None:
    """S1.2: offered and not filled in: a day that nobody chose is not typed."""
    lesson = make_lesson(designer, state="done")
    Node.objects.update(is_end=True)
    Edge.objects.filter(edge_id="press_return").update(action_type="type_text", params={"text": "{{seen}}"})
    Variable.objects.create(workflow=lesson.workflow, name="seen", label="Seen on", kind="date")
    publish(workflow=lesson.workflow, user=designer)
    page = page_of(designer, "/runs/new")
    field = page.get_by_label("Seen on")
    expect(field).to_have_value("")
    page.get_by_role("button", name="Today").click()
    expect(field).to_have_value(page.evaluate("new Date().toLocaleDateString('sv')"))


# --- another workflow ------------------------------------------------------------------------------------------------
def test_another_workflow_is_noted_with_its_values_and_said_to_be_done(teach) -> None:
    from tests.workflows.test_calling import FIND

    make_published(**FIND)
    page, end, _lesson = teach()
    tool = page.locator("[data-tool=call_workflow]")
    if not tool.is_visible():
        page.locator("#more-tools").click()
    tool.click()
    page.get_by_label("Patient").fill("{{patient}}")
    page.get_by_label("What it reads as “total” is called here").fill("amount")
    assert Axe().run(page).response["violations"] == []
    page.get_by_role("button", name="Note it").click()
    told = sent(page, end, "call")[0]
    assert (told["workflow"], told["version"]) == ("find", 1)
    assert (told["values"], told["outputs"]) == ({"patient": "{{patient}}"}, {"total": "amount"})
    end.tell(rev=2, call={"index": 3, "sentence": "Do “find”, version 1"})
    expect(page.get_by_text("Nothing of that is kept.")).to_be_visible()
    page.get_by_role("button", name="Let the robot do it").click()
    assert sent(page, end, "call_robot")
    page.get_by_role("button", name="It is done: this screen comes after it").click()
    assert sent(page, end, "call_done")


def test_several_ways_are_put_in_order_with_the_keyboard(teach) -> None:
    """S6.13: the button that moved a way keeps the focus, so it is moved on by pressing again."""
    page, end, lesson = teach()
    two_ways(lesson)
    end.tell(rev=2, **draft_told(lesson))
    shown(page)
    page.get_by_role("tab", name="Screen").click()
    ways = page.locator(".ways-on li")
    expect(ways.last).to_contain_text("Elsewhere")
    count = ways.count()
    up = ways.last.get_by_role("button").first
    up.focus()
    for place in range(count - 2, -1, -1):
        page.keyboard.press("Enter")
        expect(ways.nth(place)).to_contain_text("Elsewhere")
        expect(page.locator(":focus")).to_have_attribute("data-way", "elsewhere")
    assert graph_of(lesson.workflow).outgoing("queue")[0].edge_id == "elsewhere"
    expect(ways.first.get_by_role("button").first).to_be_disabled()


def test_what_was_refused_on_the_desktop_is_no_word_against_publishing(teach) -> None:
    page, end, _lesson = teach()
    end.say(type="screen", node_id=None, name="", why="This screen was not there before.", state="new")
    expect(page.locator("#question-title")).to_have_text("A new screen: Screen without a name")
    end.say(type="trouble", text="Nothing of it is kept.")
    expect(page.locator("#question [role=alert]")).to_have_text("Nothing of it is kept.")
    page.click("#done")
    expect(page.locator("#done-title")).to_be_visible()
    expect(page.locator("#done-dialog [role=alert]")).to_have_count(0)


def test_a_step_says_by_what_it_is_read_back_and_that_it_changes_nothing(teach) -> None:
    """S5.9: what does something itself is not offered; its values are kept when their fields are left."""
    from tests.workflows.test_proofs import LOOK

    make_published(**LOOK)
    make_published(workflow_id="does", name="Does something")
    page, _end, lesson = teach()
    page.locator("[data-row=step-2]").click()
    which = page.locator("#panel-target [data-part=proof]")
    assert which.locator("option").all_inner_texts() == [
        "Nothing: what the screen shows is enough",
        "Look in the list, version 1",
    ]
    which.select_option("look")
    field = page.locator("#panel-target [data-value=who]")
    expect(field).to_have_attribute("placeholder", "{{who}}")
    field.fill("{{patient}}")
    field.press("Tab")
    page.get_by_label("Changes nothing").check()
    expect(page.get_by_label("Changes nothing")).to_be_checked()
    proof = {"workflow": "look", "version": 1, "values": {"who": "{{patient}}"}}
    kept = Edge.objects.filter(pk=lesson.steps.get(index=2).edge_id, effect_class="read")
    wait_until(lambda: [edge.proof for edge in kept.all()] == [proof], what="the proof and its values")
    expect(page.locator("#panel-target").get_by_text("Read back by", exact=True)).to_be_visible()
    assert Axe().run(page).response["violations"] == []
