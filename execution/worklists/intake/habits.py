"""What a spreadsheet leaves to the machine that shows it: decimal signs, names of months, the order of a short date."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Habits:
    """`months` and `days` are whole and short; days begin with Sunday, as a spreadsheet counts them. `short_date` is
    the format that stands for the machine's own, `truth` how TRUE and FALSE are shown."""

    decimal: str
    group: str
    months: tuple[tuple[str, str], ...]
    days: tuple[tuple[str, str], ...]
    short_date: str
    truth: tuple[str, str]


ENGLISH = Habits(
    decimal=".",
    group=",",
    months=(
        ("January", "Jan"), ("February", "Feb"), ("March", "Mar"), ("April", "Apr"), ("May", "May"), ("June", "Jun"),
        ("July", "Jul"), ("August", "Aug"), ("September", "Sep"), ("October", "Oct"), ("November", "Nov"),
        ("December", "Dec"),
    ),
    days=(
        ("Sunday", "Sun"), ("Monday", "Mon"), ("Tuesday", "Tue"), ("Wednesday", "Wed"), ("Thursday", "Thu"),
        ("Friday", "Fri"), ("Saturday", "Sat"),
    ),
    short_date="m/d/yyyy",
    truth=("TRUE", "FALSE"),
)  # fmt: skip
FRENCH = Habits(
    decimal=",",
    group=" ",
    months=(
        ("janvier", "janv."), ("février", "févr."), ("mars", "mars"), ("avril", "avr."), ("mai", "mai"),
        ("juin", "juin"), ("juillet", "juil."), ("août", "août"), ("septembre", "sept."), ("octobre", "oct."),
        ("novembre", "nov."), ("décembre", "déc."),
    ),
    days=(
        ("dimanche", "dim."), ("lundi", "lun."), ("mardi", "mar."), ("mercredi", "mer."), ("jeudi", "jeu."),
        ("vendredi", "ven."), ("samedi", "sam."),
    ),
    short_date="dd/mm/yyyy",
    truth=("VRAI", "FAUX"),
)  # fmt: skip
_OF_PRIMARY_LANGUAGE = {0x09: ENGLISH, 0x0C: FRENCH}  # the lower ten bits of a Windows language id


def habits_of(language: str) -> Habits:
    """Those of a reader of that language."""
    return FRENCH if language.startswith("fr") else ENGLISH


def named_by(language_id: int) -> Habits | None:
    """Whose names of months and days a format asks for; None where we do not know them."""
    return _OF_PRIMARY_LANGUAGE.get(language_id & 0x3FF)
