from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.core.exceptions import PermissionDenied
from django.db import OperationalError
from django.http import Http404, HttpRequest, HttpResponse
from django.test import Client, RequestFactory
from django.urls import path
from rest_framework import serializers
from rest_framework.response import Response
from rest_framework.views import APIView

from execution.exceptions import AlreadyDecided, MissingVariable
from rpa_site.errors import render_calmly
from rpa_site.urls import urlpatterns as real_urls

pytestmark = [pytest.mark.django_db, pytest.mark.urls(__name__)]


RAISED: dict[str, Exception] = {
    "decided": AlreadyDecided("zoe was first: accept.", choice="accept", decided_by="zoe"),
    "missing": MissingVariable("Give a value to: patient.", ("patient",)),
    "forbidden": PermissionDenied("workflows.publish_workflow"),
    "plain-forbidden": PermissionDenied(),
    "busy": OperationalError("database is locked"),
    "broken": OperationalError("no such table: x"),
    "gone": Http404("There is no such thing."),
    "fault": RuntimeError("a bug"),
    "deep": serializers.ValidationError({"variables": {"patient": ["May not be blank."]}}),
    "flat": serializers.ValidationError(["Send an object."]),
    "detail": serializers.ValidationError({"detail": "One.", "more": "Two."}),
}


def page(request: HttpRequest, what: str) -> HttpResponse:
    raise RAISED[what]


class Api(APIView):
    read_permission = write_permission = "execution.view_execution"

    def get(self, request: Any, what: str) -> Response:
        raise RAISED[what]

    def post(self, request: Any, what: str) -> Response:
        return Response(request.data)


urlpatterns = [path("raise/<str:what>", page), path("api/raise/<str:what>", Api.as_view()), *real_urls]


@pytest.fixture
def client(client_of: Callable[..., Client], viewer: Any) -> Client:
    return client_of(viewer)


# --- pages ----------------------------------------------------------------------------------------------------------
def test_a_refusal_is_a_page_with_its_status_and_its_sentence(client: Client) -> None:
    response = client.get("/raise/decided")
    assert response.status_code == 409
    assert "zoe was first: accept." in response.content.decode()
    assert "error.html" in [template.name for template in response.templates]


def test_a_page_says_which_role_it_takes(client: Client) -> None:
    """S10.1"""
    response = client.get("/raise/forbidden")
    assert response.status_code == 403
    assert "designer" in response.content.decode()


def test_a_busy_database_asks_to_try_again(client: Client) -> None:
    """C.2"""
    response = client.get("/raise/busy")
    assert response.status_code == 503
    assert response["Retry-After"] == "5"
    assert "The database is busy. Try again in a few seconds." in response.content.decode()


def test_an_error_page_that_needs_the_busy_database_itself_becomes_plain_words(
    rf: RequestFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    def locked(*args: Any, **kwargs: Any) -> HttpResponse:
        raise OperationalError("database is locked")

    monkeypatch.setattr("rpa_site.errors.render", locked)
    response = render_calmly(rf.get("/"), {"message": "The database is busy."}, status=503)
    assert (response.status_code, response.content) == (503, b"The database is busy.")
    assert response["Content-Type"].startswith("text/plain")


@pytest.mark.parametrize("path", ["/raise/broken", "/raise/fault", "/api/raise/fault"])
def test_a_fault_stays_a_fault(client: Client, path: str) -> None:
    """A missing table or a bug is not put in kind words: it is a 500 and a line in the log."""
    with pytest.raises(type(RAISED[path.rpartition("/")[2]])):
        client.get(path)


def test_a_page_answers_in_json_to_whoever_asks_for_json(client: Client) -> None:
    response = client.get("/raise/decided", headers={"accept": "application/json"})
    assert (response.status_code, response.json()) == (
        409,
        {
            "error": "already_decided",
            "detail": "zoe was first: accept.",
            "choice": "accept",
            "decided_by": "zoe",
            "source": "coach",
            "origin": "",
            "decided_at": None,
        },
    )


def test_the_words_are_those_of_the_persons_language(client: Client) -> None:
    """S8.5"""
    client.cookies["django_language"] = "fr"
    response = client.get("/raise/forbidden", headers={"accept": "application/json"})
    assert response.status_code == 403
    assert response["Content-Language"] == "fr"


# --- API ------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("what", "status", "body"),
    [
        (
            "missing",
            422,
            {"error": "missing_variable", "detail": "Give a value to: patient.", "variables": ["patient"]},
        ),
        (
            "forbidden",
            403,
            {
                "error": "permission_denied",
                "detail": "This needs the role “designer”; an admin can give it to you.",
            },
        ),
        ("busy", 503, {"error": "database_busy", "detail": "The database is busy. Try again in a few seconds."}),
        (
            "deep",
            400,
            {
                "error": "invalid",
                "detail": "variables: May not be blank.",
                "fields": {"variables": {"patient": ["May not be blank."]}},
            },
        ),
        ("flat", 400, {"error": "invalid", "detail": "Send an object."}),
    ],
)
def test_every_refusal_of_the_api_has_a_code_and_a_sentence(
    client: Client, what: str, status: int, body: dict[str, Any]
) -> None:
    """S8.3"""
    response = client.get(f"/api/raise/{what}")
    assert (response.status_code, response.json()) == (status, body)


@pytest.mark.parametrize(
    ("what", "status", "code"), [("gone", 404, "not_found"), ("plain-forbidden", 403, "permission_denied")]
)
def test_djangos_own_errors_have_a_code_too(client: Client, what: str, status: int, code: str) -> None:
    response = client.get(f"/api/raise/{what}")
    assert response.status_code == status
    assert response.json()["error"] == code
    assert isinstance(response.json()["detail"], str)


def test_a_field_that_happens_to_be_named_detail_hides_no_other(client: Client) -> None:
    assert set(client.get("/api/raise/detail").json()["fields"]) == {"detail", "more"}


def test_a_role_that_is_missing_is_named(client_of: Callable[..., Client], stranger: Any) -> None:
    """S10.1"""
    response = client_of(stranger).get("/api/raise/gone")
    assert response.status_code == 403
    assert response.json() == {
        "error": "permission_denied",
        "detail": "This needs the role “viewer”; an admin can give it to you.",
    }


@pytest.mark.parametrize(
    ("language", "body", "words"),
    [
        ("en", b'{\n "a" 1}', "The request is no JSON that can be read: look at line 2, column 6."),
        ("fr", b"{", "La demande n’est pas du JSON lisible\u00a0: voyez la ligne 1, colonne 2."),
        ("fr", b"\xff", "Requête malformée"),
        ("en", b'{"a\\ud800b": 1}', "A text in this request holds half of a character."),
        ("fr", b'{"a": ["\\ud800"]}', "Un texte de cette requête contient une moitié de caractère."),
    ],
)
def test_a_body_that_cannot_be_read_is_told_in_the_reader_s_words(
    client: Client, language: str, body: bytes, words: str
) -> None:
    answer = client.generic(
        "POST", "/api/raise/nothing", body, "application/json", headers={"accept-language": language}
    )
    assert answer.status_code == 400
    assert answer.json()["error"] == "parse_error"
    assert answer.json()["detail"].startswith(words)
