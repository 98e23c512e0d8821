from __future__ import annotations

from typing import Any

import pytest
from django.utils import timezone

from execution.assistant.briefing import RunBriefer
from execution.assistant.questions import understood
from execution.choices import ExecutionState, Outcome, PauseReason, PromptKind, StepPhase
from execution.models import Execution, Prompt
from gpu.assistant.said import Said
from gpu.assistant.kept import Kept
from tests.execution.assistant.runs import answer, click, make_asking, make_failed, make_step, screen
from tests.execution.assistant.test_answers import ask
from tests.factories import EDGES, VARIABLES, make_execution, make_published

pytestmark = pytest.mark.django_db


def test_a_run_that_does_not_exist() -> None:
    b = ask("Which step of run 987654 failed?", make_failed())
    print(b.answer)
    assert "987654" in b.answer and b.steps == ()


@pytest.mark.parametrize(("text", "steps"), [
    ("Why did step number 2 fail?", (2,)), ("étape numéro 2 ?", (2,)), ("step no. 2?", (2,)), ("what about step two?", (2,)),
    ("l'étape deux ?", (2,)), ("steps 2 to 4", (2, 3, 4)), ("steps 2-4", (2, 3, 4)), ("étapes 2 à 4", (2, 3, 4)),
    ("what did step 99999999999 do?", (99999999999,)), ("étape n° 2", (2,)), ("step nº2", (2,)), ("step -2", (2,)), ("the 12th step", (12,)), ("step: 4", (4,)),("step (4)", (4,)),
    ("the eleventh step", (11,)), ("step 2, 3 and 4", (2,3,4)),
])
def test_numbers(text, steps):
    assert understood(text).steps == steps


def test_first_failed():
    run = make_failed()
    make_step(run, 5, Outcome.FAILED, node_id="save_dialog", message="x")
    make_step(run, 6, node_id="save_dialog", message="x")
    for text, step in (("What was the first step that failed?", 4), ("the last step that failed?", 5), ("Quelle est la première étape qui a échoué ?", 4), ("la dernière étape en échec ?", 5), ("What was the last failed step?", 5),
      ("the second to last step?", 5), ("avant-dernière étape ?", 5), ("the next to last step", 5), ("the last but one step", 5), ("did the last step fail?", 6)):
        b = ask(text, run)
        print(text, b.steps, b.answer)
    for text, step in (("What was the first step that failed?", 4), ("the last step that failed?", 5), ("Quelle est la première étape qui a échoué ?", 4), ("la dernière étape en échec ?", 5), ("What was the last failed step?", 5),
      ("the second to last step?", 5), ("avant-dernière étape ?", 5), ("the next to last step", 5), ("did the last step fail?", 6)):
        assert ask(text, run).steps[:1] == (step,), text


@pytest.mark.parametrize("text", ["Did the next step fail?", "What was on the screen at the next step?", "Why did it click there at the next step?", "Draft a correction for the next step", "who corrected the next step?", "how long did the next step take?"])
def test_which_without(text):
    for run, earlier in ((make_failed(), (4,)), (make_asking(PromptKind and None).execution, ())):
        b = ask(text, run, earlier=earlier)
        print(repr(b.answer))
        assert b.answer
        assert "taken no step" not in b.answer


def test_correct_other_step():
    b = ask("Correct step 1: click “Cancel”", make_asking().execution)
    print(b.answer)
    assert "about step 2" in b.answer


def test_how_long_step():
    b = ask("How long did step 2 take?", make_failed())
    print(b.answer)
    assert "2.40" in b.answer and b.steps == (2,)


def test_state_of_step():
    b = ask("Why did it wait at step 2?", make_failed())
    print(b.answer)
    assert 2 in b.steps


@pytest.mark.parametrize("text", ["Which step was skipped?", "Which steps were skipped?", "Quelle étape a été ignorée ?", "quelles étapes ont été sautées ?"])
def test_skipped(text):
    b = ask(text, make_failed())
    print(b.answer)
    assert 3 in b.steps and 2 not in b.steps


@pytest.mark.parametrize("text", ["Which step was retried?", "Was any step tried again?", "Quelle étape a été réessayée ?"])
def test_retried(text):
    b = ask(text, make_failed())
    print(b.answer)
    assert b.steps == (4,)


def odd() -> Execution:
    run = make_failed()
    make_step(run, 5, Outcome.INTERRUPTED, node_id="save_dialog")
    make_step(run, 6, Outcome.REJECTED, node_id="save_dialog")
    make_step(run, 7, "", phase=StepPhase.INTENT, in_doubt=True, ended_at=None, node_id="save_dialog", sentence="Click “Save”")
    make_step(run, 8, Outcome.SUCCEEDED, node_id="save_dialog")
    return run


@pytest.mark.parametrize(("text", "step"), [("Which step was interrupted?", 5), ("which step was rejected?", 6), ("Quelle étape a été rejetée ?", 6), ("which step is in doubt?", 7), ("quelle étape est en doute ?", 7), ("which step was not carried out?", 5), ("Quelle étape a été interrompue ?", 5)])
def test_odd(text, step):
    b = ask(text, odd())
    print(b.answer)
    assert b.steps[:1] == (step,)


def test_in_doubt():
    run = make_execution()
    make_step(run, 1, node_id="empty_note")
    s = make_step(run, 2, "", phase=StepPhase.INTENT, in_doubt=True, ended_at=None, node_id="save_dialog", sentence="Click “Save”")
    Execution.objects.filter(pk=run.pk).update(state=ExecutionState.PAUSED)
    Prompt.objects.create(execution=run, step=s, kind=PromptKind.IN_DOUBT, message="Was it done?")
    for t in ("Which step failed?", "quelle étape a échoué ?", "what did it do at step 2?", "Why is it paused?", "correct it", "What happened?"):
        b = ask(t, run)
        print(t, "->", b.steps, b.answer)
        assert 2 in b.steps
    assert "doubt" in ask("what did it do at step 2?", run).answer


def test_earlier_of_other_run():
    k = Kept(index=0, role="assistant", content="x", references=({"step": 4, "run": "exec_b"},))
    assert k.steps == ()


@pytest.mark.parametrize(("name", "label"), [("userPassword", ""), ("motDePasse", ""), ("code", "Password:"), ("code", "Code (PIN)"), ("accessToken", ""), ("code", "Mot de passe :"), ("passcode", ""), ("codePIN", ""), ("code", "Clé secrète"), ("code", "Code d’accès secret"), ("x", "Jeton"), ("authToken2", ""), ("PASSWORD", ""), ("code", "Mot de passe"), ("code", "Kennwort"), ("pw", ""),("otp","")])
def test_secret_names(name, label):
    variables = [*VARIABLES, {"name": name, "label": label or name, "default": "", "required": False}]
    run = make_failed(version=make_published(variables=variables, edges=EDGES), variables={"patient": "Ada", name: "hunter2!"})
    b = ask("hello", run)
    assert "hunter2!" not in str(b.data)


@pytest.mark.parametrize("name", ["passenger", "pinned", "compass", "patient", "spin", "tokenizer", "keypad", "opinion", "pinboard", "bypass_road"])
def test_not_secret(name):
    run = make_failed(version=make_published(variables=[*VARIABLES, {"name": name, "label": name, "default": "", "required": False}], edges=EDGES), variables={"patient": "Ada", name: "shown"})
    assert "shown" in str(ask("hello", run).data)


def test_deep_proposal():
    s = Said({1}, unknown="x")
    s.feed('ok\nCORRECTION {"a":' + "[" * 100000 + "]" * 100000 + "}")
    s.rest()
    assert s.proposal is None


def test_redos():
    import time
    s = Said({1}, unknown="x")
    t = time.monotonic()
    s.feed("step 1" + " " * 20000 + "x.")
    s.rest()
    took = time.monotonic() - t
    assert took < 1, took


def test_masked_prompt() -> None:
    from tests.execution.assistant.runs import FIELD
    version = make_published(edges=EDGES, masks=[FIELD])
    p = make_asking(version=version)
    p.message = "Type over “Ada Martin”?"
    p.save()
    Execution.objects.filter(pk=p.execution_id).update(pause_detail={"message": "saw Ada Martin"})
    b = ask("why this target?", p.execution)
    import json
    d = {k: v for k, v in b.data.items() if k != "steps"}
    d["run"].pop("values")
    assert "Ada Martin" not in str(d), d


def test_asked_secret():
    run = make_failed(version=make_published(variables=[*VARIABLES, {"name": "password", "label": "p", "default": "", "required": False}], edges=EDGES), variables={"patient": "Ada", "password": "hunter2!"})
    b = ask("what if hunter2! was wrong?", run)
    assert "hunter2!" not in str(b.data) + b.answer
