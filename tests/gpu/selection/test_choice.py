"""Which model answers, and why (S4.2): a table of cases, and properties that hold for every catalogue and machine."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpu.catalogue import SEED, ModelEntry, read_file
from gpu.choices import Capability, ProviderName, Tier
from gpu.exceptions import AnswerBroken, AnswerUnusable, NoModelFits, NotEnoughVRAM, OutOfMemory
from gpu.selection.choice import (
    RAM_HEADROOM_MB,
    Mark,
    RecentOutcomes,
    Selection,
    Situation,
    Task,
    choose,
    obstacle,
)
from gpu.types import Chunk, ExecutionMode
from tests.gpu.fake_models import GB, LIGHT, STANDARD, STRONG, Clock, entry, machine

SMALL = entry("small", "json", tier=LIGHT, vram_mb=2 * GB, ram_mb=2 * GB)
USUAL = entry("usual", "json", tier=STANDARD, vram_mb=6 * GB, ram_mb=6 * GB)
LARGE = entry("large", "json", tier=STRONG, vram_mb=12 * GB, ram_mb=12 * GB)
EYES = entry("eyes", "json", "vision", tier=STANDARD, vram_mb=8 * GB, ram_mb=8 * GB, context_length=128_000)
ALL = (SMALL, USUAL, LARGE, EYES)
WANTS = Task(complexity=STANDARD, least_tokens=1000, all_tokens=2000)


def situation(**fields: Any) -> Situation:
    return Situation(**{"resources": machine(), **fields})


def chosen(task: Task = WANTS, catalogue: tuple[ModelEntry, ...] = ALL, **fields: Any) -> str:
    return choose(task, catalogue, situation(**fields)).model.key


# --- what the task needs --------------------------------------------------------------------------------------------
def test_the_tier_follows_the_task() -> None:
    assert [chosen(replace(WANTS, complexity=tier)) for tier in Tier] == ["small", "usual", "large"]


def test_pictures_take_a_model_that_sees() -> None:
    choice = choose(replace(WANTS, vision=True), ALL, situation())
    assert choice.model is EYES
    assert obstacle(USUAL, replace(WANTS, vision=True), situation()) == "cannot do pictures"


def test_what_the_server_says_of_a_model_counts_more_than_the_catalogue() -> None:
    task, now = replace(WANTS, vision=True), situation(blind=frozenset({"eyes"}))
    assert choose(task, (EYES, replace(EYES, key="other")), now).model.key == "other"
    assert obstacle(EYES, task, now) == "cannot do pictures, says its server"


def test_a_model_that_sees_is_spared_where_nothing_is_to_be_seen() -> None:
    assert chosen(WANTS, (EYES, replace(USUAL, vram_mb=EYES.vram_mb + 1))) == "usual"


def test_the_context_must_hold_the_question_and_had_better_hold_all_of_it() -> None:
    short = entry("short", tier=STANDARD, context_length=4096)
    assert chosen(WANTS, (short, LARGE)) == "short"
    assert chosen(replace(WANTS, all_tokens=6000), (short, USUAL)) == "usual"
    with pytest.raises(NoModelFits, match="holds 4096 tokens, and at least 5000 are needed"):
        choose(replace(WANTS, least_tokens=5000), (short,), situation())


def test_ollama_gives_no_more_context_than_it_is_told_to() -> None:
    """A.3"""
    with pytest.raises(NoModelFits, match="holds 8192 tokens"):
        choose(replace(WANTS, least_tokens=9000), (EYES,), situation())
    assert chosen(replace(WANTS, least_tokens=9000), (EYES,), num_ctx=16_384) == "eyes"
    other = replace(EYES, provider=ProviderName.OPENAI)
    assert chosen(replace(WANTS, least_tokens=9000), (other,)) == "eyes"


# --- what the machine has -------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("free_mb", "key"), [(24_000, "large"), (12_799, "usual"), (6655, "small"), (2560, "small")]
)  # the headroom of 512 MB included
def test_the_strongest_that_fits_is_taken_where_strength_is_wanted(free_mb: int, key: str) -> None:
    task = replace(WANTS, complexity=STRONG)
    assert chosen(task, (SMALL, USUAL, LARGE), resources=machine(vram_free_mb=free_mb)) == key


def test_one_megabyte_too_few_is_too_few() -> None:
    with pytest.raises(NoModelFits) as none:
        choose(WANTS, ALL, situation(resources=machine(vram_free_mb=2559)))
    assert str(none.value) == (
        "No model fits. Needed are: text; a context of at least 1000 tokens. "
        "The nearest is “small”: it needs 2560 MB of GPU memory, and 2559 MB are free."
    )


def test_without_a_gpu_it_is_the_memory_of_the_machine_that_counts() -> None:
    resources = machine(vram_free_mb=None, ram_free_mb=4 * GB)
    assert chosen(WANTS, ALL, resources=resources) == "small"
    assert obstacle(USUAL, WANTS, situation(resources=resources)) == (
        f"needs {6 * GB + RAM_HEADROOM_MB} MB of memory, and {4 * GB} MB are free"
    )


def test_a_busy_processor_is_spared_where_models_run_on_it() -> None:
    calm = machine(vram_free_mb=None, cpu_percent=10)
    busy = machine(vram_free_mb=None, cpu_percent=95)
    task = replace(WANTS, complexity=STRONG)
    assert chosen(task, (USUAL, LARGE), resources=calm) == "large"
    assert chosen(WANTS, (SMALL, LARGE), resources=busy) == "small"
    (alone,) = choose(WANTS, (LARGE,), situation(resources=busy)).reasons[:1]
    assert alone == "would take from a processor that is busy already (95 %)"


def test_a_server_elsewhere_takes_nothing_of_this_machine() -> None:
    none = machine(vram_free_mb=0, ram_free_mb=0)
    choice = choose(WANTS, ALL, situation(resources=none, here=frozenset()))
    assert choice.model is USUAL
    assert "takes no memory of this machine" in choice.reasons


def test_in_autopilot_nothing_gives_way_and_nothing_may_be_driven_out() -> None:
    """S4.5: Ollama drives others out for a model that needs more than 80 % of what is free."""
    eight = machine(vram_free_mb=7 * GB)
    assert chosen(WANTS, (USUAL,), resources=eight, loaded=frozenset({"eyes"}), all_stay=False) == "usual"
    with pytest.raises(NoModelFits, match="while a run has the GPU"):
        choose(
            WANTS,
            (USUAL,),
            situation(resources=eight, loaded=frozenset({"eyes"}), mode=ExecutionMode.AUTOPILOT),
        )


def test_nothing_of_ollamas_leaves_for_another_server() -> None:
    full = situation(resources=machine(vram_free_mb=100), gives_way_mb=8 * GB, all_stay=False)
    other = replace(USUAL, provider=ProviderName.OPENAI)
    assert obstacle(USUAL, WANTS, full) == ""
    assert obstacle(other, WANTS, full) == "needs 6656 MB of GPU memory, and 100 MB are free"


def test_what_a_model_really_took_counts() -> None:
    learned = {"usual": 30_000}
    assert chosen(WANTS, ALL, learned_mb=learned) == "eyes"
    assert obstacle(USUAL, WANTS, situation(learned_mb=learned)).startswith("needs 30512 MB of GPU memory")


# --- no ping-pong ---------------------------------------------------------------------------------------------------
def test_of_two_near_equals_the_one_that_is_loaded_stays() -> None:
    twin = replace(USUAL, key="twin", name="twin", vram_mb=USUAL.vram_mb - 1)
    for loaded in ("usual", "twin"):
        assert chosen(WANTS, (USUAL, twin), loaded=frozenset({loaded})) == loaded
    assert chosen(WANTS, (USUAL, twin)) == "twin", "otherwise the one that takes less"
    assert chosen(WANTS, (USUAL, EYES), loaded=frozenset({"eyes"})) == "eyes"


def test_a_stronger_one_that_is_loaded_stays_and_a_weaker_one_does_not() -> None:
    assert chosen(WANTS, ALL, loaded=frozenset({"large"}), resources=machine(vram_free_mb=10 * GB)) == "large"
    assert chosen(WANTS, ALL, loaded=frozenset({"small"})) == "usual"
    assert chosen(replace(WANTS, complexity=LIGHT), (SMALL, LARGE), loaded=frozenset({"large"})) == "large"


# --- what cannot be asked -------------------------------------------------------------------------------------------
BARS = {
    "is not in use (see the catalogue)": (replace(USUAL, enabled=False), {}),
    "is not on the server: `ollama pull usual:latest`": (USUAL, {"served": {ProviderName.OLLAMA: frozenset()}}),
    "is not on the server": (
        replace(USUAL, provider=ProviderName.OPENAI), {"served": {ProviderName.OPENAI: frozenset()}},
    ),
    "Ollama cannot be reached": (USUAL, {"away": {ProviderName.OLLAMA: "Ollama cannot be reached"}}),
    "has just failed": (USUAL, {"excluded": {"usual": "has just failed"}}),
    "runs on another machine, and no admin has allowed that": (USUAL, {"remote": frozenset({"usual"})}),
}  # fmt: skip


@pytest.mark.parametrize("why", BARS)
def test_what_bars_a_model_is_said(why: str) -> None:
    barred, fields = BARS[why]
    assert obstacle(barred, WANTS, situation(**fields)) == why
    with pytest.raises(NoModelFits, match=re.escape(why)):
        choose(WANTS, (barred,), situation(**fields))


def test_a_cloud_model_needs_an_admin_and_no_memory() -> None:
    """T9"""
    cloud = replace(USUAL, name="big:480b-cloud", vram_mb=900_000)
    assert "no admin" in obstacle(cloud, WANTS, situation())
    allowed = replace(cloud, allow_remote=True)
    assert chosen(WANTS, (allowed,)) == "usual"


# --- held by hand ---------------------------------------------------------------------------------------------------
def test_a_model_that_is_held_answers_whatever_speaks_against_it() -> None:
    held = replace(SMALL, held=True)
    lowered = {"small": (Mark("failed lately"),)}
    choice = choose(replace(WANTS, complexity=STRONG), (held, LARGE), situation(lowered=lowered))
    assert choice.model is held
    assert choice.reasons[0] == "is held by hand"


def test_a_held_model_that_cannot_is_replaced_and_that_is_said() -> None:
    choice = choose(replace(WANTS, vision=True), (replace(SMALL, held=True), EYES), situation())
    assert choice.model is EYES
    assert choice.reasons[0] == "“small” is held by hand, and cannot answer this: cannot do pictures"


# --- lately ---------------------------------------------------------------------------------------------------------
def lowered(*failed: bool) -> dict[str, tuple[Mark, ...]]:
    return {"usual": tuple(Mark("was so lately", failed=one) for one in failed)}


def test_slowness_outweighs_nothing_but_being_loaded() -> None:
    twin = replace(USUAL, key="twin", name="twin", vram_mb=USUAL.vram_mb + 1)
    here = {"loaded": frozenset({"usual"})}
    assert chosen(WANTS, (USUAL, twin), **here, lowered=lowered(False)) == "twin"
    assert chosen(WANTS, (USUAL, SMALL), **here, lowered=lowered(False, False, False)) == "usual"


def test_a_failure_outweighs_everything_and_what_failed_less_often_is_asked_first() -> None:
    here = {"loaded": frozenset({"usual"})}
    assert chosen(WANTS, (USUAL, SMALL), **here, lowered=lowered(True)) == "small"
    assert chosen(WANTS, (USUAL,), **here, lowered=lowered(True)) == "usual", "it is no bar"
    both = {**lowered(True), "small": (Mark("failed lately"), Mark("failed lately"))}
    assert chosen(WANTS, (USUAL, SMALL), lowered=both) == "usual"


def test_marks_are_forgotten_after_five_minutes() -> None:
    clock = Clock()
    recent = RecentOutcomes(clock)
    recent.failed("usual", AnswerBroken("500"))
    clock.now += 200
    recent.failed("usual", AnswerBroken("500"))
    told = []
    for seconds in (0, 99, 1, 199, 1):
        clock.now += seconds
        told.append(len(recent.lowered().get("usual", ())))
    assert told == [2, 2, 1, 1, 0]


def test_each_kind_of_failure_has_its_words_and_too_little_memory_counts_little() -> None:
    recent = RecentOutcomes(Clock())
    for error in (
        OutOfMemory("none"), NotEnoughVRAM("it", needed_mb=2, free_mb=1), AnswerUnusable("no"), AnswerBroken("500"),
    ):  # fmt: skip
        recent.failed("a", error)
    assert recent.lowered()["a"] == (
        Mark("ran out of memory lately"),
        Mark("found too little memory lately", failed=False),
        Mark("gave an answer of no use lately"),
        Mark("failed lately (AnswerBroken)"),
    )


@pytest.mark.parametrize(
    ("tokens", "first_s", "load_s", "seconds", "words"),
    [
        (40, 1.0, 0.0, 2.0, []),
        (40, 1.0, 0.0, 20.0, ["was slow lately (2.0 tokens a second)"]),
        (5, 1.0, 0.0, 20.0, []),  # so few tokens tell nothing
        (40, 25.0, 0.0, 2.0, ["was slow lately (25 s until the first word)"]),
        (40, 90.0, 88.0, 2.0, []),  # that was the load
    ],
)
def test_slow_is_slower_than_people_read(
    tokens: int, first_s: float, load_s: float, seconds: float, words: list[str]
) -> None:
    recent = RecentOutcomes(Clock())
    recent.answered("a", Chunk(done=True, tokens_out=tokens, load_s=load_s), first_s=first_s, seconds=seconds)
    assert [mark.words for mark in recent.lowered().get("a", ())] == words


def test_a_server_that_does_not_tell_is_believed_to_keep_a_model_for_a_while() -> None:
    clock = Clock()
    recent = RecentOutcomes(clock)
    assert not recent.answered_lately("a")
    recent.answered("a", Chunk(done=True), first_s=1, seconds=1)
    assert recent.answered_lately("a")
    clock.now += 300
    assert not recent.answered_lately("a")


# --- whatever there is ----------------------------------------------------------------------------------------------
KEYS = "abcd"
MB = st.sampled_from((0, 500, 2000, 6000, 6001, 12_000, 30_000))
SOME = st.sampled_from([frozenset(some) for some in ("", "", "", "a", "b", "bc", "abcd")])
PROVIDERS = st.sampled_from((ProviderName.OLLAMA, ProviderName.OLLAMA, ProviderName.OPENAI))
MODELS = st.builds(
    ModelEntry,
    key=st.sampled_from(KEYS),
    name=st.sampled_from(("it:7b", "it:7b", "it:cloud")),
    provider=PROVIDERS,
    capabilities=st.sampled_from([frozenset(some) for some in (["text"], ["text", "json"], list(Capability.values))]),
    tier=st.sampled_from(Tier),
    vram_mb=MB,
    ram_mb=MB,
    context_length=st.sampled_from((4096, 32_768)),
    enabled=st.sampled_from((True, True, True, False)),
    allow_remote=st.booleans(),
)
TASKS = st.builds(
    Task,
    vision=st.booleans(),
    json=st.booleans(),
    complexity=st.sampled_from(Tier),
    least_tokens=st.sampled_from((0, 4096, 4097, 8193)),
    all_tokens=st.sampled_from((0, 5000, 40_000)),
)
SITUATIONS = st.builds(
    Situation,
    resources=st.builds(
        machine,
        vram_free_mb=st.sampled_from((None, 0, 2512, 6512, 7500, 24_000)),
        ram_free_mb=st.sampled_from((0, 3024, 7024, 64_000)),
        cpu_percent=st.sampled_from((5.0, 95.0)),
    ),
    mode=st.sampled_from(ExecutionMode),
    served=st.sampled_from(({}, {}, {ProviderName.OLLAMA: frozenset("abc")})),
    away=st.sampled_from(({}, {}, {ProviderName.OPENAI: "is away"})),
    here=st.sampled_from((frozenset(ProviderName), frozenset({ProviderName.OLLAMA}))),
    loaded=SOME,
    gives_way_mb=MB,
    all_stay=st.booleans(),
    remote=SOME,
    learned_mb=st.sampled_from(({}, {"a": 9000})),
    lowered=st.sampled_from(
        ({}, {"a": (Mark("failed lately"),)}, {"b": (Mark("was slow lately", failed=False), Mark("failed lately"))})
    ),
    excluded=st.sampled_from(({}, {}, {"a": "has just failed"})),
)


@given(
    task=TASKS,
    models=st.lists(MODELS, max_size=4, unique_by=lambda one: one.key),
    held=st.sampled_from(("", "", "a", "b")),
    now=SITUATIONS,
)
def test_whatever_there_is_the_choice_is_possible_explained_and_steady(
    task: Task, models: list[ModelEntry], held: str, now: Situation
) -> None:
    """S4.2"""
    catalogue = tuple(replace(one, held=one.key == held) for one in models)
    try:
        choice = choose(task, catalogue, now)
    except NoModelFits:
        assert all(obstacle(one, task, now) for one in catalogue), "none was left that could"
        return
    check_possible(choice.model, task, now)
    assert choice.reasons and all(why.strip() for why in choice.reasons)
    check_steady(choice, task, catalogue, now)


def check_possible(model: ModelEntry, task: Task, now: Situation) -> None:
    """It can do it, it fits, it may run here; reckoned anew, by other words than those of the choice."""
    assert model.enabled
    assert model.key not in now.excluded
    assert model.provider not in now.away
    assert model.key in now.served.get(model.provider, {model.key})
    assert (not task.vision or "vision" in model.capabilities) and (not task.json or "json" in model.capabilities)
    assert task.least_tokens <= model.context_length
    remote = model.key in now.remote or (model.provider == "ollama" and model.name.endswith(":cloud"))
    assert model.allow_remote or not remote
    if remote or model.key in now.loaded or model.provider not in now.here:
        return
    gives_way = now.gives_way_mb if model.provider == "ollama" else 0  # for another server nothing of Ollama's leaves
    if now.resources.gpus:
        need = now.learned_mb.get(model.key, model.vram_mb)
        assert need + now.headroom_mb <= (now.resources.vram_free_mb or 0) + gives_way
    else:
        assert model.ram_mb < now.resources.ram_free_mb + gives_way


def check_steady(choice: Selection, task: Task, catalogue: tuple[ModelEntry, ...], now: Situation) -> None:
    """The order of the catalogue changes nothing; and having loaded what was chosen, it is chosen again."""
    assert choose(task, catalogue[::-1], now).model == choice.model
    key = choice.model.key
    need = now.learned_mb.get(key, choice.model.vram_mb)
    free = None if now.resources.vram_free_mb is None else max(0, now.resources.vram_free_mb - need)
    less = replace(now.resources, gpus=machine(vram_free_mb=free).gpus)
    assert choose(task, catalogue, replace(now, loaded=frozenset({key}), resources=less)).model.key == key


def test_the_products_own_catalogue_gives_each_machine_its_model() -> None:
    """What people with usual graphics cards get, the headroom and CLIP apart."""
    own = read_file(SEED)
    got = {
        vram: chosen(replace(WANTS, vision=vision), own, resources=machine(vram_free_mb=vram))
        for vram, vision in ((6 * GB, False), (7 * GB, True), (9 * GB, True), (23 * GB, False))
    }
    assert got == {6144: "qwen2-5-7b", 7168: "qwen2-5vl-3b", 9216: "qwen2-5vl-7b", 23552: "qwen2-5-7b"}
