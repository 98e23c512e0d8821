"""Who may go where: every URL and every socket route of the product, for everybody (S10.1, S10.2).

The table below names the role that each route takes. A route without a row fails, whatever it answers; so does one that
answers somebody whom its row does not name.
"""

from __future__ import annotations

import gc
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from channels.routing import URLRouter
from django.contrib import admin as admin_site
from django.core.files.base import ContentFile
from django.db import transaction
from django.template.response import SimpleTemplateResponse
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, resolve

from execution.actions.teach import open_lesson
from execution.behind.old import files
from execution.choices import EventKind, ExecutionState, PromptKind
from execution.models import (
    CorrectionPack,
    DriftWatch,
    Execution,
    ExecutionEvent,
    IncomingWebhook,
    Job,
    LearnedCorrection,
    NoticeMessage,
    NoticeRule,
    Prompt,
    Prototype,
    Replay,
    Robot,
    Schedule,
    Step,
    WorkItem,
    Worklist,
)
from execution.running.live_picture import path_of
from execution.stream.routing import websocket_urlpatterns
from gpu.api import operations
from gpu.types import Request, RequestKind
from rpa_site.models import TokenScope
from rpa_site.roles import Role, permissions_of
from rpa_site.tokens import make_token
from tests.factories import make_execution, make_picture, make_published
from tests.support.learned import taught_in
from tests.support.sockets import Closed, Socket, session_of
from workflows.models import Address, Credential, CredentialUse, TrustChange

ROOT = Path(__file__).resolve().parents[1]
READS = ("get", "head", "options")
WRITES = ("post", "put", "patch", "delete")
ORDER = [None, *Role]  # a stranger, then the roles, each with the rights of the one before it

# Open to all, with the reason.
OPEN = {
    "health": "says whether the product works, for those who watch over it (S5.7)",
    "login": "the way in",
    "set_language": "a choice of words",
}
# Open to whoever is logged in, role or not.
OWN = {
    "logout": "the way out",
    "account": "one's own tokens",
    "account_password": "one's own password",
    "script_catalogue": "the texts of the scripts, on every page",
    "account_token_revoke": "one's own tokens; those of others are not found there",
}
# The same two of the admin.
ADMIN_OPEN, ADMIN_OWN = set[str](), {"admin/logout/"}

# What the others take: to read, to write (None: nothing is written there).
VIEW, OPERATE, DESIGN, ADMIN = Role
TABLE: dict[str, tuple[Role | None, Role | None]] = {
    "api_schema": (VIEW, None),
    "api_docs": (VIEW, None),
    "api_workflows": (VIEW, DESIGN),
    "api_workflow": (VIEW, None),
    "api_workflow_problems": (VIEW, None),
    "api_workflow_needs": (VIEW, DESIGN),
    "api_workflow_publish": (None, DESIGN),
    "api_version_publish": (None, DESIGN),
    "api_workflow_export": (VIEW, None),
    "api_gpu_status": (VIEW, None),
    "analytics": (VIEW, None),
    "analytics_runs": (VIEW, None),
    "analytics_steps": (VIEW, None),
    "analytics_workflow": (VIEW, None),
    "analytics_hand_time": (None, DESIGN),
    "metrics": (VIEW, None),
    "audit": (ADMIN, None),
    "audit_export": (ADMIN, None),
    "analytics_storage": (VIEW, None),
    "analytics_storage_measure": (None, ADMIN),
    "analytics_prune": (None, ADMIN),
    "analytics_figures": (None, ADMIN),
    "analytics_retention": (None, ADMIN),
    "analytics_hold": (None, OPERATE),
    "api_analytics_export": (VIEW, None),
    "model_use": (VIEW, None),
    "api_model_use": (VIEW, None),
    "api_gpu_samples": (VIEW, None),
    "api_gpu_requests": (None, OPERATE),
    "api_gpu_request": (VIEW, None),
    "api_executions": (VIEW, OPERATE),
    "api_execution": (VIEW, None),
    "api_execution_waiting": (VIEW, None),
    "api_execution_progress": (VIEW, None),
    "api_execution_coaching_stats": (VIEW, None),
    "api_execution_capture_stats": (VIEW, None),
    "api_workflow_coaching_stats": (VIEW, None),
    "api_execution_steps": (VIEW, None),
    "api_execution_step": (VIEW, None),
    "api_execution_events": (VIEW, None),
    "api_execution_prompt": (VIEW, None),
    "api_execution_decide": (None, OPERATE),
    "api_execution_hold": (None, OPERATE),
    "api_execution_confirm": (None, OPERATE),
    "api_execution_control": (None, OPERATE),
    "api_execution_assistant": (OPERATE, OPERATE),
    "api_execution_assistant_new": (None, OPERATE),
    "api_assistant": (OPERATE, None),
    "api_progress": (VIEW, None),
    "api_prompts": (VIEW, None),
    "api_robots": (VIEW, None),
    "api_robot_maintenance": (None, OPERATE),
    "api_robot_tags": (None, DESIGN),
    "api_corrections": (VIEW, None),
    "api_corrections_merge": (None, DESIGN),
    "api_correction": (VIEW, None),
    "api_correction_decide": (None, DESIGN),
    "api_correction_choose": (None, DESIGN),
    "api_correction_teach": (None, DESIGN),
    "api_prototypes": (VIEW, None),
    "api_prototype_reset": (None, DESIGN),
    "api_replays": (VIEW, OPERATE),
    "api_replay": (VIEW, None),
    "api_replay_stop": (None, OPERATE),
    "api_replay_differences": (VIEW, None),
    "api_lists": (VIEW, OPERATE),
    "api_list": (VIEW, None),
    "api_list_control": (None, OPERATE),
    "api_list_results": (VIEW, None),
    "api_list_rows": (VIEW, OPERATE),
    "api_list_change": (None, OPERATE),
    "api_list_row": (VIEW, None),
    "api_list_webhooks": (VIEW, OPERATE),
    "api_list_webhook": (VIEW, OPERATE),
    "api_webhook_called": (None, None),  # a signature is asked for, and no login counts
    "api_notice_rules": (VIEW, OPERATE),
    "api_notice_rule": (VIEW, OPERATE),
    "api_notice_rule_test": (None, OPERATE),
    "api_notice_messages": (VIEW, None),
    "api_notice_message_try": (None, OPERATE),
    "api_list_events": (VIEW, None),
    "api_list_schedules": (VIEW, OPERATE),
    "api_list_schedule": (VIEW, OPERATE),
    "api_lessons": (None, DESIGN),
    "api_lesson": (DESIGN, None),
    "api_execution_remember_dialog": (None, DESIGN),
    "api_lesson_changes": (DESIGN, None),
    "api_lesson_end": (None, DESIGN),
    "api_lesson_publish": (None, DESIGN),
    "api_lesson_workflow": (None, DESIGN),
    "api_lesson_screen": (None, DESIGN),
    "api_lesson_step": (None, DESIGN),
    "api_lesson_remove_step": (None, DESIGN),
    "api_lesson_variable": (None, DESIGN),
    "api_lesson_remove_variable": (None, DESIGN),
    "api_lesson_resume": (None, DESIGN),
    "teach_new": (DESIGN, DESIGN),
    "teach_mend": (DESIGN, DESIGN),
    "teach": (DESIGN, None),
    "workflows": (VIEW, DESIGN),
    "workflow": (VIEW, None),
    "workflow_publish": (None, DESIGN),
    "version_publish": (None, DESIGN),
    "workflow_export": (VIEW, None),
    "workflow_call": (None, DESIGN),
    "learning": (VIEW, None),
    "learning_promote": (None, DESIGN),
    "learning_ask": (None, DESIGN),
    "learning_take_back": (None, DESIGN),
    "learning_begin_anew": (None, DESIGN),
    "runs": (VIEW, None),
    "run_start": (OPERATE, OPERATE),
    "run": (VIEW, None),
    "run_snapshot": (VIEW, None),
    "run_frame": (VIEW, None),
    "run_screen": (VIEW, None),
    "run_pause_screen": (VIEW, None),
    "run_film": (VIEW, None),
    "run_stretch": (VIEW, None),
    "run_step": (VIEW, None),
    "run_told": (VIEW, None),
    "run_pause": (VIEW, None),
    "run_pause_told": (VIEW, None),
    "run_compare": (VIEW, None),
    "lists": (VIEW, None),
    "list": (VIEW, None),
    "list_control": (None, OPERATE),
    "list_rows": (None, OPERATE),
    "list_add": (OPERATE, OPERATE),
    "list_new": (OPERATE, OPERATE),
    "list_results": (VIEW, None),
    "list_when": (VIEW, None),
    "list_when_change": (None, OPERATE),
    "list_tell": (None, OPERATE),
    "list_called": (None, OPERATE),
    "texts": (VIEW, None),
    "corrections": (VIEW, None),
    "correction": (VIEW, None),
    "corrections_merge": (DESIGN, DESIGN),
    "correction_rule": (None, DESIGN),
    "correction_choose": (None, DESIGN),
    "correction_teach": (None, DESIGN),
    "replays": (VIEW, OPERATE),
    "replay": (VIEW, None),
    "replay_stop": (None, OPERATE),
    "training": (DESIGN, None),
    "training_export": (None, DESIGN),
    "training_again": (None, DESIGN),
    "training_file": (DESIGN, None),
    "run_export": (VIEW, None),
    "step_export": (VIEW, None),
    "api_execution_mark": (None, OPERATE),
    "picture_part": (VIEW, None),
    "picture_scene": (VIEW, OPERATE),
    "pictures_beside": (VIEW, OPERATE),
    "picture": (VIEW, None),
    "robots": (VIEW, None),
    "robot_maintenance": (None, OPERATE),
    "robot_tags": (None, DESIGN),
    "robot_frame": (VIEW, None),
}
ADMIN_OF = re.compile(r"^admin/(auth|rpa_site|workflows/credential|workflows/credentialuse)/")

SOCKETS = {"ws_execution": VIEW, "ws_runs": VIEW, "ws_teach": DESIGN, "ws_control": OPERATE}


# --- the routes -----------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Route:
    pattern: str  # as in the URL configuration
    name: str
    path: str  # with real objects in it

    @property
    def is_admin(self) -> bool:
        return self.pattern.startswith("admin/")

    def is_open(self, *, to_stranger: bool = True) -> bool:
        """Open to all, or to whoever has a login."""
        if self.is_admin:
            return self.pattern in ADMIN_OPEN or (to_stranger and self.pattern in ADMIN_OWN)
        return self.name in OPEN or (to_stranger and self.name in OWN)

    def needs(self, method: str) -> Role | None:
        """The role it takes; None where nobody has business with that method."""
        if self.is_admin:
            return ADMIN if ADMIN_OF.match(self.pattern) else DESIGN
        reading, writing = TABLE[self.name]
        return reading if method in READS else writing

    def written_by(self) -> str:
        """The first method that writes there."""
        view = getattr(resolve(self.path).func, "cls", None)
        return next((method for method in WRITES if view is None or hasattr(view, method)), "post")


def routes(objects: dict[str, Any] | None = None) -> list[Route]:
    return list(_walk(get_resolver().url_patterns, "", objects or {}))


def _walk(patterns: list[Any], prefix: str, objects: dict[str, Any]) -> Iterator[Route]:
    for pattern in patterns:
        route = prefix + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from _walk(pattern.url_patterns, route, objects)
        elif isinstance(pattern, URLPattern):
            yield Route(route, pattern.name or "", "/" + _filled(route, objects))


def _filled(route: str, objects: dict[str, Any]) -> str:
    """The route with a real object in the place of each parameter."""
    of_model = re.match(r"admin/(\w+)/(\w+)/<", route)
    here = dict(objects)
    if "/versions/<" in route:
        here["number"] = objects.get("version", 1)
    if of_model:
        here["object_id"] = here["id"] = here["pk"] = objects.get("admin", {}).get(of_model.groups(), 1)
    filled = re.sub(r"<(?:\w+:)?(\w+)>(?!\[|\()", lambda m: str(here.get(m[1], "1")), route.replace("(?P<", "(<"))
    filled = re.sub(r"\(1\w+(?:\|\w+)+\)", "workflows", filled)
    filled = re.sub(r"\(1\.\*\)", "nowhere/", filled)
    return filled.replace("^", "").replace("$", "")


@pytest.fixture
def world(make_user: Any) -> dict[str, Any]:
    """One of everything that a route can name."""
    version = make_published()
    name = "host:1"
    robot = Robot.objects.create(name=name, desktop=name, host="host", pid=1)
    run = make_execution(version=version, state=ExecutionState.WAITING_COACHING, desktop=name, robot=robot)
    picture = make_picture()
    step = Step.objects.create(execution=run, index=1, epoch=0, mode=run.mode, picture_before=picture.digest)
    Prompt.objects.create(execution=run, step=step, kind=PromptKind.COACHING, message="?", picture=picture.digest)
    stood = {"status": "paused", "pause_detail": {"picture": picture.digest}}
    ExecutionEvent.objects.create(execution=run, seq=900, kind=EventKind.STATE, payload=stood)
    DriftWatch.objects.create(pk=1, workflow=version.workflow, kind="screen", name="empty_note")
    TrustChange.objects.create(pk=1, workflow=version.workflow, was="COACHING", state="OBSERVATION")
    Credential.objects.create(name="ward", username="ada", ciphertext="sealed")
    CredentialUse.objects.create(credential="ward", reason="a test")
    make_token(make_user("program"), name="report", scope=TokenScope.READ, days=1)
    path_of(name).parent.mkdir(parents=True, exist_ok=True)
    path_of(name).write_bytes(b"picture")
    pack = CorrectionPack.objects.create(workflow=version.workflow)
    learned = LearnedCorrection.objects.create(
        pack=pack, kind="params", edge_id="open_save", of={"keys": "ctrl+s"}, payload={"params": {"keys": "f2"}},
        version_number=version.number, taught_as=taught_in(version, "params", "open_save"),
    )  # fmt: skip
    vector = np.array([1.0, 0.0], "<f4").tobytes()
    Prototype.objects.create(workflow=version.workflow, node_id="empty_note", model="eye", number=1, vector=vector)
    registered = admin_site.site._registry
    first = {(m._meta.app_label, m._meta.model_name): m._default_manager.first() for m in registered}
    return {
        "execution_id": run.execution_id,
        "worklist_id": (worklist := _list_with_row(version.workflow, learned.pk)).worklist_id,
        "schedule_id": Schedule.objects.create(worklist=worklist, zone="UTC", weekdays=[0]).schedule_id,
        "hook_id": IncomingWebhook.objects.create(worklist=worklist, address=(address := _address())).hook_id,
        "rule_id": (rule := NoticeRule.objects.create(address=address, abouts=["finished"], zone="UTC")).rule_id,
        "message_id": NoticeMessage.objects.create(
            rule=rule, about="test", step="first", subject="?", body="?"
        ).message_id,
        "request_id": operations.keep(Request(kind=RequestKind.CLIP_TO_CPU), Future()).id,
        "workflow_id": run.workflow_id,
        "lesson_id": open_lesson(
            workflow=version.workflow, robot=None, user=make_user("teacher", "designer")
        ).lesson_id,
        "node_id": "empty_note",
        "index": 1,
        "number": learned.pk,
        "version": version.number,
        "replay_id": Replay.objects.create(workflow=version.workflow).replay_id,
        "job_id": Job.objects.create(
            kind="training", state="done", place={"file": files().save("export.zip", ContentFile(b"PK"))}
        ).job_id,
        "pause": 900,
        **dict.fromkeys(("digest", "taught", "seen"), picture.digest),
        "name": name,
        "content_type_id": 1,
        "what": "runs",
        "kind": "csv",
        "admin": {key: row.pk for key, row in first.items() if row is not None},
    }


def _address() -> Address:
    return Address.objects.create(name="Ward", ciphertext="sealed")


def _list_with_row(workflow: Any, number: int) -> Worklist:
    worklist = Worklist.objects.create(name="Letters", workflow=workflow, columns=["Patient"])
    WorkItem.objects.create(worklist=worklist, number=number, reference="Ada", data={"Patient": "Ada"})
    return worklist


@cache
def browser_of(**options: Any) -> Client:
    return Client(raise_request_exception=False, **options)


def answer(route: Route, method: str, session_key: str = "", **client: Any) -> tuple[int, str]:
    """Status and where it leads; whatever it changed is undone."""
    browser = browser_of(**client)  # one for all: each new one sets all middleware up anew
    browser.cookies.clear()
    if session_key:
        browser.cookies["sessionid"] = session_key
    with transaction.atomic():
        response = getattr(browser, method)(route.path)
        if response.streaming:
            response.getvalue()  # to its end, which closes the file
        transaction.set_rollback(True)
    return response.status_code, response.headers.get("Location", "")


def is_shut(status: int, place: str) -> bool:
    """Refused, or sent to the login."""
    return status in (401, 403, 404, 405) or (status == 302 and "/login" in place)


def is_refused(status: int, place: str) -> bool:
    return status in (401, 403) or (status == 302 and "/login" in place)


# --- the table ------------------------------------------------------------------------------------------------------
def test_every_route_has_a_row_that_says_who_may_go_there():
    """A new route is decided about, not forgotten."""
    known = {*OPEN, *OWN, *TABLE}
    names = {route.name for route in routes() if not route.is_admin}
    assert names - known == set()
    assert known - names == set(), "rows of routes that are no more"


def test_every_path_of_the_walk_leads_to_the_route_it_was_made_from(db, world):
    """Else the walk would knock at doors that are not there, and find them shut."""
    for route in routes(world):
        found = get_resolver().resolve(route.path)
        assert (found.url_name or "") == route.name, route
        assert found.route.replace("^", "") == route.pattern.replace("^", ""), route


# --- pages, API, admin ----------------------------------------------------------------------------------------------
@pytest.mark.django_db
@pytest.mark.parametrize(
    ("who", "method"),
    [(who, m) for who in ("stranger", "nobody", "inactive") for m in ("get", "post")]
    + [pytest.param("stranger", m, marks=pytest.mark.slow) for m in READS + WRITES if m not in ("get", "post")],
)
def test_nothing_is_open_to_whoever_has_no_login_or_no_role(world, make_user, who, method):
    """S10.1"""
    session_key = ""
    if who != "nobody":
        person = make_user(who, "admin" if who == "inactive" else "")
        session_key = session_of(person)
        type(person).objects.filter(pk=person.pk).update(is_active=who == "stranger")
    told = {r: answer(r, method, session_key) for r in routes(world) if not r.is_open(to_stranger=who == "stranger")}
    assert {route.path: said for route, said in told.items() if not is_shut(*said)} == {}


@pytest.mark.django_db
@pytest.mark.parametrize("role", list(Role))
def test_each_role_reads_what_its_row_names_and_nothing_else(world, make_user, role):
    """S10.1"""
    session_key = session_of(make_user("zoe", role.value))
    wrong = {}
    for route in routes(world):
        if route.is_admin or route.is_open():
            continue
        needed = route.needs("get")
        said = answer(route, "get", session_key)
        may = needed is not None and ORDER.index(role) >= ORDER.index(needed)
        if (may and said[0] != 200) or (not may and not is_shut(*said)):
            wrong[route.path] = (needed, said)
    assert wrong == {}


@pytest.mark.django_db
@pytest.mark.parametrize("role", list(Role))
def test_each_role_writes_where_its_row_says_and_nowhere_else(world, make_user, role):
    """S10.1"""
    session_key = session_of(make_user("zoe", role.value))
    wrong = {}
    for route in routes(world):
        if route.is_admin or route.is_open():
            continue
        needed = route.needs("post")
        said = answer(route, route.written_by(), session_key)
        may = needed is not None and ORDER.index(role) >= ORDER.index(needed)
        if (may and (is_shut(*said) or said[0] >= 500)) or (not may and not is_shut(*said)):
            wrong[route.path] = (needed, said)
    assert wrong == {}


@pytest.fixture
def undrawn(monkeypatch):
    """The pages of the admin decide and are not drawn: that they can be is seen where all of them are, test_queries."""
    monkeypatch.setattr(SimpleTemplateResponse, "rendered_content", "")


@pytest.mark.django_db
@pytest.mark.parametrize("method", ["get", "post"])
@pytest.mark.parametrize("role", list(Role))
def test_the_admin_is_for_designers_and_its_users_for_admins(world, make_user, undrawn, role, method):
    """S8.4, S10.1"""
    session_key = session_of(make_user("zoe", role.value))
    wrong = {}
    for route in routes(world):
        if not route.is_admin or route.is_open():
            continue
        said = answer(route, method, session_key)
        may = ORDER.index(role) >= ORDER.index(route.needs(method))
        if said == (302, f"{route.path}change/"):
            continue  # an old address, which leads to one that is walked as well
        # A designer's own pages may still be refused one by one: versions and corrections are not written by hand.
        if (not may and not is_shut(*said)) or said[0] >= 500:
            wrong[route.path] = said
    assert wrong == {}
    may_enter = "workflows.change_workflow" in permissions_of(role)
    assert is_refused(*answer(Route("admin/", "index", "/admin/"), "get", session_key)) is not may_enter


@pytest.mark.django_db
@pytest.mark.parametrize("every", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_no_write_is_taken_without_its_token(world, make_user, every):
    """A page elsewhere cannot make an admin's browser do anything (CSRF)."""
    person = make_user("ada", "admin")
    type(person).objects.filter(pk=person.pk).update(is_superuser=True)
    session_key = session_of(person)
    told = {
        (route.path, method): answer(route, method, session_key, enforce_csrf_checks=True)[0]
        for route in routes(world)
        for method in (WRITES if every else [route.written_by()])
    }
    assert {place: status for place, status in told.items() if status != 403} == {}


@pytest.mark.django_db
def test_what_is_open_tells_a_stranger_nothing_of_the_runs(world):
    run = Execution.objects.get()
    for route in routes(world):
        if route.name in OPEN and not route.is_admin:
            page = Client().get(route.path).content.decode()
            assert run.execution_id not in page
            assert run.version.workflow.name not in page


# --- sockets --------------------------------------------------------------------------------------------------------
def socket_paths(world: dict[str, Any]) -> dict[str, str]:
    named = {pattern.name: str(pattern.pattern) for pattern in websocket_urlpatterns if pattern.name}
    return {name: "/" + re.sub(r"<(?:\w+:)?(\w+)>", lambda m: str(world[m[1]]), path) for name, path in named.items()}


def test_every_socket_route_has_a_row_and_the_application_has_no_other():
    import rpa_site.asgi  # noqa: F401  makes the application, whose router is looked for

    named = [pattern for pattern in websocket_urlpatterns if pattern.name]
    assert {pattern.name for pattern in named} == set(SOCKETS)
    assert websocket_urlpatterns[:-1] == named, "the last one refuses what is no socket, and has no name"
    routers = [thing for thing in gc.get_objects() if type(thing) is URLRouter]
    assert [router.routes for router in routers] == [websocket_urlpatterns]


@pytest.fixture
def keys(transactional_db: None, world: dict[str, Any], make_user: Any) -> dict[str, str]:
    """A session of everybody; nobody's is empty."""
    people = {role.value: session_of(make_user(role.value, role.value)) for role in Role}
    inactive = make_user("gone", "admin")
    people["inactive"] = session_of(inactive)
    type(inactive).objects.filter(pk=inactive.pk).update(is_active=False)
    return {**people, "stranger": session_of(make_user("stranger")), "nobody": "", "forged": "x" * 32}


async def first_word(path: str, **options: Any) -> Any:
    """What a socket says first: the type of a message, or the code it is closed with; "handshake" if it is none."""
    try:
        async with Socket(path, **options) as socket:
            return (await socket.hear())["type"]
    except Closed as closed:
        return closed.code


@pytest.mark.asyncio
@pytest.mark.parametrize("name", sorted(SOCKETS))
async def test_each_socket_is_for_those_whom_its_row_names(world, keys, name):
    """S10.2"""
    path = socket_paths(world)[name]
    told = {who: await first_word(path, session_key=key) for who, key in keys.items()}
    expected: dict[str, Any] = {"nobody": 4401, "forged": 4401, "inactive": 4401, "stranger": 4403}
    needed = ORDER.index(SOCKETS[name])
    word = {"ws_execution": "snapshot", "ws_runs": "runs", "ws_teach": 4409, "ws_control": 4409}[
        name
    ]  # it is another person's
    expected |= {role.value: word if ORDER.index(role) >= needed else 4403 for role in Role}
    assert told == expected


FOREIGN = {
    "none": None,
    "null": "null",
    "empty": "",
    "elsewhere": "https://evil.example",
    "look-alike in front": "http://evillocalhost",
    "look-alike behind": "http://localhost.evil.example",
    "name before an at sign": "http://localhost@evil.example",
    "another port": "http://localhost:9999",
    "another name of this machine": "http://127.0.0.1",
    "a file": "file://localhost",
    "no scheme": "localhost",
    "a trailing dot": "http://localhost.:80",
    "a port that is none": "http://localhost:99999",
    "an extension": "chrome-extension://localhost",
}


async def is_let_in(path: str, **options: Any) -> bool:
    """Whether the handshake is accepted, whatever is said after it."""
    try:
        async with Socket(path, **options):
            return True
    except Closed:
        return False


@pytest.mark.asyncio
@pytest.mark.parametrize("name", sorted(SOCKETS))
async def test_a_page_from_elsewhere_opens_no_socket_even_for_an_admin(world, keys, name):
    """S10.2: cross-site hijacking of the stream."""
    path = socket_paths(world)[name]
    assert await is_let_in(path, session_key=keys["admin"])
    told = {kind: await is_let_in(path, session_key=keys["admin"], origin=origin) for kind, origin in FOREIGN.items()}
    let_in = [kind for kind, accepted in told.items() if accepted]
    assert let_in == []


@pytest.mark.asyncio
async def test_a_name_that_was_rebound_to_this_machine_opens_no_socket(world, keys):
    """DNS rebinding: origin and host agree, and neither is ours."""
    foreign = {"session_key": keys["admin"], "origin": "http://evil.example", "host": "evil.example"}
    assert [name for name, path in socket_paths(world).items() if await is_let_in(path, **foreign)] == []


@pytest.mark.asyncio
async def test_the_port_belongs_to_the_origin(world, keys):
    path = socket_paths(world)["ws_runs"]
    key = keys["viewer"]
    assert await first_word(path, session_key=key, origin="http://localhost:5005", host="localhost:5005") == "runs"
    assert await first_word(path, session_key=key, origin="https://localhost", host="localhost") == "runs"


@pytest.mark.asyncio
async def test_there_is_no_socket_elsewhere(keys):
    paths = ("/", "/ws/", "/ws/elsewhere/", "/ws/executions/", "/ws/executions/a/b/", "/runs/new", "/ws/runs")
    assert [path for path in paths if await is_let_in(path, session_key=keys["admin"])] == []


def test_the_server_does_not_start_where_any_host_is_allowed():
    """With `*` every page's origin would do."""
    env = {**os.environ, "RPA_ALLOWED_HOSTS": "*", "RPA_DEBUG": "0"}
    done = subprocess.run(
        [sys.executable, "-c", "import rpa_site.asgi"],
        cwd=ROOT,
        env=env,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode != 0
    assert "RPA_ALLOWED_HOSTS holds *" in done.stderr
