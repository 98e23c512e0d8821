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
    Case(about="outcome: optimistic message", fault="optimistic", may=("open", "save"), ends=False),
    Case(about="leap: a leap ahead", fault="saved_at_start", may=(), ends=False),
    Case(about="leap: a leap ahead", fault="already_there", may=("open", "save"), ends=False),
    Case(about="leap: another's record is open", fault="other_record_open", may=(), ends=False),
    Case(about="end: the end at the start", fault="end_at_start", may=(), ends=False),
    Case(about="order: the list in another order", fault="", order="turned"),
    Case(about="order: the record is not in the list", fault="", order="without", may=(), ends=False),
    Case(about="neighbour: the neighbour's record opens", fault="neighbour", may=("open",), ends=False),
    Case(about="stale: the message was there before", fault="stale_message", may=("open", "save"), ends=False),
    Case(about="focus: the focus goes elsewhere", fault="steals_focus", may=("open",), ends=False),
    Case(about="focus: the wrong field has the focus", fault="wrong_label", may=("open",), ends=False),
    Case(about="dialog: a dialog over the list", fault="dialog_on_list", may=(), ends=False),
    Case(about="dialog: a dialog over the record", fault="dialog_on_record", may=("open",), ends=False),
    Case(about="dialog: a dialog after the save", fault="conflict", may=("open", "save"), ends=False),
    Case(about="dialog: a status bar that ticks", fault="ticking"),
    Case(about="dialog: a status bar that talks", fault="autosaves"),
    Case(about="outcome: the save fails", fault="save_500", may=("open", "save"), ends=False),
    Case(about="outcome: the save times out", fault="save_timeout", may=("open", "save"), ends=False),
    Case(about="outcome: nobody knows of the save", fault="save_unknown", may=("open", "save"), ends=False),
    Case(about="outcome: the save says nothing", fault="save_silent", may=("open", "save"), ends=False),
    Case(about="outcome: the save never ends", fault="spinner_for_ever", may=("open", "save"), ends=False),
    Case(about="outcome: a field is required", fault="required", may=("open", "save"), ends=False),
    Case(about="outcome: slow save", fault="save_slow_2"),
    Case(about="outcome: slow save", fault="save_slow_6"),
    Case(about="outcome: slow save", fault="save_slow_15"),
    Case(about="outcome: the message goes", fault="message_goes"),
    Case(about="order: the page moves", fault="layout_moves"),
    Case(about="outcome: slow page", fault="open_slow"),
    Case(about="asked: a dialog while it asks", fault="asked_dialog", asked_at="save", may=("open",), ends=False),
    Case(about="asked: another record while it asks", fault="asked_other", asked_at="save", may=("open",), ends=False),
    Case(about="asked: the list while it asks", fault="asked_list", asked_at="sign", may=("open", "save"), ends=False),
    Case(about="asked: done by hand while it asks", fault="by_hand", asked_at="save", may=("open", "save"), ends=False),
)
