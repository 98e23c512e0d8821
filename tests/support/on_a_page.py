"""What tests need that act on a page in a real browser, on a desktop of their own."""

from __future__ import annotations

import pytest

from tests.support.display import missing_programs

IN_CHROMIUM = [
    pytest.mark.display,
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(bool(missing_programs("chromium")), reason="Xvfb, openbox and chromium are needed"),
]
ON_A_PAGE = [pytest.mark.usefixtures("own_folder"), pytest.mark.django_db(transaction=True), *IN_CHROMIUM]
