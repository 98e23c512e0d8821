"""The models there are to choose from: a file with every error named, the rows, the admin (S4.1)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import OperationalError
from django.urls import reverse

from gpu.catalogue import SEED, ModelEntry, allowed_elsewhere, entries, fill_catalogue, find, load, read, read_file
from gpu.choices import ProviderName, Tier
from gpu.exceptions import CatalogueErrors, UnknownModel
from gpu.model_manager import hold
from gpu.models import CatalogueModel
from gpu.runtime import DatabaseThread
from rpa_site.roles import Role, permissions_of

GOOD = """\
models:
  - key: small          # line 2
    name: tiny:1b
    capabilities: [text, json]
    tier: light
    vram_mb: 1500
    ram_mb: 1200
    context_length: 8192
    note: "Quick."
  - key: seeing
    name: eyes-7b
    provider: openai
    capabilities: [text, vision]
    tier: strong
    vram_mb: 7000
    ram_mb: 7000
    context_length: 32768
    enabled: no
    note:
"""


def problems(text: str) -> list[tuple[int, str]]:
    with pytest.raises(CatalogueErrors) as wrong:
        read(text, source="models.yaml")
    return list(wrong.value.problems)


def spoiled(line: int, instead: str) -> str:
    lines = GOOD.splitlines()
    lines[line - 1] = instead
    return "\n".join(lines)


# --- a file ---------------------------------------------------------------------------------------------------------
def test_a_file_is_read_into_models() -> None:
    small, seeing = read(GOOD, source="models.yaml")
    assert small == ModelEntry(
        key="small", name="tiny:1b", capabilities=frozenset({"text", "json"}), tier=Tier.LIGHT, vram_mb=1500,
        ram_mb=1200, context_length=8192, note="Quick.",
    )  # fmt: skip
    assert (seeing.provider, seeing.enabled, seeing.note) == (ProviderName.OPENAI, False, "")


WRONG = {
    "a key with a blank": (2, "  - key: a b", "key: This value does not match the required pattern."),
    "no name": (3, "    name:", "name: This field may not be blank."),
    "an endless name": (3, "    name: " + "x" * 201, "name: Ensure this field has no more than 200 characters."),
    "an unknown capability": (4, "    capabilities: [text, smell]", "capabilities: \"smell\" is not a valid choice."),
    "no text among them": (4, "    capabilities: [vision]", "capabilities: Every model here answers in text"),
    "a capability in a list of its own": (4, "    capabilities: [text, [json]]", "is not a valid choice."),
    "an unknown tier": (5, "    tier: huge", "tier: \"huge\" is not a valid choice."),
    "negative memory": (6, "    vram_mb: -5", "vram_mb: Ensure this value is greater than or equal to 0."),
    "half a megabyte": (7, "    ram_mb: 1.5", "ram_mb: A valid integer is required."),
    "hardly a context": (8, "    context_length: 100", "Ensure this value is greater than or equal to 512."),
    "a note that is a list": (9, "    note: [a]", "note: Not a valid string."),
    "an unknown field": (9, "    colour: red", "colour: This field is not known here. Known are: key, name, provider"),
    "a field twice": (9, "    tier: light", "a field that is given twice"),
    "a key that is taken": (10, "  - key: small", "key: “small” is taken by the model in line 2"),
    "an unknown provider": (12, "    provider: cloud", "provider: \"cloud\" is not a valid choice."),
    "neither yes nor no": (18, "    enabled: maybe", "enabled: Must be a valid boolean."),
    "what only an admin may allow": (18, "    allow_remote: yes", "allow_remote: This field is not known here."),
    "a tag that makes objects": (3, "    name: !!python/object/apply:os.system ['echo']", "name: Not a valid string."),
}  # fmt: skip


@pytest.mark.parametrize(("line", "instead", "words"), WRONG.values(), ids=WRONG)
def test_each_error_is_named_with_its_line(line: int, instead: str, words: str) -> None:
    """S4.1: bad input."""
    found = problems(spoiled(line, instead))
    assert [at for at, _words in found] == [line], found
    assert words in found[0][1]


def test_a_missing_field_is_named_with_the_line_of_its_model() -> None:
    without = "\n".join(line for line in GOOD.splitlines() if "tier: strong" not in line and "name: eyes" not in line)
    assert problems(without) == [(10, "name: This field is required."), (10, "tier: This field is required.")]


def test_one_name_at_one_provider_is_one_model() -> None:
    twice = GOOD.replace("eyes-7b", "tiny:1b").replace("    provider: openai\n", "")
    assert problems(twice) == [(11, "name: “tiny:1b” is taken by the model in line 3")]
    assert len(read(GOOD.replace("eyes-7b", "tiny:1b"), source="here")) == 2, "at another provider it is another one"


def test_all_errors_come_at_once() -> None:
    text = spoiled(4, "    capabilities: [smell]").replace("vram_mb: 7000", "vram_mb: -1").replace("light", "none")
    assert [line for line, _words in problems(text)] == [4, 5, 15]
    with pytest.raises(CatalogueErrors) as wrong:
        read(text, source="models.yaml")
    assert str(wrong.value).splitlines()[0].startswith("models.yaml:4: capabilities: ")


MODELS = "must hold `models:` and a list of models"
NO_CATALOGUE = {
    "nothing": ("", 0, MODELS),
    "a list": ("- key: a\n", 0, MODELS),
    "another field": ("\nmodel:\n  - key: a\n", 0, MODELS),
    "a field beside them": (GOOD + "model: x\n", 0, MODELS),
    "no models": ("models:\n", 0, MODELS),
    "models as fields": ("models:\n  key: a\n", 0, MODELS),
    "a model that is a text": ("models:\n  - qwen\n", 0, MODELS),
    "a model of a tag": ("models:\n  - !x {key: a}\n", 0, MODELS),
    "an open bracket": ("models:\n  - key: [a\n", 3, "is no YAML"),
    "two documents": ("models: []\n---\nmodels: []\n", 2, "is no YAML"),
    "an alias": ("a: &a [x, x]\nmodels: *a\n", 2, "is no YAML"),
    "a control character": ("models:\n  - key: a\x07b\n", 2, "is no YAML"),
    "nested without end": ("models: " + "[" * 1000, 1, "is no YAML"),
}


@pytest.mark.parametrize(("text", "line", "words"), NO_CATALOGUE.values(), ids=NO_CATALOGUE)
def test_what_is_no_catalogue_is_said_to_be_none(text: str, line: int, words: str) -> None:
    found = problems(text)
    assert found[0][0] == line, found
    assert words in found[0][1]


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    for path, words in (
        (tmp_path / "none.yaml", "cannot be read: No such file"),
        (tmp_path, "cannot be read: Is a directory"),
    ):
        with pytest.raises(CatalogueErrors, match=words):
            read_file(path)


def test_a_file_in_another_encoding_is_refused_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "models.yaml"
    path.write_bytes("models:\n  - key: a\n    note: é\n".encode("latin-1"))
    with pytest.raises(CatalogueErrors) as wrong:
        read_file(path)
    assert wrong.value.problems == ((3, "is not written in UTF-8"),)


def test_a_huge_file_is_not_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "models.yaml"
    path.write_bytes(b"#" * (1024 * 1024 + 1))
    with pytest.raises(CatalogueErrors, match="is larger than 1024 KB"):
        read_file(path)


# --- into the database ----------------------------------------------------------------------------------------------
@pytest.fixture
def empty(db: None) -> None:
    CatalogueModel.objects.all().delete()


def test_the_catalogue_is_filled_when_the_product_is_set_up(db: None) -> None:
    assert {entry.key for entry in entries()} == {entry.key for entry in read_file(SEED)}


def test_it_is_filled_once_and_left_alone_from_then_on(db: None) -> None:
    CatalogueModel.objects.exclude(key="qwen2-5-7b").delete()
    fill_catalogue(sender=None)
    assert CatalogueModel.objects.count() == 1


def test_a_broken_file_of_the_settings_costs_no_migration(
    empty: None, settings: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("models: none\n")
    settings.RPA_MODEL_CATALOGUE = str(path)
    fill_catalogue(sender=None)
    assert not CatalogueModel.objects.exists()
    assert f"{path}: {MODELS}" in caplog.text


def test_a_file_of_the_settings_takes_the_place_of_the_products_own(
    empty: None, settings: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(GOOD)
    settings.RPA_MODEL_CATALOGUE = str(path)
    call_command("load_catalogue")
    assert "added: small, seeing" in capsys.readouterr().out
    assert sorted(CatalogueModel.objects.values_list("key", flat=True)) == ["seeing", "small"]


def test_one_error_and_nothing_is_loaded(empty: None, tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(spoiled(14, "    tier: huge"))
    with pytest.raises(CommandError) as told:
        call_command("load_catalogue", str(path))
    assert f"{path}:14: tier: " in str(told.value)
    assert str(told.value).endswith("Nothing was loaded.")
    assert not CatalogueModel.objects.exists()


def test_what_people_changed_stands_until_they_ask_for_the_file(
    empty: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(GOOD)
    call_command("load_catalogue", str(path))
    CatalogueModel.objects.filter(key="small").update(vram_mb=9000, allow_remote=True, held=True)
    path.write_text(GOOD.replace("tiny:1b", "tiny:2b"))
    call_command("load_catalogue", str(path))
    assert "kept as changed here: small" in capsys.readouterr().out
    row = CatalogueModel.objects.get(key="small")
    assert (row.name, row.vram_mb) == ("tiny:1b", 9000)
    call_command("load_catalogue", str(path), "--replace")
    assert "replaced: small" in capsys.readouterr().out
    row.refresh_from_db()
    assert (row.name, row.vram_mb, row.held) == ("tiny:2b", 1500, True)
    assert not row.allow_remote, "what an admin allowed to one model is not allowed to the next of that key"


def test_replacing_a_model_by_itself_leaves_what_the_admin_allowed(empty: None) -> None:
    wanted = read(GOOD, source="here")
    load(wanted)
    CatalogueModel.objects.filter(key="small").update(vram_mb=1, allow_remote=True)
    assert load(wanted, replace=True).replaced == ("small",)
    assert CatalogueModel.objects.get(key="small").allow_remote


def test_the_same_file_again_changes_nothing(empty: None, capsys: pytest.CaptureFixture[str]) -> None:
    wanted = read(GOOD, source="here")
    assert load(wanted).added == ("small", "seeing")
    assert load(wanted) == load(wanted, replace=True)
    assert set(load(wanted).same) == {"small", "seeing"}


def test_two_models_may_change_names(empty: None) -> None:
    both = GOOD.replace("    provider: openai\n", "")
    load(read(both, source="here"))
    turned = both.replace("tiny:1b", "X").replace("eyes-7b", "tiny:1b").replace("X", "eyes-7b")
    assert set(load(read(turned, source="here"), replace=True).replaced) == {"small", "seeing"}
    assert CatalogueModel.objects.get(key="small").name == "eyes-7b"


def test_a_model_that_people_have_under_another_key_is_not_doubled(empty: None) -> None:
    CatalogueModel.objects.create(key="mine", name="tiny:1b", vram_mb=1, ram_mb=1, context_length=4096)
    for replace in (False, True):
        assert "small (in the catalogue as mine)" in load(read(GOOD, source="here"), replace=replace).kept
    assert CatalogueModel.objects.filter(name="tiny:1b").count() == 1


def test_a_model_is_found_by_its_key_and_by_its_name() -> None:
    wanted = read(GOOD, source="here")
    assert find(wanted, "tiny:1b").key == find(wanted, "small").key == "small"
    with pytest.raises(UnknownModel, match="No model of the catalogue is named “large”. There are: seeing, small"):
        find(wanted, "large")


# --- held by hand ---------------------------------------------------------------------------------------------------
def test_one_model_is_held_until_the_choice_is_free_again(empty: None) -> None:
    """S4.5, S4.7"""
    load(read(GOOD.replace("enabled: no", "enabled: yes"), source="here"))
    assert hold("small") == "small"
    assert hold("eyes-7b") == "seeing"
    assert [entry.key for entry in entries() if entry.held] == ["seeing"]
    assert hold("auto") == "auto"
    assert [entry.key for entry in entries() if entry.held] == []


def test_a_model_that_is_not_in_use_or_not_there_cannot_be_held(empty: None) -> None:
    load(read(GOOD, source="here"))
    hold("small")
    for name, words in (("seeing", "is not in use"), ("nobody", "No model of the catalogue is named")):
        with pytest.raises(UnknownModel, match=words):
            hold(name)
    assert [entry.key for entry in entries() if entry.held] == ["small"], "a refusal changes nothing"


# --- on another machine ---------------------------------------------------------------------------------------------
@pytest.mark.django_db(transaction=True)
async def test_only_what_an_admin_allowed_may_run_elsewhere(database: DatabaseThread) -> None:
    """T9: what has changed counts from the next question on."""
    at_ollama, at_openai = (allowed_elsewhere(provider, database) for provider in ProviderName)
    rows = CatalogueModel.objects.filter(key="big")
    await database.run(lambda: rows.create(key="big", name="big:480b-cloud", vram_mb=0, ram_mb=0, context_length=8192))
    assert not await at_ollama("big:480b-cloud")
    await database.run(lambda: rows.update(allow_remote=True))
    assert await at_ollama("big:480b-cloud")
    assert not await at_ollama("other:480b-cloud")
    assert not await at_openai("big:480b-cloud"), "another provider's model of that name is another"
    await database.run(lambda: rows.update(enabled=False))
    assert not await at_ollama("big:480b-cloud")


async def test_what_cannot_be_read_is_not_allowed(
    database: DatabaseThread, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def locked(work: Any) -> Any:
        raise OperationalError("database is locked")

    monkeypatch.setattr(database, "run", locked)
    assert not await allowed_elsewhere(ProviderName.OLLAMA, database)("big:480b-cloud")
    assert "so none may: database is locked" in caplog.text


async def test_a_database_that_is_away_is_not_waited_for(
    database: DatabaseThread, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = Event()
    database.submit(gate.wait)
    monkeypatch.setattr("gpu.catalogue.PATIENCE_S", 0.01)
    try:
        assert not await allowed_elsewhere(ProviderName.OLLAMA, database)("big:480b-cloud")
    finally:
        gate.set()


# --- the admin ------------------------------------------------------------------------------------------------------
FORM = {
    "key": "mine", "name": "mine:7b", "provider": "ollama", "capabilities": ["text", "vision"], "tier": "2",
    "vram_mb": "7000", "ram_mb": "7000", "context_length": "32768", "enabled": "on", "note": "",
}  # fmt: skip
ADD, LIST = "admin:gpu_cataloguemodel_add", "admin:gpu_cataloguemodel_changelist"


def test_an_admin_adds_a_model_with_what_it_can_do_ticked(client_of: Callable[..., Any], admin: Any) -> None:
    client = client_of(admin)
    page = client.get(reverse(ADD)).content.decode()
    assert page.count('type="checkbox" name="capabilities"') == 4
    answer = client.post(reverse(ADD), {**FORM, "allow_remote": "on"})
    assert answer.status_code == 302, answer.context["adminform"].errors
    row = CatalogueModel.objects.get(key="mine")
    assert (row.capabilities, row.allow_remote) == (["text", "vision"], True)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"capabilities": ["vision"]}, "Every model here answers in text"),
        ({"capabilities": ["smell"]}, "Select a valid choice"),
        ({"name": "qwen3:8b"}, "already exists"),
    ],
)
def test_what_is_wrong_is_said_at_the_form(
    client_of: Callable[..., Any], admin: Any, change: dict[str, Any], words: str
) -> None:
    answer = client_of(admin).post(reverse(ADD), {**FORM, **change})
    assert answer.status_code == 200
    assert words in answer.content.decode().replace("&#x27;", "'")
    assert not CatalogueModel.objects.filter(key="mine").exists()


def test_designers_look_and_do_not_change(client_of: Callable[..., Any], designer: Any) -> None:
    """S10.1: whether a model may run elsewhere is the admin's to say."""
    client = client_of(designer)
    row = CatalogueModel.objects.get(key="qwen3-8b")
    assert "qwen3-8b" in client.get(reverse(LIST)).content.decode()
    change = reverse("admin:gpu_cataloguemodel_change", args=[row.pk])
    assert client.get(change).status_code == 200
    assert client.post(change, {**FORM, "allow_remote": "on"}).status_code == 403
    assert client.post(reverse(ADD), FORM).status_code == 403
    row.refresh_from_db()
    assert not row.allow_remote


@pytest.mark.parametrize("model", ["modeluse", "gpuevent", "learnedneed"])
def test_what_machines_made_is_read_only(
    client_of: Callable[..., Any], designer: Any, django_user_model: Any, model: str
) -> None:
    assert client_of(designer).get(reverse(f"admin:gpu_{model}_changelist")).status_code == 200
    root = client_of(django_user_model.objects.create_superuser("root", password="x"))
    assert root.post(reverse(f"admin:gpu_{model}_add"), {}).status_code == 403


def test_the_roles_have_their_rights() -> None:
    """S10.1"""
    assert "gpu.view_cataloguemodel" in permissions_of(Role.VIEWER)
    assert {"gpu.operate_gpu", "gpu.use_assistant"} <= permissions_of(Role.OPERATOR) - permissions_of(Role.VIEWER)
    assert "gpu.change_cataloguemodel" in permissions_of(Role.ADMIN) - permissions_of(Role.DESIGNER)
    assert not {name for name in permissions_of(Role.ADMIN) if "conversation" in name}, "what people ask is theirs"
