"""What the robots are taught: the order of one meal, the screen that says that it is not possible, and the way back."""

from __future__ import annotations

TAUGHT = ("0011870", "MOREAU Camille", "Low salt")
UNKNOWN = "0099999"  # a number that the program does not know
ORDER = f"""
workflow: Order a meal
begins_on: Open a stay
variables:
  stay: "{TAUGHT[0]}"
  patient: {TAUGHT[1]}
  diet: {{value: {TAUGHT[2]}, allowed: [Low salt, Soft food, Diabetic, Vegetarian, Clear soup]}}
steps:
  - type: "{{{{stay}}}}"
    into: Stay
    clear: true
    enter: true
    changes_nothing: true
    expect: Meals of the patient
    screen: Meals
  - type: "{{{{diet}}}}"
    into: Diet
    clear: true
    screen: Diet
  - click: Order
    identity: {{Number: "{{{{stay}}}}", Patient: "{{{{patient}}}}"}}
    expect: The order is kept
    screen: Kept
  - read: receipt
    at: Receipt
  - press: escape
    id: back
    changes_nothing: true
    expect: Open a stay
    screen: Open a stay
screens:
  Open a stay:
    ends: true
"""
# Told on the program as it stands after a number that it does not know; Escape leaves each of its screens.
BACK = f"""
workflow: Back to the search
begins_on: No such stay
steps:
  - press: escape
    changes_nothing: true
    expect: Open a stay
    screen: Open a stay
  - type: "{TAUGHT[0]}"
    into: Stay
    enter: true
    keep: false
    expect: Meals of the patient
    screen: Meals
  - press: escape
    changes_nothing: true
    expect: Open a stay
    screen: Open a stay
  - type: "{TAUGHT[0]}"
    into: Stay
    enter: true
    keep: false
    expect: Meals of the patient
    screen: Meals
  - click: Order
    keep: false
    expect: The order is kept
    screen: Kept
  - press: escape
    changes_nothing: true
    expect: Open a stay
    screen: Open a stay
screens:
  No such stay:
    known_by: [No such stay]
  Meals:
    known_by: [Meals of the patient]
    begins: true
  Kept:
    known_by: [The order is kept]
    begins: true
  Open a stay:
    ends: true
"""
# The page is loaded anew, whatever it shows: it begins at the search.
RELOADED = """
workflow: Back to the search
begins_on: Whatever shows
steps:
  - press: f5
    changes_nothing: true
    expect: Open a stay
    screen: Open a stay
screens:
  Whatever shows:
    known_by: [No such stay]
  Open a stay:
    ends: true
"""
# What a designer sets in the admin: an end that is not possible, and from where the way back is gone.
NOT_POSSIBLE = """
from workflows.actions.publish import publish
from workflows.models import Workflow
order = Workflow.objects.get(workflow_id="wf_order_a_meal")
order.nodes.create(
    node_id="unknown", name="No such stay", texts=["No such stay", "The number is not known."],
    is_end=True, is_common=True, exception="Stay not found",
)
publish(workflow=order, user=None, note="")
back = Workflow.objects.get(workflow_id="wf_back_to_the_search")
back.already_at_end_is_fine = True
{more}
back.save()
publish(workflow=back, user=None, note="")
"""
# All messages of the program in Tk are windows of one title; the page is known by the title of its window alone.
ANY_MESSAGE = 'back.popups = [{"name": "Message", "window_title": "Message", "keys": "escape"}]'
ANY_PAGE = "back.nodes.filter(is_entry=True).update(texts=[], reference=None)"
WAYS_BACK = {"tk": (BACK, ANY_MESSAGE), "web": (RELOADED, ANY_PAGE)}  # its story, and what is set besides
MESSAGES = ("finished", "person_needed", "stopped", "left", "robot_away", "missed_start", "no_file", "file_refused")
# As an admin enters an address, and an operator makes a rule of it.
TOLD = """
import json
from execution.worklists.actions.telling import keep_rule
from workflows import vault
from workflows.models import Address, AddressKind
from workflows.secret import Secret
ward = Address(name="Ward", kind=AddressKind.WEBHOOK)
vault.seal(ward, Secret(json.dumps({{"url": "http://127.0.0.1:{port}/in", "secret": "{secret}"}})))
ward.save()
keep_rule(abouts={abouts}, address="Ward", zone="UTC")
"""
