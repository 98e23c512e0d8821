"""What is tried: what goes wrong, what may have been done in the end, and which class of acts it is about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """`may` are the acts that are right, in their order; `ends`: whether the run may come to its end.

    `asked_at`: the run asks about everything; while it asks about that act the fault comes, and then it is accepted.
    """

    about: str
    fault: str
    may: tuple[str, ...] = ("open", "save", "sign")
    ends: bool = True
    order: str = ""  # of the list: "", "turned", "without"
    asked_at: str = ""


ALL = ("open", "save", "sign")
CASES: Sequence[Case] = (
    Case(about="plain run", fault=""),
    Case(about="A1 optimistic message", fault="optimistic", may=("open", "save"), ends=False),
    Case(about="A2 a leap ahead", fault="saved_at_start", may=(), ends=False),
    Case(about="A2 a leap ahead", fault="already_there", may=("open", "save"), ends=False),
    Case(about="A2 another's record is open", fault="other_record_open", may=(), ends=False),
    Case(about="A3 the end at the start", fault="end_at_start", may=(), ends=False),
    Case(about="A4 the list in another order", fault="", order="turned"),
    Case(about="A4 the record is not in the list", fault="", order="without", may=(), ends=False),
    Case(about="A5 the neighbour's record opens", fault="neighbour", may=("open",), ends=False),
    Case(about="A6 the message was there before", fault="stale_message", may=("open", "save"), ends=False),
    Case(about="A7 the focus goes elsewhere", fault="steals_focus", may=("open",), ends=False),
    Case(about="A7 the wrong field has the focus", fault="wrong_label", may=("open",), ends=False),
    Case(about="A8 a dialog over the list", fault="dialog_on_list", may=(), ends=False),
    Case(about="A8 a dialog over the record", fault="dialog_on_record", may=("open",), ends=False),
    Case(about="A8 a dialog after the save", fault="conflict", may=("open", "save"), ends=False),
    Case(about="A8 a status bar that ticks", fault="ticking"),
    Case(about="A8 a status bar that talks", fault="autosaves"),
    Case(about="A1 the save fails", fault="save_500", may=("open", "save"), ends=False),
    Case(about="A1 the save times out", fault="save_timeout", may=("open", "save"), ends=False),
    Case(about="A1 nobody knows of the save", fault="save_unknown", may=("open", "save"), ends=False),
    Case(about="A1 the save says nothing", fault="save_silent", may=("open", "save"), ends=False),
    Case(about="A1 the save never ends", fault="spinner_for_ever", may=("open", "save"), ends=False),
    Case(about="A1 a field is required", fault="required", may=("open", "save"), ends=False),
    Case(about="A1 slow save", fault="save_slow_2"),
    Case(about="A1 slow save", fault="save_slow_6"),
    Case(about="A1 slow save", fault="save_slow_15"),
    Case(about="A1 the message goes", fault="message_goes"),
    Case(about="A4 the page moves", fault="layout_moves"),
    Case(about="A1 slow page", fault="open_slow"),
    Case(about="A10 a dialog while it asks", fault="asked_dialog", asked_at="save", may=("open",), ends=False),
    Case(about="A10 another record while it asks", fault="asked_other", asked_at="save", may=("open",), ends=False),
    Case(about="A10 the list while it asks", fault="asked_list", asked_at="sign", may=("open", "save"), ends=False),
    Case(about="A10 done by hand while it asks", fault="by_hand", asked_at="save", may=("open", "save"), ends=False),
)
