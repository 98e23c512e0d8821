"""What the servers of models refuse or answer, and why an answer is none."""

from __future__ import annotations

from django.utils.translation import gettext_noop as _

from sentences.base import Words

WORDS: Words = {
    "server.at": _("%(who)s at %(url)s"),
    "server.openai": _("The OpenAI-compatible server"),
    "server.model": _("“%(model)s”"),
    "server.busy": _("%(who)s is busy: %(why)s."),
    "server.redirects": _(
        "%(who)s sends %(what)s elsewhere (%(status)s), and that is not followed: check the address."
    ),
    "server.lacks": _("%(who)s does not have “%(model)s”: %(why)s."),
    "server.asks_who": _("%(who)s wants to know who asks, or does not let this machine: %(why)s."),
    "server.is_another": _("What answers %(what)s is not %(who)s: %(why)s."),
    "server.between": _("Something between here and %(who)s refused %(what)s: %(why)s."),
    "server.context_full": _("“%(model)s” was asked for more than its context holds: %(why)s."),
    "server.refused": _("%(who)s refused %(what)s: %(why)s."),
    "server.no_memory": _("%(who)s ran out of memory (asked: %(what)s): %(why)s."),
    "server.not_loaded": _("%(who)s could not load “%(model)s”: %(why)s."),
    "server.refused_question": _("%(what)s refused what it was asked: %(why)s."),
    "server.in_circles": _("%(what)s went round in circles: %(why)s."),
    "server.broke_off": _("%(what)s broke off: %(why)s."),
    "server.late": _("%(who)s did not answer %(what)s in time (%(n)g s)."),
    "server.broke_off_answer": _("%(who)s broke off in the middle of an answer: %(error)s."),
    "server.no_end_in_time": _("%(who)s did not come to the end of its answer in time."),
    "server.silent": _("%(who)s has said nothing for %(n)g s."),
    "server.endless": _("%(who)s goes on without end: %(n)s bytes of an answer."),
    "server.no_text": _("%(who)s sent a line that is no text."),
    "server.stranger": _("What answers %(what)s at %(url)s is no such server: check the address."),
    "server.unreachable": _("%(who)s cannot be reached: %(error)s."),
    "server.link_local": _("The address of the server is a link-local one, and nothing is asked there."),
    "server.no_cloud_model": _("Ollama does not run “%(model)s”: %(why)s (403)."),
    "server.ollama_lacks": _("Ollama does not have “%(model)s”: %(why)s (404). Try `ollama pull %(model)s`."),
    "server.from_cloud": _("“%(model)s” answers from a cloud, and was said to run here: it is not asked again."),
    "server.in_cloud": _(
        "“%(model)s” runs in a cloud: screens do not leave this machine. Choose a local one, or allow it in "
        "the catalogue of models."
    ),
    "server.on_another_machine": _(
        "“%(model)s” runs on another machine: screens do not leave this one. Choose a local one, or allow it "
        "in the catalogue of models."
    ),
    "server.ollama_slow": _("Ollama did not load “%(model)s” within %(n)g s."),
    "server.ollama_unsaid": _("Ollama ended the load of “%(model)s” without saying that it is done."),
    "server.key_refused": _("%(who)s refuses the key (%(status)s): %(why)s. Set RPA_OPENAI_KEY."),
    "answer.garbled": _("“%(model)s” broke off with a garbled line."),
    "answer.too_long": _("“%(model)s” goes on beyond the %(n)s tokens it was given."),
    "answer.no_end": _("“%(model)s” broke off: no end was told."),
    "answer.only_moved": _("“%(model)s” was %(did)sed where an answer was asked for."),
    "answer.beginning_lost": _(
        "What was asked of “%(model)s” fills its whole context of %(n)s tokens: its beginning may be lost. "
        "Ask with less."
    ),
    "answer.unended": _("“%(model)s” did not come to an end within %(n)s tokens."),
    "answer.thought": _("“%(model)s” only thought, and came to an end (%(why)s)."),
    "answer.empty": _("“%(model)s” said nothing, and came to an end (%(why)s)."),
    "answer.no_reason": _("no reason"),
    "answer.no_json": _("“%(model)s” answered with something that is no JSON."),
    "answer.not_after_schema": _("“%(model)s” did not keep to the schema: its answer fails %(where)s."),
    "answer.nothing": _("“%(model)s” said nothing."),
    "answer.late": _("“%(model)s” has not answered within the %(n)d s that were left."),
    "answer.none_in_time": _("No model has answered within %(n)d s."),
    "question.too_long": _(
        "What is to be asked of “%(model)s” takes about %(needed)s tokens, and its context holds %(room)s. "
        "Ask with less, or choose a model with a longer context."
    ),
    "question.too_long_beside": _(
        "The question takes about %(needed)s tokens with what goes before it, and “%(model)s” holds %(room)s "
        "beside %(answer)s for the answer. Ask with less."
    ),
    "picture.too_large": _(
        "A picture of %(width)s × %(height)s is larger than the %(most)g megapixels that are allowed "
        "(RPA_MAX_PICTURE_MEGAPIXELS)."
    ),
    "picture.beyond": _("A picture is larger than any that may be decoded."),
    "picture.none": _("What was to be shown to the model is no picture."),
    "picture.broken": _("A picture cannot be decoded: it is broken."),
}
