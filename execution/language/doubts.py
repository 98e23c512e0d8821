"""Texts by which a program says that nobody knows whether it was done, in English and French.

"The server did not answer in time" is neither a yes nor a no: what was sent may have been carried out. "Time-out" alone
is also the label of a setting and "unknown" a value, so neither is enough by itself.
"""

from __future__ import annotations

import re

from execution.language.fuzzy import folded

_NOBODY_ANSWERED = (
    r"\btimed.?out\b",
    r"^(?:error\W+)?time.?out\W*$",
    r"\btime.?out (?:exceeded|expired|reached|error|occurred|elapsed|while)\b",
    r"\b(?:gateway|request|connection|server|operation|response|read|network) time.?out\b",
    r"\btook too long\b|\bbad gateway\b|\b(?:is not|not|stopped) responding\b",
    r"\bno (?:response|reply|answer) (?:from|was|within|received|yet)\b",
    r"(?:\bdid not|\bdid ?n't|\bhas not|\bhas ?n't|\bdoes not|\bdoes ?n't|\bnever) (?:yet )?(?:respond|repl|answer)",
    r"\bconnection (?:was |has been |is )?(?:lost|reset|interrupted|broken|dropped|closed|aborted)\b",
    r"\blost (?:the )?connection\b",
    r"\b(?:delai|temps)\b.{0,28}\b(?:depasse|expire|ecoule|atteint)|\bexpiration du delai\b",
    r"\btrop (?:de temps|longtemps)\b|\b(?:pas de|sans|aucune) (?:reponse|confirmation)\b",
    r"\bne repond (?:pas|plus)\b|\bn'a (?:pas|jamais) repondu\b",
    r"\bconnexion\b.{0,16}\b(?:perdue|interrompue|coupee|rompue|reinitialisee|fermee)\b",
)
_CAME_TO = (
    "saved|sent|stored|recorded|submitted|processed|created|deleted|booked|paid|ordered|succeeded|gone|failed|completed"
    "|applied|made|changed|updated|received|done|happened|placed|arrived|registered|entered|accepted"
)
_NOBODY_KNOWS = (
    r"\b(?:result|outcome)\b.{0,16}\b(?:unknown|uncertain|unclear|undetermined|unconfirmed|not known|not certain)\b",
    r"\b(?:unknown|uncertain|undetermined) (?:result|outcome)\b|\bunconfirmed\b|\buncertain\b",
    r"(?:\bnot|n't|\bcannot|\bunable to|\bimpossible to) (?:be )?"
    r"(?:known?|tell|told|say|confirm(?:ed)?|verify|verified|determined?|establish(?:ed)?)\b",
    r"\bknow (?:whether|if)\b|\bnot (?:be )?(?:sure|certain)\b|\b(?:check|verify|see) (?:whether|if)\b",
    r"\b(?:may|might|could)(?: or (?:may|might) not)?(?: already| not| still)? have (?:already )?(?:been )?"
    rf"(?:{_CAME_TO})\b",
    r"\b(?:status|state)(?: is)? (?:unknown|unclear|uncertain)\b",
    r"\b(?:resultat|issue|statut|etat)\b[^:]{0,24}\b(?:inconnue?|incertaine?|indeterminee?|pas connue?)\b",
    r"\bimpossible de (?:le |la |les )?(?:confirmer|savoir|verifier|determiner|dire|garantir|etablir)\b",
    r"\b(?:savons|sait|sais|savent) pas\b|\bne (?:pouvons|peut|peux|peuvent) (?:pas )?(?:le |la )?"
    r"(?:confirmer|savoir|dire|garantir|verifier)\b",
    r"\bpas (?:etre |pu (?:etre )?|ete )?(?:certain|sur|confirme|verifie)e?s?\b|\bnon confirmee?s?\b|\bincertaine?s?\b",
    r"\bpeut-? ?etre (?:ete|deja)\b|\b(?:a|ont) (?:peut-? ?etre|pu etre|pu aboutir|pu echouer)\b",
    r"\bverifiez (?:si|que)\b|\bveuillez verifier (?:si|que)\b",
)
_DOUBT = re.compile("|".join((*_NOBODY_ANSWERED, *_NOBODY_KNOWS)))


def doubt_word(text: str) -> str:
    """The words by which `text` says that nobody knows whether it happened, "" if it does not."""
    hit = _DOUBT.search(folded(text))
    return hit.group().strip() if hit else ""
