"""A form in a browser: taught once on the page, sent with other values; its receipt is read (S6.1, S6.12)."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path

import cv2
import pytest
from playwright.sync_api import Browser

from execution.language.fuzzy import folded
from execution.perception.analyzer import ScreenAnalyzer
from execution.types import Frame, pixels_digest
from tests.e2e.request_page import Site, shown_as, site
from tests.support.eyes import patient_analyzer
from tests.support.page_teacher import page_teacher
from tests.support.product import Product, product
from tests.support.run_ends import run

pytestmark = [pytest.mark.display, pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(600)]

TAUGHT = {
    "patient": "LEFÈVRE Marie",
    "examination": "Ultrasound",
    "urgency": "Today",
    "day": "2026-12-31",
    "remark": "Allergic to latex, please call first.",
}
URGENCIES = {"Today": "today", "This week": "week", "Later": "later"}  # as the page sends them


@pytest.fixture(scope="module")
def web() -> Iterator[Site]:
    with site() as one:
        yield one


@pytest.fixture(scope="module")
def taught(tmp_path_factory: pytest.TempPathFactory, web: Site, browser: Browser) -> Iterator[Product]:
    """An installation to which it was shown once how a request is sent."""
    with product(tmp_path_factory.mktemp("product")) as one:
        one.start_runloop()
        with shown_as(one.screen, web, "K-48213"), page_teacher(one, browser, patient_analyzer()) as teacher:
            teacher.begin(one, "Send a request")
            teacher.adds_variable("examination", TAUGHT["examination"])
            teacher.adds_variable("urgency", TAUGHT["urgency"])
            teacher.adds_variable("day", TAUGHT["day"], kind="date")
            teacher.fills("Patient", TAUGHT["patient"], "patient")
            teacher.sets("choose", teacher.field("Examination"), option=TAUGHT["examination"])
            teacher.sets("choose", teacher.place("Today"), option=TAUGHT["urgency"])
            teacher.sets("pick_date", teacher.field("Wanted on"), date=TAUGHT["day"], format="fr")
            teacher.sets("set_state", teacher.place("Isolation needed"), state="on")
            teacher.fills("Remark", TAUGHT["remark"], "remark")
            teacher.click("Send the request")
            teacher.waits_for("Request sent")
            teacher.knows_screen("The request was sent")
            teacher.reads("K-48213", "receipt")
            teacher.publish()
            assert web.sent == [sent("K-48213", TAUGHT)]
        yield one


def sent(receipt: str, values: dict[str, str]) -> dict[str, str]:
    """What the page sends of such values."""
    return {
        "name": values["patient"],
        "phone": "",
        "kind": values["examination"],
        "urgency": URGENCIES[values["urgency"]],
        "day": date.fromisoformat(values["day"]).strftime("%d/%m/%Y"),
        "isolated": "yes",
        "remark": values["remark"],
        "receipt": receipt,
    }


def values(patient: str, examination: str, urgency: str, day: str, remark: str) -> dict[str, str]:
    return {"patient": patient, "examination": examination, "urgency": urgency, "day": day, "remark": remark}


@pytest.mark.core
def test_what_was_said_is_sent_and_the_receipt_is_read(taught: Product, web: Site) -> None:
    wanted = values("Anna Rossi", "Blood count", "This week", "1954-03-02", "None")
    with shown_as(taught.screen, web, "R-90021"):
        found = run(taught, "wf_send_a_request", **wanted)
        assert found.is_finished, found.told
        assert web.sent == [sent("R-90021", wanted)]
        assert found.values == {"receipt": "R-90021"}


@pytest.mark.parametrize(
    ("wanted", "size", "at"),
    [
        (values("O'Brien, Zoë", "X-ray of the chest", "Later", "2027-01-31", "Line one"), (1200, 740), (0, 0)),
        (values("LEFEBVRE Marie-Ève", "Ultrasound", "Today", "2026-02-28", "100 % «urgent»"), (820, 760), (300, 20)),
        (values("D’ALMEIDA João", "Electrocardiogram", "Later", "2028-02-29", "He is afraid."), (900, 620), (330, 140)),
        (TAUGHT, (900, 400), (200, 200)),
    ],
    ids=["larger", "narrower", "elsewhere", "cut off"],
)
def test_in_another_window_the_same_is_sent_or_it_is_asked(
    taught: Product, web: Site, wanted: dict[str, str], size: tuple[int, int], at: tuple[int, int]
) -> None:
    with shown_as(taught.screen, web, "R-30-B", size=size, at=at):
        found = run(taught, "wf_send_a_request", **wanted)
        assert found.is_finished or found.asks, found.told
        assert web.sent == ([sent("R-30-B", wanted)] if found.is_finished else []), found.told


SECRET = "Tr0ubadour-Zebra"


@pytest.mark.security
def test_a_secret_that_is_typed_while_teaching_is_in_no_row_picture_log_or_export(
    taught: Product, web: Site, browser: Browser, tmp_path: Path
) -> None:
    """S6.1, S10.4: in a field that shows in clear what is typed into it; it is searched for."""
    reader = patient_analyzer()
    with shown_as(taught.screen, web, "K-9"), page_teacher(taught, browser, reader) as teacher:
        teacher.begin(taught, "Send a secret")
        teacher.enters("Telephone")
        teacher.types_secret("telephone_code", SECRET)
        teacher.fills("Patient", "Anna Rossi", "patient")
        teacher.click("Send the request")
        teacher.waits_for("Request sent")
        teacher.knows_screen("The request was sent")
        teacher.publish()
        assert [one["phone"] for one in web.sent] == [SECRET], "it was typed, and arrived"
        assert SECRET not in teacher.page.content()
    export = tmp_path / "export.zip"
    taught.manage("export_workflow", "wf_send_a_secret", str(export))
    with zipfile.ZipFile(export) as bundle:
        assert not [name for name in bundle.namelist() if SECRET.encode() in bundle.read(name)]
    files = [path for path in taught.data.rglob("*") if path.is_file()]
    assert not [path for path in files if SECRET.encode() in path.read_bytes()]
    pictures = [path for path in files if path.suffix == ".png"]
    said = {path: folded(" ".join(texts_in(reader, path))) for path in pictures}
    assert any("rossi" in text for text in said.values()), "what is no secret is read in them"
    assert not [path for path, text in said.items() if "zebra" in text or "ubadour" in text]


def texts_in(reader: ScreenAnalyzer, path: Path) -> list[str]:
    """What the product reads in a picture that it stored."""
    pixels = cv2.imread(str(path))
    frame = Frame(pixels=pixels, taken_at=datetime.now(UTC), digest=pixels_digest(pixels))
    return [line.text for line in reader.analyze(frame, None).texts]
