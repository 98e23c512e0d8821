"""Corrections go from one installation to another (S6.4): on trial there, tried there, never trusted for it."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.core.exceptions import PermissionDenied
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from audit.models import Entry
from execution.actions.corrections import put_correction
from execution.actions.export_pack import export_pack
from execution.actions.import_pack import Imported, import_pack
from execution.actions.packed import MOST
from execution.exceptions import BadDecision
from execution.models import CorrectionPack, LearnedCorrection, Step, ValueRead
from execution.record.corrections import as_taught, in_force, learned_from, settle
from execution.record.learned_pictures import forget_pictures_of_learned
from execution.record.values_of_runs import drop_written
from sentences.said import worded
from tests.execution.actions.test_corrections_decided import HERE, LIGHT, THERE
from tests.factories import EDGES, NODES, make_execution, make_picture, make_workflow
from tests.support.learned import taught_in
from tests.workflows.test_bundle import packed, unpacked
from workflows.actions.publish import publish
from workflows.bundle import export_bundle, import_bundle
from workflows.exceptions import PictureMissing, PictureNotStored, UnknownWorkflow
from workflows.graph import TargetSpec
from workflows.models import Edge, Node, Picture, Target, Workflow, WorkflowVersion
from workflows.picture_files import PictureFiles
from workflows.pictures import PictureStore
from workflows.unpacking import BadBundle

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_folder")]

FILE = "corrections.json"


@pytest.fixture
def version(settings: Any) -> WorkflowVersion:
    """Of a workflow with pictures, taught alike in both installations; this one is called North."""
    settings.RPA_INSTALLATION_NAME = "North"
    nodes = ({**NODES[0], "picture": make_picture(seed=1).digest}, *NODES[1:])
    save = {**EDGES[2]["target"], "picture": make_picture(seed=2).digest}
    workflow = make_workflow(nodes=nodes, edges=(*EDGES[:2], {**EDGES[2], "target": save}), workflow_id="wf_ward")
    return publish(workflow=workflow, user=None)


def shown(version: WorkflowVersion, text: str = "Keep", seed: int = 11, **more: Any) -> LearnedCorrection:
    """One more look of the button, as a coach showed it on a whole screen."""
    target = TargetSpec(
        target_id="save_button", label="Save", text=text, box=(0.1, 0.1, 0.1, 0.05), context_box=(0.2, 0.2, 0.5, 0.5),
        picture=make_picture(seed=seed).digest, context=make_picture(seed=seed + 1, width=90).digest,
    )  # fmt: skip
    said: dict[str, Any] = {"kind": "target", "edge_id": "click_save", "node_id": "save_dialog", "of": "save_button"}
    said |= {"payload": {"target": json.loads(json.dumps(asdict(target)))}, "conditions": LIGHT, "box": list(HERE)}
    return _kept(version, picture=make_picture(seed=seed + 2, width=200).digest, **{**said, **more})


def other_keys(version: WorkflowVersion, **more: Any) -> LearnedCorrection:
    said: dict[str, Any] = {"kind": "params", "edge_id": "open_save", "of": {"keys": "ctrl+s"}}
    return _kept(version, **{**said, "payload": {"params": {"keys": "ctrl+shift+s"}}, **more})


def other_screen(version: WorkflowVersion, seed: int = 21, **more: Any) -> LearnedCorrection:
    picture = make_picture(seed=seed, width=200).digest
    said: dict[str, Any] = {"kind": "node", "node_id": "empty_note", "of": "empty_note", "picture": picture}
    return _kept(version, **{**said, "payload": {"picture": picture, "gone": ["View"]}, "conditions": LIGHT, **more})


def _kept(version: WorkflowVersion, **said: Any) -> LearnedCorrection:
    pack, _made = CorrectionPack.objects.get_or_create(workflow=version.workflow)
    of = taught_in(version, said["kind"], said.get("edge_id", ""), said.get("node_id", ""))
    from_here = {"execution_id": "run_1", "step": 3, "learned_by_name": "zoe", "version_number": version.number}
    return LearnedCorrection.objects.create(pack=pack, **{"taught_as": of, **from_here, **said})


def said_of(row: LearnedCorrection) -> dict[str, Any]:
    """What it would make of a run; its name is each installation's own."""
    taught = asdict(as_taught(row))
    told = {name: taught[name] for name in ("kind", "edge_id", "of", "target", "params", "picture", "gone")}
    return {**told, "conditions": row.conditions}


@pytest.fixture
def file(version: WorkflowVersion) -> bytes:
    """A pack of three, of an installation that is not this one any more: nothing was learned here yet."""
    for row in (shown(version, state="trusted"), other_keys(version), other_screen(version, state="merged")):
        row.save()
    data = export_pack("wf_ward").data
    forget_all()
    return data


def forget_all() -> None:
    """Another installation, which has only what was taught."""
    CorrectionPack.objects.all().delete()
    kept = set().union(*(one.spec().pictures() for one in WorkflowVersion.objects.all()))
    for path in Path(PictureStore().where).rglob("*.png"):
        if path.stem not in kept:
            path.unlink()


def everything() -> tuple[Any, ...]:
    rows = list(LearnedCorrection.objects.order_by("pk").values())
    models = (Workflow, WorkflowVersion, Node, Edge, Target, Picture, CorrectionPack, Entry)
    return (
        rows,
        [one.objects.count() for one in models],
        sorted(p.name for p in Path(PictureStore().where).rglob("*.png")),
    )


def document(data: bytes) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(unpacked(data)[FILE])
    return found


def changed(data: bytes, change: Callable[[dict[str, Any]], Any]) -> bytes:
    """The file with its document changed, and no picture in it that is named no more."""
    entries, said = unpacked(data), document(data)
    change(said)
    text = json.dumps(said)
    return packed({FILE: text.encode(), **{n: d for n, d in entries.items() if n != FILE and n[9:-4] in text}})


# --- out and in ------------------------------------------------------------------------------------------------------
def test_what_comes_in_is_what_went_out_and_on_trial(version: WorkflowVersion, settings: Any, designer: Any) -> None:
    rows = [shown(version, state="trusted"), other_keys(version), other_screen(version, state="merged")]
    said = [said_of(row) for row in rows]
    data = export_pack("wf_ward").data
    forget_all()
    settings.RPA_INSTALLATION_NAME = "South"

    imported = import_pack(data, user=designer)

    assert [said_of(row) for row in imported.taken] == said
    assert (imported.known, imported.refused, imported.unfit, imported.full) == (0, 0, [], [])
    for row in LearnedCorrection.objects.all():
        assert (row.state, row.began_as, row.streak, row.checked_at, row.elsewhere) == (
            "on_trial", "on_trial", 0, None, "North",
        )  # fmt: skip
        assert (row.changed_by, row.learned_by_name, row.execution_id) == (designer.username, "", "")
        assert worded(learned_from(row)) == f"Learned elsewhere, from North on {timezone.now():%Y-%m-%d}."
    assert [one.trusted_in for one in in_force("wf_ward")] == [frozenset()] * 3
    assert all(PictureStore().get(digest).size for row in imported.taken for digest in pictures_of(row))


def pictures_of(row: LearnedCorrection) -> set[str]:
    target = row.payload.get("target") or {}
    return {row.picture, row.payload.get("picture", ""), target.get("picture", ""), target.get("context", "")} - {""}


def test_the_same_corrections_give_the_same_bytes(version: WorkflowVersion) -> None:
    shown(version)
    assert export_pack("wf_ward").data == export_pack("wf_ward").data


def test_of_a_corrected_place_no_whole_screen_leaves_and_of_nobody_the_name(version: WorkflowVersion) -> None:
    row = shown(version)
    data = export_pack("wf_ward").data
    assert row.picture not in "".join(unpacked(data))
    assert b"zoe" not in unpacked(data)[FILE]
    assert b"run_1" not in unpacked(data)[FILE]


@pytest.mark.parametrize("state", ["off", "needs_person"])
def test_what_is_refused_here_or_waits_for_a_person_does_not_leave(version: WorkflowVersion, state: str) -> None:
    shown(version, state=state)
    with pytest.raises(BadDecision, match="no correction that can be exported"):
        export_pack("wf_ward")
    other_keys(version)
    assert [one["kind"] for one in document(export_pack("wf_ward").data)["corrections"]] == ["params"]


def test_what_holds_a_value_that_became_known_later_stays_here(version: WorkflowVersion) -> None:
    """S10.4: a number that was read after the correction was learned."""
    run = make_execution(version=version, variables={"patient": "Ada Martin"})
    step = Step.objects.create(execution=run, index=1, epoch=0, mode=run.mode)
    ValueRead.objects.create(execution=run, step=step, name="number", text="4711", value="4711")
    kept = [
        shown(version, text="Open 4711", execution_id=run.execution_id),
        shown(version, text="Martin", seed=21, execution_id=run.execution_id),
    ]
    shown(version, text="Keep", seed=31, box=list(THERE), execution_id=run.execution_id)
    exported = export_pack("wf_ward")
    assert (exported.kept_back, exported.count) == (kept, 1)
    assert b"4711" not in unpacked(exported.data)[FILE]


def test_what_was_learned_of_something_that_no_version_has_stays_here(version: WorkflowVersion) -> None:
    rows = [
        shown(version, edge_id="gone", taught_as="0" * 32),
        shown(version, version_number=7),
        shown(version, taught_as=""),  # no run goes by it here either
        other_keys(version, of={"keys": "f9"}),
    ]
    shown(version)
    assert [row.pk for row in export_pack("wf_ward").kept_back] == [row.pk for row in rows]


def test_a_picture_that_is_gone_is_named(version: WorkflowVersion) -> None:
    row = shown(version)
    PictureStore().path(row.payload["target"]["picture"]).unlink()
    with pytest.raises(PictureMissing, match="not in the store"):
        export_pack("wf_ward")
    assert not Entry.objects.filter(kind="corrections").exists()


def test_more_than_a_file_takes_is_refused(version: WorkflowVersion, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("execution.actions.export_pack.MOST", 1)
    shown(version)
    other_keys(version)
    with pytest.raises(BadDecision, match="has 2 corrections; a file takes 1"):
        export_pack("wf_ward")


def test_who_may_not_teach_neither_exports_nor_imports(file: bytes, operator: Any) -> None:
    with pytest.raises(PermissionDenied):
        export_pack("wf_ward", user=operator)
    with pytest.raises(PermissionDenied):
        import_pack(file, user=operator)
    assert not LearnedCorrection.objects.exists()


def test_its_pictures_leave_only_with_who_may_see_pictures(
    client: Client, stranger: Any, version: WorkflowVersion
) -> None:
    """By the page and by REST alike."""
    shown(version)
    for codename in ("change_workflow", "view_execution"):
        stranger.user_permissions.add(Permission.objects.get(codename=codename))
    client.force_login(stranger)
    doors = ("/learning/corrections/export/wf_ward", "/api/corrections/export/wf_ward/")
    assert [client.get(door).status_code for door in doors] == [403, 403]
    with pytest.raises(PermissionDenied):
        export_pack("wf_ward", user=type(stranger).objects.get(pk=stranger.pk))
    stranger.user_permissions.add(Permission.objects.get(codename="view_picture"))
    assert [client.get(door).status_code for door in doors] == [200, 200]


def test_both_are_in_the_audit(version: WorkflowVersion, designer: Any) -> None:
    row = shown(version)
    data = export_pack("wf_ward", user=designer).data
    entry = Entry.objects.get(verb="export")
    assert (entry.who, entry.kind, entry.about) == (designer.username, "corrections", "wf_ward")
    assert entry.detail == {"corrections": [row.pk]}
    forget_all()
    (taken,) = import_pack(data, user=designer).taken
    entry = Entry.objects.get(verb="added")
    assert (entry.who, entry.kind, entry.about) == (designer.username, "corrections", "wf_ward")
    assert entry.detail == {"corrections": [taken.pk], "exported_from": "North"}


@pytest.mark.django_db(transaction=True)
def test_each_is_tried_on_the_stored_pictures_of_this_installation(file: bytes) -> None:
    DBTaskResult.objects.all().delete()
    taken = import_pack(file).taken
    asked = [one.args_kwargs["args"][0] for one in DBTaskResult.objects.order_by("enqueued_at")]
    assert asked == [row.pk for row in taken]
    for row in taken:
        settle(row)
        assert row.state == "on_trial", "not before it proved right here"


# --- only what was taught alike --------------------------------------------------------------------------------------
def test_what_is_taught_otherwise_here_is_left_and_said(file: bytes, version: WorkflowVersion) -> None:
    Target.objects.filter(target_id="save_button").update(text="Save it")
    publish(workflow=version.workflow, user=None)
    imported = import_pack(file)
    assert ([row.kind for row in imported.taken], imported.unfit) == (["params", "node"], ["Save"])
    assert imported.told()[1] == "1 does not fit, because that is taught otherwise here: “Save”."


def test_where_nothing_fits_nothing_changes(file: bytes, version: WorkflowVersion) -> None:
    said = changed(file, lambda d: d["corrections"].__delitem__(slice(1, None)))
    Target.objects.filter(target_id="save_button").update(text="Save it")
    publish(workflow=version.workflow, user=None)
    before = everything()
    with pytest.raises(BadBundle, match="Nothing of the file fits: what it corrects is taught otherwise here .“Save”"):
        import_pack(said)
    assert everything() == before


def test_a_workflow_that_came_in_a_file_under_another_id_takes_them_too(file: bytes, version: WorkflowVersion) -> None:
    copy = import_bundle(export_bundle(version.workflow), user=None, workflow_id="wf_copy")
    with pytest.raises(BadBundle, match="nothing is published here"):
        import_pack(file, workflow_id="wf_copy")
    publish(workflow=copy, user=None)
    imported = import_pack(file, workflow_id="wf_copy")
    assert (len(imported.taken), imported.unfit) == (3, [])
    assert (len(in_force("wf_copy")), in_force("wf_ward")) == (3, ())


def test_of_another_workflow_it_says_which(file: bytes) -> None:
    foreign = changed(file, lambda d: d["workflow"].update(workflow_id="wf_else", name="Else"))
    before = everything()
    with pytest.raises(BadBundle, match="of the workflow “Else” .wf_else., of which nothing is published here"):
        import_pack(foreign)
    assert everything() == before
    with pytest.raises(UnknownWorkflow):
        export_pack("wf_else")


# --- what is here already --------------------------------------------------------------------------------------------
def counted(imported: Imported) -> tuple[int, int, int]:
    return len(imported.taken), imported.known, imported.refused


def test_a_second_time_it_changes_nothing(file: bytes) -> None:
    import_pack(file)
    before = list(LearnedCorrection.objects.values())
    assert counted(import_pack(file)) == (0, 3, 0)
    assert list(LearnedCorrection.objects.values()) == before


def test_at_home_it_is_what_it_was(version: WorkflowVersion) -> None:
    rows = [shown(version, state="trusted"), other_keys(version), other_screen(version)]
    before = list(LearnedCorrection.objects.values())
    assert counted(import_pack(export_pack("wf_ward").data)) == (0, len(rows), 0)
    assert list(LearnedCorrection.objects.values()) == before


@pytest.mark.parametrize("state", ["off", "needs_person"])
def test_what_was_refused_here_stays_so(file: bytes, state: str) -> None:
    import_pack(file)
    LearnedCorrection.objects.update(state=state, began_as=state)
    imported = import_pack(file)
    assert counted(imported) == (0, 0, 3)
    assert "it stays as it is" not in imported.told()[1]
    assert "they stay as they are" in imported.told()[1]
    assert set(LearnedCorrection.objects.values_list("state", flat=True)) == {state}
    assert in_force("wf_ward") == ()


def test_what_was_refused_stays_so_when_nothing_of_it_is_kept_any_more(version: WorkflowVersion) -> None:
    """S6.4, S10.4: retention took its pictures and what a coach typed; the file that says it again changes nothing."""
    run = make_execution(version=version, execution_id="run_1")
    refused = [shown(version, ""), other_keys(version), other_screen(version)]
    said = export_pack("wf_ward").data
    for row in refused:
        put_correction(correction_id=row.pk, state="off")
    forget_pictures_of_learned(LearnedCorrection.objects.all())
    drop_written([run])
    rows = LearnedCorrection.objects.order_by("pk")
    assert [(pictures_of(row), row.payload.get("params", {})) for row in rows] == [(set(), {})] * 3
    before = list(rows.values())
    assert counted(import_pack(said)) == (0, 0, 3)
    assert list(rows.values()) == before


def test_what_is_off_only_because_its_pictures_are_not_kept_may_come_again(version: WorkflowVersion) -> None:
    for row in (shown(version, "", state="trusted"), other_screen(version)):
        row.save()
    data = export_pack("wf_ward").data
    forget_pictures_of_learned(LearnedCorrection.objects.all())
    assert set(LearnedCorrection.objects.values_list("state", flat=True)) == {"off"}
    assert counted(import_pack(data)) == (2, 0, 0)
    assert counted(import_pack(data)) == (0, 2, 0)


def test_so_does_what_was_learned_here_and_says_the_same(file: bytes, version: WorkflowVersion) -> None:
    """Another picture of the same button at the same place, which a person switched off here."""
    shown(version, seed=41, box=[0.101, 0.1, 0.1, 0.05], state="off")
    other_keys(version, state="off")
    assert counted(import_pack(file)) == (1, 0, 2)
    assert [one.kind for one in in_force("wf_ward")] == ["node"]


def test_under_other_conditions_or_at_another_place_it_is_another(file: bytes, version: WorkflowVersion) -> None:
    shown(version, seed=41, conditions={**LIGHT, "theme": "dark"}, state="off")
    shown(version, seed=51, box=list(THERE), state="off")
    shown(version, "Store", seed=61, state="off")
    assert counted(import_pack(file)) == (3, 0, 0)


def test_twice_in_a_file_it_is_taken_once(file: bytes) -> None:
    twice = changed(file, lambda d: d["corrections"].extend(list(d["corrections"])))
    assert counted(import_pack(twice)) == (3, 3, 0)


def test_a_look_that_became_part_of_the_workflow_is_known(version: WorkflowVersion) -> None:
    from execution.actions.merging import merge

    row = shown(version, state="trusted")
    data = export_pack("wf_ward").data
    merge([row.pk])
    LearnedCorrection.objects.all().delete()
    assert counted(import_pack(data)) == (0, 1, 0)


def test_a_value_that_became_part_of_the_workflow_is_known_and_another_one_there_does_not_fit(
    file: bytes, version: WorkflowVersion
) -> None:
    for keys, known, unfit in (("ctrl+shift+s", 1, []), ("f12", 0, ["Press f12"])):
        Edge.objects.filter(edge_id="open_save").update(params={"keys": keys})
        publish(workflow=version.workflow, user=None)
        imported = import_pack(file)
        assert (imported.known, imported.unfit) == (known, unfit)
        assert {row.kind for row in imported.taken} == {"target", "node"}
        LearnedCorrection.objects.all().delete()


def test_it_pushes_out_none_of_this_installation(file: bytes, version: WorkflowVersion) -> None:
    for n in range(6):
        shown(version, f"Keep {n}", seed=100 + 10 * n, box=[0.1 * n, 0.5, 0.05, 0.05])
    imported = import_pack(file)
    assert ([row.kind for row in imported.taken], imported.full) == (["params", "node"], ["Save"])
    assert "“Save”" in imported.told()[-1]


def test_a_look_of_a_screen_that_says_nothing_of_it_needs_a_person(file: bytes) -> None:
    said = changed(file, lambda d: d["corrections"][2].update(gone=["File", "Edit", "View"]))
    row = import_pack(said).taken[2]
    assert (row.state, row.began_as) == ("needs_person", "needs_person")
    assert "say what it is known by" in worded(row.why)


# --- evil files ------------------------------------------------------------------------------------------------------
def put(n: int, *path: Any, to: Any) -> Callable[[dict[str, Any]], None]:
    def change(document: dict[str, Any]) -> None:
        place: Any = document["corrections"][n]
        for step in path[:-1]:
            place = place[step]
        place[path[-1]] = to

    return change


WRONG: dict[str, tuple[Callable[[dict[str, Any]], Any], str]] = {
    "a newer format": (lambda d: d.update(format_version=2), "has format 2, this server reads 1. Update this server"),
    "another product": (lambda d: d.update(format="else"), "does not say that it is a pack"),
    "a workflow": (lambda d: d.update(format="surehand.workflow"), "does not say that it is a pack"),
    "a state": (put(0, "state", to="trusted"), r"corrections\[0\]: “state” is not known"),
    "a kind nobody knows": (put(0, "kind", to="code"), r"corrections\[0\]: “code” is no kind of correction"),
    "a way": (put(0, "kind", to="way"), "“way” is no kind of correction that a file carries"),
    "a place that says parameters": (put(0, "params", to={"keys": "f1"}), "not what a correction of the kind “target”"),
    "parameters with a target": (put(1, "kind", to="target"), "not what a correction of the kind “target” says"),
    "nothing to know it by": (
        lambda d: (put(0, "target", "text", to="")(d), put(0, "target", "picture", to="")(d)), "to know the target by",
    ),
    "a place off the screen": (put(0, "box", to=[0.9, 0.1, 0.5, 0.1]), "a place of it is not on the screen"),
    "a click beside it": (put(0, "target", "click", to=[9, 0.5]), "a place of it is not on the screen"),
    "another target's": (put(0, "of", to="other"), "not what a correction of the kind “target” says"),
    "which of a list": (put(0, "target", "number", to="{{n}}"), "not what a correction of the kind “target” says"),
    "no such picture name": (put(2, "picture", to="../../etc"), "a picture has no name that a picture can have"),
    "no digest": (put(0, "taught_as", to=["x"]), "what it was learned of cannot be read"),
    "no moment": (put(0, "learned_at", to="yesterday"), "where and when it was learned cannot be read"),
    "a moment to come": (put(0, "learned_at", to="2099-01-01T00:00:00+00:00"), "where and when it was learned"),
    "from nowhere": (put(0, "learned_in", to=" "), "where and when it was learned"),
    "no theme": (put(0, "conditions", "theme", to="pink"), "the theme or the size of the screen"),
    "no size": (put(0, "conditions", "size", to=[0, 10**9]), "the theme or the size of the screen"),
    "a place that nobody knows where": (put(0, "conditions", to=None), "not what a correction of the kind “target”"),
    "a screen that is like any": (put(2, "conditions", to=None), "not what a correction of the kind “node” says"),
    "a row that was not taught": (put(0, "target", "row", to=["{{patient}}"]), "does not fit what it says"),
    "a sign that was not taught": (put(0, "target", "needed", to=["text"]), "does not fit what it says"),
    "of nothing taught": (put(0, "taught_as", to=[]), "what it was learned of cannot be read"),
    "keys of no keys": (put(1, "params", to={"keys": 7}), r"corrections\[1\]: .*keys"),
    "a variable nobody knows": (put(0, "target", "text", to="{{else}}"), r"corrections\[0\]: .*else"),
    "a long id": (put(0, "edge_id", to="x" * 300), "what it was learned of cannot be read"),
    "a window that is nowhere": (put(0, "target", "window_box", to=[1.7, 0.0, 2.1, 0.1]), "not on the screen"),
    "a window far away": (put(0, "target", "window_box", to=[1.7e308, 0.0, 0.1, 0.1]), "must be a number"),
    "a window of nothing": (put(0, "target", "window_box", to=[0.0, 0.0, 1e-308, 0.1]), "not on the screen"),
    "a part far away that scrolls": (put(0, "target", "scroll_box", to=[-3.0, 0.0, 0.1, 0.1]), "not on the screen"),
    "a huge window": (put(0, "target", "window_size", to=[2**30, 10]), "not on the screen"),
    "a screen of less than nothing": (put(0, "target", "screen_size", to=[-1, 10]), "not on the screen"),
    "the first one far away": (put(0, "target", "first_offset", to=[2**30, 0]), "not on the screen"),
    "a neighbour far away": (
        put(0, "target", "neighbours", to=[{"text": "Save", "dx": 2**30, "dy": 0}]), "not on the screen",
    ),
    "a number beyond numbers": (put(0, "box", to=[10**400, 0.1, 0.1, 0.1]), "must be a number"),
    "half a character": (put(0, "target", "window_title", to="\ud800"), "must be a text"),
    "half a character in a parameter": (put(1, "params", to={"keys": "\ud800"}), "must be a text"),
    "half a character in a name": (put(1, "params", to={"\ud800": "a"}), "must be a text"),
    "a field half a character": (put(0, "\ud800", to="a"), "is not known"),
    "too many": (lambda d: d.update(corrections=d["corrections"] * (MOST // 3 + 1)), "at most 300 are taken"),
}  # fmt: skip


def test_a_file_of_a_wrong_form_is_refused_with_the_place_and_nothing_changes(
    file: bytes, subtests: pytest.Subtests
) -> None:
    before = everything()
    for name, (change, reason) in WRONG.items():
        with subtests.test(name):
            with pytest.raises(BadBundle, match=reason):
                import_pack(changed(file, change))
            assert everything() == before


def test_parameters_that_would_be_one_runs_data_in_all_are_refused(version: WorkflowVersion) -> None:
    """S1.10: where a variable was taught, a text without it is somebody's name."""
    row = _kept(version, kind="params", edge_id="type_patient", of={"text": "{{patient}}"},
                payload={"params": {"text": "Dr. {{patient}}"}})  # fmt: skip
    data = export_pack("wf_ward").data
    forget_all()
    with pytest.raises(BadBundle, match="does not fit what it says"):
        import_pack(changed(data, put(0, "params", to={"text": "Ada Martin"})))
    assert [one.payload for one in import_pack(data).taken] == [row.payload]


def no_document(entries: dict[str, bytes]) -> bytes:
    return packed({name: data for name, data in entries.items() if name != FILE})


EVIL: dict[str, tuple[Callable[[dict[str, bytes]], bytes], str]] = {
    "a stranger": (lambda e: packed({**e, "run.sh": b"rm"}), "The file holds “run.sh”. It may hold corrections.json"),
    "a workflow": (lambda e: packed({"workflow.json": b"{}"}), "This file holds a workflow. Import it"),
    "nothing": (no_document, "holds no corrections.json"),
    "a picture that lacks": (lambda e: packed({FILE: e[FILE]}), "lacks the picture"),
}  # fmt: skip


@pytest.mark.parametrize(("spoil", "reason"), EVIL.values(), ids=EVIL)
def test_an_evil_file_is_refused_with_the_reason_and_nothing_changes(
    file: bytes, spoil: Callable[[dict[str, bytes]], bytes], reason: str
) -> None:
    before = everything()
    with pytest.raises(BadBundle, match=reason):
        import_pack(spoil(unpacked(file)))
    assert everything() == before


def test_the_last_of_them_being_wrong_none_is_taken(file: bytes) -> None:
    before = everything()
    turned = changed(file, lambda d: d["corrections"].reverse())
    with pytest.raises(BadBundle, match=r"corrections\[2\]: it does not fit"):
        import_pack(changed(turned, put(2, "target", "row", to=["{{patient}}"])))
    assert everything() == before


def test_texts_that_a_screen_has_not_are_none_that_it_is_not_known_by(file: bytes) -> None:
    said = changed(file, put(2, "gone", to=["View", "<b>Else</b>"]))
    assert import_pack(said).taken[2].payload["gone"] == ["View"]


def test_what_was_learned_before_another_became_part_of_the_screen_fits_both(version: WorkflowVersion) -> None:
    """The screen is known by less here since; there it is not, and the other way round."""
    from execution.actions.merging import merge

    first, second = other_screen(version, state="trusted"), other_screen(version, seed=71)
    merge([first.pk])
    data = export_pack("wf_ward").data
    both = document(data)["corrections"][1]["taught_as"]
    assert (len(both), len(set(both))) == (2, 2)
    second.refresh_from_db()
    assert second.taught_as in both
    LearnedCorrection.objects.all().delete()
    assert counted(import_pack(data)) == (1, 1, 0)
    version.workflow.versions.filter(number=2).delete()
    LearnedCorrection.objects.all().delete()
    assert counted(import_pack(data)) == (2, 0, 0)


def test_a_full_disk_leaves_nothing_half_taken(file: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    before = everything()
    own, save = PictureStore().where, PictureFiles._save

    def full(self: PictureFiles, name: str, content: Any) -> str:
        if self.where == own:
            raise OSError(28, "No space left on device")
        return save(self, name, content)

    monkeypatch.setattr(PictureFiles, "_save", full)
    with pytest.raises(PictureNotStored):
        import_pack(file)
    assert everything()[:2] == before[:2]


# --- doors -----------------------------------------------------------------------------------------------------------
def test_by_the_page(client: Client, designer: Any, version: WorkflowVersion) -> None:
    shown(version)
    client.force_login(designer)
    page = client.get("/learning/corrections").content.decode()
    assert ("Export pack" in page, "Import pack" in page) == (True, True)
    answer = client.get("/learning/corrections/export/wf_ward")
    assert answer.headers["Content-Disposition"] == 'attachment; filename="wf_ward-corrections.zip"'
    data = answer.content
    forget_all()
    sent = client.post("/learning/corrections/import", {"file": io.BytesIO(data)}, follow=True)
    assert sent.redirect_chain == [("/learning/corrections?workflow=wf_ward", 302)]
    said = sent.content.decode()
    assert "1 correction from North is on trial here from now on." in said
    assert "Learned elsewhere, from North on" in said
    assert "It came in a file, and is tried here before it is trusted." in said
    refused = client.post("/learning/corrections/import", {"file": io.BytesIO(b"x")}, follow=True)
    assert "This is no zip file that can be read." in refused.content.decode()
    assert client.post("/learning/corrections/import", {}).status_code == 302
    empty = client.get("/learning/corrections/export/wf_none", follow=True)
    assert "There is no workflow “wf_none”." in empty.content.decode()
    assert list(Entry.objects.filter(kind="corrections").values_list("verb", "origin")) == [
        ("added", "page"), ("export", "page"),
    ]  # fmt: skip


def test_those_who_do_not_teach_are_not_offered_it(client: Client, operator: Any, version: WorkflowVersion) -> None:
    shown(version)
    client.force_login(operator)
    page = client.get("/learning/corrections").content.decode()
    assert ("Export pack" in page, "Import pack" in page) == (False, False)


def test_by_rest(client: Client, designer: Any, version: WorkflowVersion) -> None:
    shown(version)
    client.force_login(designer)
    answer = client.get("/api/corrections/export/wf_ward/")
    assert (answer.status_code, answer.headers["X-Kept-Back"]) == (200, "0")
    forget_all()
    sent = client.post("/api/corrections/import/", {"file": io.BytesIO(answer.content)})
    row = LearnedCorrection.objects.get()
    assert (sent.status_code, sent.json()) == (
        201, {"workflow_id": "wf_ward", "taken": [row.pk], "known": 0, "refused": 0, "unfit": [], "full": []},
    )  # fmt: skip
    assert client.get(f"/api/corrections/{row.pk}/").json()["elsewhere"] == "North"
    refused = client.post("/api/corrections/import/", {"file": io.BytesIO(b"x")})
    assert (refused.status_code, refused.json()["error"]) == (422, "bad_bundle")
    assert client.post("/api/corrections/import/", {}).status_code == 400
    assert client.get("/api/corrections/export/wf_none/").status_code == 404


def test_by_command(version: WorkflowVersion, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shown(version)
    target = tmp_path / "pack.zip"
    call_command("export_corrections", "wf_ward", target)
    assert zipfile.is_zipfile(target)
    forget_all()
    call_command("import_corrections", target)
    assert "1 correction from North is on trial here from now on." in capsys.readouterr().out
    target.write_bytes(b"x")
    with pytest.raises(CommandError, match="was not imported. This is no zip file"):
        call_command("import_corrections", target)
    with pytest.raises(CommandError, match="cannot be read"):
        call_command("import_corrections", tmp_path / "none.zip")
    with pytest.raises(CommandError, match="cannot be written"):
        call_command("export_corrections", "wf_ward", tmp_path / "no" / "folder.zip")
