"""What the product writes of itself: one line a refusal, and the place of a fault."""

from __future__ import annotations

import io
import logging
from collections.abc import Iterator
from typing import Any

import pytest
from django.http import HttpRequest
from django.test import Client
from django.urls import path

from rpa_site.urls import urlpatterns as real_urls

pytestmark = [pytest.mark.django_db, pytest.mark.urls(__name__), pytest.mark.security]


def fault(request: HttpRequest) -> Any:
    raise RuntimeError("a bug")


urlpatterns = [path("fault", fault), *real_urls]


@pytest.fixture
def written() -> Iterator[io.StringIO]:
    """What the console's handler writes."""
    (console,) = [one for one in logging.getLogger().handlers if type(one) is logging.StreamHandler]
    stream = io.StringIO()
    was = console.setStream(stream)
    yield stream
    if was is not None:
        console.setStream(was)


@pytest.mark.parametrize("url", ["/audit", "/teach/new", "/admin/auth/user/", "/account/password"])
def test_a_refusal_is_one_line(stranger: Any, client_of: Any, written: io.StringIO, url: str) -> None:
    client = client_of(stranger, raise_request_exception=False)
    status = client.get(url).status_code
    host = client.get("/", headers={"host": "evil.example"}).status_code
    lines = written.getvalue().splitlines()
    assert host == 400
    assert len(lines) == (status == 403) + 1
    assert not any("Traceback" in line for line in lines)


def test_a_fault_is_told_with_its_place(client: Client, viewer: Any, client_of: Any, written: io.StringIO) -> None:
    client_of(viewer, raise_request_exception=False).get("/fault")
    assert "RuntimeError: a bug" in written.getvalue()
    assert "in fault" in written.getvalue()
