"""S10.3, S10.4: which values are secret is told by the names of variables, in English and French, however written."""

from __future__ import annotations

import pytest

from execution.assistant.run_records import RunRecords
from execution.models import Execution
from tests.execution.assistant.runs import FIELD, make_asking, typing
from tests.factories import EDGES, VARIABLES, make_execution, make_published
from workflows.graph import VariableSpec
from workflows.models import WorkflowVersion
from workflows.secret_names import holds_secret


def told(run: Execution, text: str = "hello") -> str:
    said = RunRecords().answer(text, about=run.execution_id, language="en")
    return f"{said.asked} {said.answer} {said.without_model} {said.data} {said.draft}"


def with_password() -> WorkflowVersion:
    variables = [*VARIABLES, {"name": "password", "label": "x", "default": "", "required": False}]
    return make_published(variables=variables, edges=EDGES)


@pytest.mark.parametrize("name", [
    "password", "PASSWORD", "userPassword", "userpassword", "motDePasse", "mot_de_passe", "accessToken", "authToken2",
    "passcode", "codePIN", "pin", "pw", "otp", "API_KEY", "apiKey", "apikey2", "client-secret", "mdp",
])  # fmt: skip
def test_a_name_tells(name: str) -> None:
    assert holds_secret(VariableSpec(name=name, label="x"))


@pytest.mark.parametrize("label", [
    "Password:", "Code (PIN)", "Mot de passe :", "Clé secrète", "Code d’accès", "Jeton", "Kennwort", "PIN/OTP",
])  # fmt: skip
def test_a_label_tells(label: str) -> None:
    assert holds_secret(VariableSpec(name="code", label=label))


@pytest.mark.parametrize("name", [
    "passenger", "pinned", "compass", "spin", "tokenizer", "keypad", "opinion", "secretary", "bypassRoad", "key",
])  # fmt: skip
def test_a_name_that_only_looks_like_it_does_not(name: str) -> None:
    assert not holds_secret(VariableSpec(name=name, label=name))


@pytest.mark.django_db
def test_a_secret_in_a_question_goes_no_further() -> None:
    run = make_execution(version=with_password(), variables={"patient": "Ada", "password": "hunter2!"})
    said = told(run, "what if hunter2! or hunter3 was wrong?")
    assert "hunter2!" not in said and "hunter3" in said


@pytest.mark.django_db
def test_a_secret_is_not_drafted() -> None:
    run = make_asking(typing(), version=with_password(), variables={"patient": "Ada", "password": "hunter2!"}).execution
    assert "hunter2!" not in told(run, "/correct hunter2!")
    assert "hunter3" in told(run, "/correct hunter3")


@pytest.mark.django_db
def test_what_messages_quote_of_a_masked_region_is_hidden() -> None:
    prompt = make_asking(version=make_published(edges=EDGES, masks=[FIELD]), variables={"patient": "Bob"})
    prompt.message = "Type over “Ada Martin”?"
    prompt.save()
    prompt.execution.pause_detail = {"message": "saw Ada Martin"}
    prompt.execution.save()
    data = RunRecords().answer("why this target?", about=prompt.execution.execution_id, language="en").data
    assert data["open_question"]["message"] == "Type over “•••”?"
    assert data["run"]["pause_message"] == "saw •••"
