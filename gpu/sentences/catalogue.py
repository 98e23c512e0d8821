"""What is wrong in a file of models."""

from __future__ import annotations

from django.utils.translation import gettext_noop as _

from sentences.base import Words

WORDS: Words = {
    "catalogue.at": _("%(source)s:%(line)s: %(what)s"),
    "catalogue.unreadable": _("cannot be read: %(error)s"),
    "catalogue.too_large": _("is larger than %(limit)d KB: that is no catalogue"),
    "catalogue.not_utf8": _("is not written in UTF-8"),
    "catalogue.empty": _("is empty: it must hold `models:` and a list of them"),
    "catalogue.no_yaml": _(
        "is no YAML: look at the indents, brackets, quotation marks, colons and `*` here and in the line before"
    ),
    "catalogue.no_character": _("a character that YAML does not allow: %(character)s"),
    "catalogue.too_deep": _("is nested too deeply: that is no catalogue"),
    "catalogue.twice": _("%(field)s is given twice, first in line %(first)s"),
    "catalogue.unknown": _("unknown field “%(field)s”: %(what)s has %(known)s"),
    "catalogue.missing": _("a model has no %(field)s"),
    "catalogue.taken": _("%(field)s: “%(text)s” is taken by the model in line %(first)s"),
    "catalogue.must": _("%(field)s: must %(must)s"),
    "catalogue.must_but_is": _("%(field)s: must %(must)s, it is %(there)s"),
    "catalogue.must_key": _("be a text of letters, figures, - and _"),
    "catalogue.must_name": _("be a text of at most 200 letters"),
    "catalogue.must_capabilities": _("be a list such as [text, vision], with text in it"),
    "catalogue.must_memory": _("be a whole number of MB up to %(most)d"),
    "catalogue.must_context": _("be a whole number of tokens from 512 to %(most)d"),
    "catalogue.must_switch": _("be yes or no"),
    "catalogue.must_text": _("be a text"),
    "catalogue.must_fields": _("be fields and values (`key: …`)"),
    "catalogue.must_models": _("hold `models:` and a list of them"),
    "catalogue.must_list": _("be a list of models"),
    "catalogue.must_one_of": _("be of %(known)s"),
    "catalogue.allow_remote": _("it is no field of a file: an admin allows it in the admin"),
    "catalogue.held": _("it is no field of a file: a model is held by `assistant switch NAME`"),
    "catalogue.a_model": _("a model"),
    "catalogue.the_file": _("the file"),
    "catalogue.a_list": _("a list"),
    "catalogue.empty_list": _("an empty list"),
    "catalogue.fields": _("fields and values"),
    "catalogue.nothing": _("nothing"),
}
