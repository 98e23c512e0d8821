"""Patients of a ward; two of them have nearly the same name."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Patient:
    name: str
    born: str
    number: str


PATIENTS = (
    Patient("BERNARD Chloé", "03/04/1971", "88120"),
    Patient("LEFÈVRE Marie", "12/09/1968", "77013"),
    Patient("NGUYEN Paul", "30/01/1990", "90121"),
    Patient("LEFEBVRE Marie", "21/11/1983", "77031"),
    Patient("ROSSI Anna", "08/06/1955", "66210"),
    Patient("DIALLO Ibrahim", "17/02/2001", "45907"),
)
