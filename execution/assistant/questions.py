"""What a question is about, in English or French: read by rules, so that it is the same with and without a model.

Only the person's own words are read here, never a text of a screen.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from enum import StrEnum

MOST_STEPS = 5  # that one question names


class Topic(StrEnum):
    DECISIONS = "decisions"  # who corrected, answered, rejected what
    CORRECTION = "correction"  # a correction is to be drafted
    STATE = "state"  # why is it paused, what does it wait for
    FAILURE = "failure"  # which step failed, and why
    OUTCOME = "outcome"  # which steps were skipped, rejected, tried again …
    SCREEN = "screen"  # what was on the screen
    TARGET = "target"  # why there
    PROGRESS = "progress"  # how far is it, how long did it take
    STEP = "step"  # what did it do at step 4
    RUN = "run"  # all else


class Which(StrEnum):
    """A step that is named by its place and not by its number."""

    NONE = ""
    FIRST = "first"
    LAST = "last"
    BEFORE_LAST = "before_last"
    BEFORE = "before"  # the one before the step that was spoken of
    NEXT = "next"


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """`said` are the texts that the person put in quotation marks, `run` a run that they named."""

    topic: Topic
    steps: tuple[int, ...] = ()
    which: Which = Which.NONE
    run: str = ""
    said: tuple[str, ...] = ()
    of_failure: bool = False  # it speaks of what failed, whatever it asks of it
    of_start: bool = False  # who started the run
    of_outcome: str = ""  # which of OUTCOMES it speaks of
    among_failed: bool = False  # its first or last step is that of those that failed
    language: str = "en"
    text: str = ""


_QUOTED = re.compile(r"“([^”]{1,200})”|«\s*([^»]{1,200}?)\s*»|\"([^\"]{1,200})\"|(?<![\w’'])'([^']{1,200})'(?!\w)")
_RUN = re.compile(
    r"\b(exec_\w+)\b|\b(?:run|execution)s?\s+(?:n[o°]?\s*|#\s*)?(\d+)\b(?!\s*(?:steps?|etapes?|times|fois|of|sur|%))"
)
_NUMBER_WORDS = {
    word: number
    for number, words in enumerate(
        (
            "one un une", "two deux", "three trois", "four quatre", "five cinq", "six", "seven sept", "eight huit",
            "nine neuf", "ten dix", "eleven onze", "twelve douze",
        ),
        start=1,
    )
    for word in words.split()
}  # fmt: skip
_JOIN = r"\s{0,3}(?:,|&|-|–|\b(?:and|et|or|ou|to|a)\b)\s{0,3}"
_WORD = rf"(?:{'|'.join(_NUMBER_WORDS)})\b"
_NUMBERS = re.compile(
    r"\b(?:steps?|etapes?)\s*(?:(?:number|numeros?|n[o°]?s?\.?|[#:(])\s*)?"
    rf"(\d+(?:{_JOIN}\d+)*|\b{_WORD}(?:{_JOIN}{_WORD})*)"
)
_RANGE = re.compile(r"(\d+)\s*(?:-|–|to|a)\s*(\d+)")
_NTH = re.compile(r"\b(\d+)\s*(?:st|nd|rd|th|e|eme|ere|er)\s+(?:step|etape)\b")
_ORDINALS = {
    word: number
    for number, words in enumerate(
        (
            ("second", "deuxieme", "seconde"), ("third", "troisieme"), ("fourth", "quatrieme"), ("fifth", "cinquieme"),
            ("sixth", "sixieme"), ("seventh", "septieme"), ("eighth", "huitieme"), ("ninth", "neuvieme"),
            ("tenth", "dixieme"), ("eleventh", "onzieme"), ("twelfth", "douzieme"),
        ),
        start=2,
    )
    for word in words
}  # fmt: skip
_ORDINAL = re.compile(rf"\b({'|'.join(_ORDINALS)})\s+(?:step|etape)\b")

_WHICH = (
    (
        Which.BEFORE_LAST,
        (
            r"\b(second|next)[ -](to[ -])?(the )?last (step|thing)\b|\blast (step )?but one\b|\bpenultimate\b",
            r"\bavant[ -]derniere\b|\bpenultieme\b",
        ),
    ),
    (Which.FIRST, (r"\bfirst (step|thing|fail\w*|error)\b", r"\bpremiere etape\b|\bpremiere? (echec|erreur)\b")),
    (
        Which.BEFORE,
        (
            r"\b(previous step|step before|one before|before that)\b|^and before\b",
            r"\betape (d.avant|precedente)\b|\bjuste avant\b|^et (la precedente|avant|celle d.avant)\b",
        ),
    ),
    (
        Which.NEXT,
        (
            r"\b(next step|step after|one after|after that)\b|^and (after|then)\b",
            r"\betape (d.apres|suivante)\b|\bjuste apres\b|^et (la suivante|apres|celle d.apres)\b",
        ),
    ),
    (Which.LAST, (r"\b(last|latest|final) (step|thing)\b", r"\bderniere etape\b|\ben dernier\b")),
)

# What may have become of a step beside success and failure, in the words that people have for it.
OUTCOMES = {
    "rejected": r"rejected|rejetee?s?|refusee?s?",
    "skipped": r"skipped|left out|ignoree?s?|sautee?s?|ete passee?s?",
    "interrupted": r"interrupted|not (been )?(carried out|executed)|interrompue?s?|pas (ete )?(execute|effectue)e?s?",
    "retried": r"retried|repeated|tried (again|twice|more than once|several times)|reessayee?s?|retentee?s?|repetee?s?",
    "in_doubt": r"(in doubt|doubtful|uncertain|en doute|douteuses?|incertaines?)",
    "manual": r"by hand|manually|a la main",
}

# The first that matches is what the question is about.
_TOPICS = (
    (
        Topic.DECISIONS,
        (
            r"\bwho\b|\bby whom\b|^(et |mais )?qui\b|\bpar qui\b",
            r"\bqui (a|ont|l.a)\b.*\b(corrig|repond|decid|accept|refus|rejet|arret|lanc|demarr|fait)",
            r"\b(was|were|been|got) (corrected|accepted)\b|\bcorrected steps?\b",
            r"\bcorrections? (made|were|was|faites?)\b|\b(anything|something|nothing) (been )?corrected\b",
            r"\b(a|ont) ete (corrig|accept)|\betapes? corrigee",
        ),
    ),
    (
        Topic.OUTCOME,
        tuple(rf"\b(steps?|etapes?|anything|something|nothing|rien)\b.*\b({words})\b" for words in OUTCOMES.values()),
    ),
    (
        Topic.CORRECTION,
        (
            r"\bcorrect(ion)? (it|this|that|the)\b|\bfix (it|this|that)\b|\binstead\b|\brather\b",
            r"\b(draft|propose|suggest|prepare|make|write) (me )?(a |the )?correction\b",
            r"\bhow (do|can|should|would) (i|we|one) correct",
            r"\b(should|must) (have )?(be|been|click|clicked|type|typed|press|pressed)\b",
            r"(^|[,.;:] ?)(please )?(use|click|type|press|take|choose)\b",
            r"(^|[,.;:] ?)(utilise|clique|tape|saisis|appuie|prend|choisi)(s|r|z|ez)?\b|\bil faut\b",
            r"\b(corrige|corriger|corrigez)\b|\bune correction\b|\bplutot\b|\bau lieu\b",
            r"\b(propose|redige|prepare|suggere|fais)[rz]?(-moi)? (moi )?(une )?correction\b",
            r"\bil (faut|faudrait|fallait) (cliquer|taper|saisir|appuyer)\b|\bdevrait (etre|cliquer|taper)\b",
        ),
    ),
    (
        Topic.STATE,
        (
            r"\bpaus|\bwait(s|ing|ed)?\b|\bstuck\b|\bhang(s|ing)?\b|\bqueued?\b|\bdoubt\b|\bwhat does it ask\b",
            r"\bwhy (did|has|is) (it|the run) stop|\bwhy is nothing\b",
            r"\battend\b|\battente\b|\bbloqu|\bdemande-t-il\b|\bdoute\b",
            r"\bpourquoi.*\b(arrete|s.arrete|rien ne)\b",
            r"\bwhat is it asking\b|\bdoes it ask\b|\bwhat (should|must|can) i do\b|\b(can|may|should) i resume\b",
            r"\bque (dois|puis|faut-il)\b|\bpuis-je\b|\breprendre\b",
        ),
    ),
    (
        Topic.TARGET,
        (
            r"\bwhere (did|does|has) (it|the robot) click|\bou (a|est|va)-t-il (clique|cliquer)",
            r"\b(wrong|mauvais|mauvaise) (button|place|target|field|spot|bouton|endroit|cible|champ)\b",
        ),
    ),
    (
        Topic.SCREEN,
        (
            r"\bon (the |its |that )?screen\b|\bscreen (show|look|say|said)|\bwindow title\b|\bwhat was read\b",
            r"\bshow me the screen\b|\b(quelle|la) (etait|est) la fenetre\b|\bquelle fenetre\b",
            r"\bwhat (did|does|could|can) (it|the robot) (see|read|look)|\bwhich (screen|window)\b",
            r"\b(was|were|is) (shown|displayed|visible|there to see)\b",
            r"\b(a|sur) l.ecran\b|\bl.ecran\b|\bvoyait\b|\bvoit\b|\bvu\b|\baffich|\bquel(le)? (ecran|fenetre)\b",
        ),
    ),
    (
        Topic.FAILURE,
        (
            r"\bfail|\berrors?\b|\bwrong\b|\bproblems?\b|\bcrash|\bbroke|\bdidn.t work\b|\bdid not work\b",
            r"\b(did|has) (it|everything) (work|go|went|gone)\b|\bgo well\b|\btout .*bien (passe|marche)\b|\breussi\b",
            r"\bechou|\bechec\b|\berreurs?\b|\bplante|\bprobleme|\bpas (marche|fonctionne|reussi)|\brate[es]?\b",
        ),
    ),
    (
        Topic.TARGET,
        (
            r"\bwhy\b.*\b(there|target|click|chose|choose|pick|place|button|this one|that one|here)|\btarget\b",
            r"\bhow (did|does|has) (it|the robot) (find|found)|\bdid it (click|find) there\b|\brunner-up\b",
            r"\bhow sure\b|\bconfiden|\bscore\b|\bconfiance\b|\bcible\b|\bcomment\b.*\btrouve",
            r"\bpourquoi\b.*\b(la|cible|cliqu|choisi|endroit|bouton|ici|celui|celle)",
        ),
    ),
    (
        Topic.PROGRESS,
        (
            r"\bhow (far|long|many|much)\b|\bprogress|\bremain|\bto go\b|\bis it (done|finished|over|still)\b",
            r"\bwhen\b|\bslow|\bou en est\b|\bcombien\b|\bavance|\brest(e|ent|ant)\b|\btermine\b|\bfini\b",
            r"\bquand\b|\bduree\b|\blent|\bnext\b|\bensuite\b|\bla suite\b|\bwhat comes\b|\ben est-on\b",
        ),
    ),
    (Topic.TARGET, (r"^(and |et |but |mais )?(why|pourquoi)\b[\s?!.]*$",)),
    (
        Topic.STEP,
        (
            r"\bsteps?\b|\betapes?\b|\bwhat (did|has|does|is) (it|the robot) (do|typ|press|writ|enter|click)",
            r"\bwhich button\b|\bquel bouton\b|\bque fait-il\b",
            r"\bqu.(a-t-il|a-t-elle|est-ce qu.il a) (fait|tape|saisi|presse|clique)\b",
        ),
    ),
)
_TOPIC = tuple((topic, re.compile("|".join(patterns))) for topic, patterns in _TOPICS)
_PLACE = tuple((which, re.compile("|".join(patterns))) for which, patterns in _WHICH)

_FAILURE = next(pattern for topic, pattern in _TOPIC if topic is Topic.FAILURE)
_AMONG_FAILED = re.compile(
    r"\b(first|last|latest|final) (step|thing) (that|which|to)\b|\b(first|last|latest|final) (fail|error)"
    r"|\b(premiere|derniere) etape (qui|en echec|echouee|ratee)|\b(premiere?|derniere?) (echec|erreur)"
)
_START = re.compile(r"\b(who|by whom|qui|par qui)\b.*\b(start|launch|lanc|demarr)")
_ACCENTED = re.compile(r"[éèêàâçùûîôœ]", re.IGNORECASE)
_FRENCH = re.compile(
    r"\b(le|la|les|l|un|une|des|du|qui|que|quoi|quel|quelle|est|etait|pourquoi|comment|combien|ou|en|etape|sur|ecran|pas|"
    r"il|elle|a-t-il|et|dans|avec|plutot|faut|corrige|moi|cette|ce|cela|ca|fait|echoue|a|c)\b"
)
_ENGLISH = re.compile(
    r"\b(the|a|an|which|what|who|why|how|is|was|were|did|does|it|this|that|step|on|at|screen|of|and|in|far|failed|fail|"
    r"correct|draft|instead|should|with|to|there|happened|tell|me|about|run)\b"
)


def understood(text: str, *, language: str = "en") -> Question:
    """What `text` asks; `language` (en, fr) stands where the words themselves do not tell it."""
    said = tuple(next(filter(None, found.groups())).strip() for found in _QUOTED.finditer(text))
    plain = folded(_QUOTED.sub(" ", text))
    steps, which = _steps(plain), next((w for w, pattern in _PLACE if pattern.search(plain)), Which.NONE)
    topic = next((topic for topic, pattern in _TOPIC if pattern.search(plain)), Topic.RUN)
    if (topic is Topic.RUN and (steps or which)) or (topic is Topic.PROGRESS and (steps or which)):
        topic = Topic.STEP
    run = _RUN.search(plain)
    return Question(
        topic=topic,
        steps=steps,
        which=which,
        run=next(filter(None, run.groups())) if run else "",
        said=said,
        of_failure=_FAILURE.search(plain) is not None,
        of_outcome=next((name for name, words in OUTCOMES.items() if re.search(rf"\b({words})\b", plain)), ""),
        among_failed=_FAILURE.search(plain) is not None and _AMONG_FAILED.search(plain) is not None,
        of_start=_START.search(plain) is not None,
        language=_language(text, plain, language),
        text=text,
    )


def folded(text: str) -> str:
    """In small letters without accents, its apostrophes alike."""
    letters = unicodedata.normalize("NFKD", text.replace("’", "'").replace("œ", "oe").lower())
    return " ".join("".join(c for c in letters if not unicodedata.combining(c)).split())


def _steps(plain: str) -> tuple[int, ...]:
    listed = [n for found in _NUMBERS.finditer(plain) for n in _counted(found[1])]
    listed += [int(found[1]) for found in _NTH.finditer(plain)]
    listed += [_ORDINALS[found[1]] for found in _ORDINAL.finditer(plain)]
    return tuple(dict.fromkeys(listed))[:MOST_STEPS]


def _counted(words: str) -> list[int]:
    """“2, 4 and 5”, “2 to 4”, “two and three”; of a long range its beginning."""

    def whole(found: re.Match[str]) -> str:
        first, last = int(found[1]), int(found[2])
        return ",".join(map(str, range(first, min(last, first + MOST_STEPS) + 1))) if first < last else found[0]

    if words[0].isdigit():
        return [int(n) for n in re.findall(r"\d+", _RANGE.sub(whole, words))]
    return [_NUMBER_WORDS[word] for word in re.findall(r"[a-z]+", words) if word in _NUMBER_WORDS]


def _language(text: str, plain: str, otherwise: str) -> str:
    french, english = len(_FRENCH.findall(plain)), len(_ENGLISH.findall(plain))
    french += len(_ACCENTED.findall(_QUOTED.sub(" ", text)))
    if french == english:
        return "fr" if otherwise.startswith("fr") else "en"
    return "fr" if french > english else "en"
