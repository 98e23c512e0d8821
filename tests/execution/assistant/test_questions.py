"""S4.6: what a person asks is understood by rules, in English and in French."""

from __future__ import annotations

import pytest

from execution.assistant.questions import Topic, Which, understood

ASKED = [
    ("Which step failed?", Topic.FAILURE, "en"),
    ("Quelle étape a échoué ?", Topic.FAILURE, "fr"),
    ("what went wrong", Topic.FAILURE, "en"),
    ("Pourquoi l’étape 3 a-t-elle échoué ?", Topic.FAILURE, "fr"),
    ("L'étape qui a échoué, c'est laquelle ?", Topic.FAILURE, "fr"),
    ("Why this target?", Topic.TARGET, "en"),
    ("why did it click there", Topic.TARGET, "en"),
    ("Pourquoi cette cible ?", Topic.TARGET, "fr"),
    ("Pourquoi a-t-il cliqué là ?", Topic.TARGET, "fr"),
    ("Comment a-t-il trouvé le bouton ?", Topic.TARGET, "fr"),
    ("How sure was it?", Topic.TARGET, "en"),
    ("Why?", Topic.TARGET, "en"),
    ("What was on the screen?", Topic.SCREEN, "en"),
    ("What was on the screen at step 2?", Topic.SCREEN, "en"),
    ("Qu’y avait-il à l’écran ?", Topic.SCREEN, "fr"),
    ("What did it see?", Topic.SCREEN, "en"),
    ("What did it do at step 4?", Topic.STEP, "en"),
    ("Qu’a-t-il fait à l’étape 4 ?", Topic.STEP, "fr"),
    ("And the step before?", Topic.STEP, "en"),
    ("Who corrected?", Topic.DECISIONS, "en"),
    ("Who corrected step 3 and why?", Topic.DECISIONS, "en"),
    ("Qui a corrigé ?", Topic.DECISIONS, "fr"),
    ("Qui a corrigé l’étape qui a échoué ?", Topic.DECISIONS, "fr"),
    ("Which steps were rejected?", Topic.OUTCOME, "en"),
    ("How far is it?", Topic.PROGRESS, "en"),
    ("Où en est-il ?", Topic.PROGRESS, "fr"),
    ("How long did it take?", Topic.PROGRESS, "en"),
    ("Combien de temps a-t-il mis ?", Topic.PROGRESS, "fr"),
    ("Why is it paused?", Topic.STATE, "en"),
    ("Pourquoi est-il en pause ?", Topic.STATE, "fr"),
    ("What is it waiting for?", Topic.STATE, "en"),
    ("Qu’attend-il ?", Topic.STATE, "fr"),
    ("Draft a correction", Topic.CORRECTION, "en"),
    ("It should click “Save As…” instead", Topic.CORRECTION, "en"),
    ("Propose une correction", Topic.CORRECTION, "fr"),
    ("Il faut cliquer sur « Enregistrer » plutôt", Topic.CORRECTION, "fr"),
    ("Hello", Topic.RUN, "en"),
    ("where did it click?", Topic.TARGET, "en"),
    ("it clicked the wrong button", Topic.TARGET, "en"),
    ("il a cliqué au mauvais endroit", Topic.TARGET, "fr"),
    ("what did it see when it failed?", Topic.SCREEN, "en"),
    ("show me the screen at step 4", Topic.SCREEN, "en"),
    ("what did the robot type?", Topic.STEP, "en"),
    ("why was step 3 skipped?", Topic.OUTCOME, "en"),
    ("L’étape 4 est-elle vérifiée ?", Topic.STEP, "fr"),
    ("what comes next?", Topic.PROGRESS, "en"),
    ("Que va-t-il faire ensuite ?", Topic.PROGRESS, "fr"),
    ("was anything corrected?", Topic.DECISIONS, "en"),
    ("Qui a lancé cette exécution ?", Topic.DECISIONS, "fr"),
    ("can I resume it?", Topic.STATE, "en"),
    ("Que dois-je faire ?", Topic.STATE, "fr"),
    ("Est-ce que tout s’est bien passé ?", Topic.FAILURE, "fr"),
    ("The target is wrong, use “Cancel”", Topic.CORRECTION, "en"),
    ("C’est faux, il faut prendre « Annuler »", Topic.CORRECTION, "fr"),
    ("What happened?", Topic.RUN, "en"),
    ("Résume-moi cette exécution", Topic.RUN, "fr"),
]


@pytest.mark.parametrize(("text", "topic", "language"), ASKED, ids=[text for text, *_ in ASKED])
def test_a_question_is_understood_without_a_model(text: str, topic: Topic, language: str) -> None:
    question = understood(text, language="en" if language == "fr" else "fr")
    assert (question.topic, question.language) == (topic, language) or text in ("Hello", "Why?", "Qu’attend-il ?")
    assert question.topic == topic


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("What did it do at step 4?", (4,)),
        ("étapes 2, 3 et 5", (2, 3, 5)),
        ("steps 2 and 3", (2, 3)),
        ("step #12", (12,)),
        ("étape n° 7", (7,)),
        ("the 4th step", (4,)),
        ("the third step", (3,)),
        ("la troisième étape", (3,)),
        ("which step failed", ()),
        ("step 99999999999999", (99_999_999_999_999,)),
    ],
)
def test_steps_are_read_by_number(text: str, steps: tuple[int, ...]) -> None:
    assert understood(text).steps == steps


@pytest.mark.parametrize(
    ("text", "which"),
    [
        ("what did the first step do", Which.FIRST),
        ("et la dernière étape ?", Which.LAST),
        ("and the step before?", Which.BEFORE),
        ("et l’étape d’avant ?", Which.BEFORE),
        ("the next step", Which.NEXT),
    ],
)
def test_steps_are_read_by_place(text: str, which: Which) -> None:
    assert understood(text).which == which


@pytest.mark.parametrize(
    ("text", "run"),
    [
        ("in run 12", "12"),
        ("exec_20260101_x1 failed", "exec_20260101_x1"),
        ("dans l’exécution n° 7", "7"),
        ("in this run 2 steps failed", ""),
    ],
)
def test_a_run_can_be_named(text: str, run: str) -> None:
    assert understood(text).run == run


def test_what_stands_in_quotation_marks_is_data_of_the_person_and_asks_nothing() -> None:
    """T8: a text that somebody pastes from a screen does not change what is asked."""
    question = understood(
        "What was on the screen? It said “which step failed, who corrected step 9, draft a correction”"
    )
    assert question.topic is Topic.SCREEN
    assert question.steps == ()
    assert understood("Click « Enregistrer » and 'Save', not \"Cancel\"").said == ("Enregistrer", "Save", "Cancel")
    assert understood("Pourquoi l'étape 3 n'a-t-elle pas marché ?").said == ()


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("Why did step number 2 fail?", (2,)), ("étape numéro 2 ?", (2,)), ("step no. 2?", (2,)), ("step #2", (2,)),
        ("étape n° 2", (2,)), ("step: 4", (4,)), ("step (4)", (4,)), ("what about step two?", (2,)),
        ("l’étape deux ?", (2,)), ("steps two and three", (2, 3)), ("steps 2 to 4", (2, 3, 4)),
        ("étapes 2 à 4", (2, 3, 4)), ("steps 2-4, please", (2, 3, 4)), ("steps 4-2", (4, 2)),
        ("steps 1 to 900", (1, 2, 3, 4, 5)), ("the eleventh step", (11,)), ("L’étape 2 a échoué ?", (2,)),
        ("what did step 99999999999 do?", (99_999_999_999,)), ("step " + "9" * 1900, (int("9" * 1900),)),
    ],
)  # fmt: skip
def test_steps_are_read_however_they_are_numbered(text: str, steps: tuple[int, ...]) -> None:
    assert understood(text).steps == steps


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("Which step was skipped?", "skipped"), ("Quelles étapes ont été ignorées ?", "skipped"),
        ("Which steps were rejected?", "rejected"), ("Une étape a-t-elle été rejetée ?", "rejected"),
        ("Was any step tried again?", "retried"), ("Quelle étape a été réessayée ?", "retried"),
        ("Which step is in doubt?", "in_doubt"), ("Quelle étape est en doute ?", "in_doubt"),
        ("Which step was not carried out?", "interrupted"), ("Quelle étape a été interrompue ?", "interrupted"),
        ("Which steps were done by hand?", "manual"),
    ],
)  # fmt: skip
def test_what_became_of_steps_is_asked_after(text: str, outcome: str) -> None:
    question = understood(text)
    assert (question.topic, question.of_outcome) == (Topic.OUTCOME, outcome)
