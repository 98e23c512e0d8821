from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from execution.record.journal import Journal


@pytest.fixture
def journal(db: None, own_folder: None) -> Journal:
    """Of a run at work, which it owns; its pictures go to a folder of the test's own."""
    from tests.execution.record.journals import at_work  # models, which are not there yet when this file is read

    return at_work()
