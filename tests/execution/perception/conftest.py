from __future__ import annotations

import pytest

from execution.perception.ocr.rapidocr import RapidReader


@pytest.fixture(scope="session")
def reader() -> RapidReader:
    """The product's reader, its models loaded once for all tests."""
    return RapidReader()
