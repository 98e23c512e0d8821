"""What people and machines get wrong: refused with a sentence that says what, where and what to do."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from execution.models import Execution
from tests.factories import make_published

pytestmark = pytest.mark.django_db

COMMANDS = {
    "missing variable": (("--workflow", "wf_asking"), "Patient"),
    "no pair": (("--workflow", "wf_asking", "--var", "patient"), "name=value"),
}


@pytest.mark.parametrize(("arguments", "named"), COMMANDS.values(), ids=COMMANDS.keys())
def test_the_command_line_refuses_in_one_sentence_and_starts_nothing(arguments: tuple[str, ...], named: str) -> None:
    """S1.4"""
    make_published(workflow_id="wf_asking", variables=[{"name": "patient", "label": "Patient"}])
    with pytest.raises(CommandError, match=named) as refusal:
        call_command("runloop", *arguments, "--once", stdout=StringIO())
    assert refusal.value.returncode == 1
    assert not Execution.objects.exists()


def test_no_display_is_a_sentence_and_exit_code_2(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISPLAY", ":987")
    with pytest.raises(CommandError, match=":987") as refusal:
        call_command("runloop", "--once", stdout=StringIO())
    assert refusal.value.returncode == 2
