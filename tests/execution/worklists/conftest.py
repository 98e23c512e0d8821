from __future__ import annotations

from collections.abc import Iterator

import pytest
from aiosmtpd.controller import Controller

from tests.support.post import Caught, Mails, catching, free_port


@pytest.fixture
def mails() -> Iterator[tuple[Mails, str]]:
    handler = Mails()
    controller = Controller(handler, hostname="127.0.0.1", port=free_port())
    controller.start()
    try:
        yield handler, f"mailto://127.0.0.1:{controller.port}?from=robot@example.org&mode=insecure"
    finally:
        controller.stop()


@pytest.fixture
def catcher() -> Iterator[Caught]:
    with catching() as server:
        yield server
