"""Sentences as data: each code in both languages, each place of use, and what a reader gets."""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django.utils import translation

from execution.language.acts import ACT, values_of_act
from sentences.base import SENTENCES
from sentences.said import (
    Said,
    by_sentence,
    cause,
    from_json,
    from_text,
    in_words,
    listed,
    say,
    then,
    to_json,
    to_text,
    told_by,
    worded,
)
from workflows.graph import EdgeSpec

PLACE = re.compile(r"%\((\w+)\)(\.\d+f|[sdg])")
# Said alike in both languages: nothing but values, and words that are French as well.
ALIKE = frozenset({
    "joined.listed", "joined.sentences", "joined.in_a_row", "measure.value", "measure.place", "dialog.untitled",
    "turn.quoted", "record.for_a_reason", "value.aside", "choice.of_model", "about.mode", "tier.standard",
})  # fmt: skip
HIGH = ":;!?»%"  # in French a no-break space stands before these


def filled(code: str) -> Said:
    """The sentence with a value of the right kind in each of its places."""
    sentence = SENTENCES[code]
    values: dict[str, object] = {name: 3 if form == "d" else 0.61 if form != "s" else "Xyz" for name, form in
                                 PLACE.findall(sentence.text + sentence.plural)}  # fmt: skip
    return say(
        code, **{**values, **dict.fromkeys(sentence.shares, 0.61), **{name: ["Xyz"] for name in sentence.quoted}}
    )


def faults_of(code: str) -> Iterator[str]:
    """What is wrong with the sentence of that code, in one of the languages."""
    sentence, said = SENTENCES[code], filled(code)
    with translation.override("en"):
        english = worded(said)
    with translation.override("fr"):
        french = worded(said)
        texts = [translation.gettext(sentence.text)]
        if sentence.plural:
            texts = [translation.ngettext(sentence.text, sentence.plural, n) for n in (1, 2)]
    if english != str(said):
        yield f"{english} is not {said}"
    if "%(" in english + french or ("…" in french and "…" not in english):
        yield f"{english}, {french}: a value lacks"
    for text in texts:
        if text in (sentence.text, sentence.plural) and code not in ALIKE:
            yield f"{text}: it has no French words"
        own, places = set(PLACE.findall(text)), set(PLACE.findall(sentence.text + sentence.plural))
        if own != places and not (sentence.plural and own < places):  # “once” needs no number
            yield f"{text}: other values"
        if re.search(rf"(?<=[^\u00a0\u202f ])[{HIGH[1:4]}]| [{HIGH}](?!\()", text.replace("%%", "")):
            yield f"{text}: no no-break space before a high sign"


def test_every_code_is_told_in_both_languages() -> None:
    assert {code: faults for code in SENTENCES if (faults := list(faults_of(code)))} == {}


APPS = ("sentences", "workflows", "gpu", "execution", "analytics", "rpa_site")


def sources() -> Iterator[tuple[Path, str]]:
    """What may say something: all but the sentences themselves."""
    for path in sorted(path for app in APPS for path in (Path(settings.BASE_DIR) / app).rglob("*.py")):
        if path.name != "sentences.py" and path.parent.name != "sentences":
            yield path, path.read_text()


def calls() -> Iterator[tuple[str, ast.Call]]:
    for path, source in sources():
        if "sentences.said import" not in source:
            continue
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "say" and node.args:
                yield f"{path.name}:{node.lineno}", node


def codes_of(node: ast.expr) -> list[str]:
    """The codes that an argument may be; none where it is made at run time."""
    if isinstance(node, ast.IfExp):
        return codes_of(node.body) + codes_of(node.orelse)
    return [node.value] if isinstance(node, ast.Constant) else []


def test_every_place_that_says_something_has_a_sentence_and_all_its_values() -> None:
    """A code without a sentence would fail in the rare case it is there for, a value that lacks would be “…”."""
    wrong = []
    for place, call in calls():
        for code in codes_of(call.args[0]):
            if code not in SENTENCES:
                wrong.append(f"{place} {code}: no sentence")
            elif not any(keyword.arg is None for keyword in call.keywords):
                given = {keyword.arg for keyword in call.keywords}
                wrong += [f"{place} {code}: {name}" for name in SENTENCES[code].places ^ given]
    assert not wrong


def test_every_sentence_is_said_somewhere() -> None:
    source = "".join(source for _path, source in sources())
    made = re.findall(r'say\(f"(\w+)\.\{', source)
    built_in = {"joined", "value"}
    unused = [c for c in SENTENCES if f'"{c}"' not in source and c.partition(".")[0] not in {*made, *built_in}]
    assert not unused


def test_numbers_have_the_decimal_signs_of_their_reader() -> None:
    said = say("targeting.not_similar", score=0.6123, said=then(["a", say("sign.kind")]))
    assert str(said) == "the most similar place is not similar enough (0.61): a; it is of the same kind speaks for it"
    with translation.override("fr"):
        assert worded(said) == (
            "l’endroit le plus ressemblant ne l’est pas assez (0,61)\u00a0: en sa faveur\u00a0: "
            "a\u00a0; elle est du même genre"
        )


def test_a_sentence_after_a_full_stop_begins_with_a_capital_letter() -> None:
    unchanged = say("verification.unchanged")
    said = say("turn.did_not_work", what="Save", why=then([unchanged, unchanged]))
    assert str(said) == "“Save” did not work. The screen did not change; the screen did not change"
    with translation.override("fr"):
        assert worded(said).endswith(". L’écran n’a pas changé\u00a0; l’écran n’a pas changé")
    assert by_sentence(["One.", unchanged]) == "One. The screen did not change"
    assert then(["One.", unchanged]) == "One.; the screen did not change"


def test_a_text_of_the_screen_keeps_its_letters_after_a_full_stop() -> None:
    assert str(say("turn.did_not_work", what="Save", why="saved")).endswith("work. saved")
    stands = say("verification.identity_stands", what="ada", label="Name")
    assert str(say("turn.did_not_work", what="Save", why=stands)).endswith("work. ada stands at 'Name'")


def test_what_is_kept_has_code_and_values_and_comes_back_whole() -> None:
    said = then([say("targeting.reads_otherwise", read="Save"), say("targeting.several_places", strong=2, why="x")])
    kept = to_json(said)
    assert kept == {
        "code": "joined.then",
        "parts": [
            {"code": "targeting.reads_otherwise", "read": "Save"},
            {"code": "targeting.several_places", "strong": 2, "why": "x"},
        ],
    }
    for again in (from_json(kept), from_text(to_text(said)), copy.deepcopy(said)):
        assert again == said
        assert to_json(again) == kept


@pytest.mark.parametrize("text", ["Saved.", "", '{"code": "', '{"code": "nobody.knows"}', '{"code": 3}', "[1]"])
def test_a_text_that_was_kept_before_is_read_as_it_stands(text: str) -> None:
    assert from_text(to_text(text)) == text
    assert worded(from_text(text)) == text
    assert in_words({"message": text}) == {"message": text}


def test_a_text_that_is_written_like_a_sentence_of_ours_stays_the_text_of_another() -> None:
    """What a screen or a program says is data, and never taken for our own words."""
    forged = to_text(say("targeting.reads_otherwise", read="Save"))
    assert worded(from_text(to_text(str(forged)))) == forged
    assert from_text(to_text(from_text(to_text(forged)))) == forged


def test_a_code_that_is_gone_is_still_told() -> None:
    assert worded({"code": "targeting.of_long_ago", "n": 3}) == "targeting.of_long_ago (n: 3)"


def test_one_part_is_itself_and_none_is_nothing() -> None:
    kind = say("sign.kind")
    assert then(["", kind]) is kind
    assert listed([]) == ""
    assert by_sentence(["One.", "", "Two."]) == "One. Two."
    assert str(listed(["%(one)s", "%(next)s"])) == "%(one)s, %(next)s"


def test_a_variable_that_was_not_filled_in_goes_by_its_name() -> None:
    with translation.override("fr"):
        assert worded(say("targeting.label_missing", text="{{ patient }}")).count("{") == 0


def test_what_is_raised_keeps_its_code() -> None:
    assert to_json(told_by(ValueError(say("sign.kind")))) == {"code": "sign.kind"}
    assert told_by(ValueError("plain")) == "plain"
    assert [str(cause(ValueError(said))) for said in (say("sign.kind"), "plain")] == [
        str(say("sign.kind")),
        "ValueError: plain",
    ]
    assert to_json(say("targeting.picture_unusable", error=ValueError("plain")))["error"] == "plain"


def test_an_action_is_told_in_the_reader_s_words() -> None:
    edge = EdgeSpec(edge_id="e", source="a", destination="b", action_type="type_text", params={"text": "{{name}}"})
    said = Said(ACT, values_of_act(edge, None, {"name": "Léa"}))
    assert str(said) == "Type “Léa”"
    with translation.override("fr"):
        assert worded(from_json(to_json(said))) == "Saisir «\u00a0Léa\u00a0»"


def test_beside_a_message_are_its_code_and_its_values() -> None:
    kept = {"message": to_json(say("targeting.reads_otherwise", read="Save")), "index": 3}
    assert in_words(kept) == {"message": "reads 'Save'", "index": 3}
    assert in_words(kept, codes=True) == {
        "message": "reads 'Save'",
        "index": 3,
        "code": "targeting.reads_otherwise",
        "values": {"read": "Save"},
    }
