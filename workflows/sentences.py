"""The sentences that are said of workflows and their saved passwords, by their codes (see `sentences`)."""

from __future__ import annotations

from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

from sentences.base import Sentence, Words, register, register_reading
from workflows.text import VARIABLE

WORDS: Words = {
    "ways.equals": Sentence(text=_("“%(name)s” is %(to)s"), quoted=("to",)),
    "ways.is_not": Sentence(text=_("“%(name)s” is not %(to)s"), quoted=("to",)),
    "ways.one_of": Sentence(text=_("“%(name)s” is one of %(to)s"), quoted=("to",)),
    "ways.contains": Sentence(text=_("“%(name)s” contains %(to)s"), quoted=("to",)),
    "ways.empty": _("“%(name)s” is empty"),
    "ways.not_empty": _("“%(name)s” is not empty"),
    "ways.less": _("“%(name)s” is less than %(to)s"),
    "ways.more": _("“%(name)s” is more than %(to)s"),
    "ways.before": _("“%(name)s” is before %(to)s"),
    "ways.after": _("“%(name)s” is after %(to)s"),
    "ways.unknown_test": _("“%(test)s” is no test that there is"),
    "ways.no_value": _("“%(name)s” has no value yet."),
    "ways.no_number": _("“%(name)s” is compared as a number, and “%(text)s” is none that is read in one way only."),
    "ways.no_date": _("“%(name)s” is compared as a date, and “%(text)s” is none; it is written as 2026-11-21."),
    "ways.only_if": _("only if %(condition)s"),
    "ways.for_each": _("for each line %(counter)s of the list, at most %(most)d"),
    "ways.until": Sentence(text=_("until %(texts)s is seen"), quoted=("texts",)),
    "ways.proved_by": _("then read back by “%(name)s”, version %(version)d"),
    "variables.not_allowed": Sentence(
        text=_("“%(value)s” is not allowed here. Allowed: %(known)s."), quoted=("known",)
    ),
    "variables.no_ordinal": _("Which of several is meant is a whole number from 1 on."),
    "variables.no_number": _("“%(value)s” is no number."),
    "variables.no_email": _("“%(value)s” is no e-mail address."),
    "variables.no_date": _("“%(value)s” is no date; write it as 2026-11-21."),
    "variables.line_break": _(
        "A line break may confirm what is not finished. Take it out, or make this a text of several lines."
    ),
    "variables.tab": _("A tab goes on to the next field. Take it out."),
    "variables.control": _("It holds the character %(character)s, which no field takes. Take it out."),
    "database.locked": _("The database is locked by another program."),
    "database.full": _("There is no room left for the database: free some space on its disk."),
    "database.read_only": _("The database cannot be written to: look at the rights of its file and of the folder."),
    "database.silent": _("The database does not answer: look at its file, its disk or its server."),
    "pictures.this_file": _("This file"),
    "pictures.this_picture": _("This picture"),
    "pictures.the_picture": _("the picture"),
    "pictures.not_one": _("%(name)s is no picture that can be read; %(formats)s can."),
    "pictures.far_too_large": _("%(name)s is far too large a picture."),
    "pictures.too_large": _(
        "%(name)s is %(w)d × %(h)d pixels; at most %(limit)d megapixels are taken. Make it smaller."
    ),
    "pictures.damaged": _("%(name)s is damaged and cannot be read."),
    "pictures.not_in_store": _("The picture %(digest)s is not in the store."),
    "pictures.no_name": _("“%(digest)s” is not the name of a picture."),
    "pictures.not_stored": _("A picture could not be stored in %(folder)s: %(error)s. Free some space, then resume."),
    "pictures.not_kept": _(
        "A picture could not be kept in the store %(where)s: %(why)s Once that is mended (`manage.py check --deploy` "
        "tells), resume."
    ),
    "pictures.not_read": _("Pictures cannot be read now from %(where)s: %(why)s"),
    "pictures.folder_refuses": _("the folder says: %(error)s."),
    "pictures.store_silent": _("it does not answer. See that it runs and that this machine reaches it."),
    "pictures.store_no_bucket": _("there is no such bucket. Make it there, or correct RPA_PICTURES_URL."),
    "pictures.store_wrong_key": _(
        "it knows no such key, or the secret is another one. Correct RPA_PICTURES_KEY_ID and RPA_PICTURES_SECRET."
    ),
    "pictures.store_forbids": _(
        "the key may not do that. Let it read, write, list and delete in the bucket, or correct RPA_PICTURES_SECRET."
    ),
    "pictures.store_clock": _("its clock and this machine's differ too much. Set both by a time server."),
    "pictures.store_region": _("it is of another region. Set RPA_PICTURES_REGION to its own."),
    "pictures.store_full": _("it is full. Free some space there."),
    "pictures.store_tls": _(
        "its certificate is not trusted here. Put that of its authority into a file and its name into AWS_CA_BUNDLE."
    ),
    "pictures.store_refuses": _("it answers %(answer)s. See its log."),
    "vault.none_yet": _("none yet"),
    "vault.unknown_credential": _(
        "There is no credential “%(name)s”. Known: %(known)s. An admin adds them in the admin."
    ),
    "vault.empty": _("The password is empty."),
    "vault.too_long": _("The password is longer than %(limit)d characters."),
    "vault.not_typeable": _("The password holds a line break or another sign that cannot be typed into a field."),
    "vault.other_key": _(
        "No key of the vault opens the credential “%(name)s”: the key is another one than when it was saved. "
        "Put the old key behind the new one, or enter the password again in the admin."
    ),
    "vault.of_another": _("The credential “%(name)s” holds the password of another one: enter it again in the admin."),
    "vault.key_missing": _(
        "The key of the vault is missing: %(setting)s is not set and %(path)s is not there. Put the key back; "
        "without it no saved password can be opened and each must be entered again."
    ),
    "vault.no_key": _("Key %(number)d in %(place)s is no key of the vault: it must be 32 bytes as URL-safe base64."),
    "vault.key_open_to_others": _(
        "%(path)s can be read by others: `chmod 600 %(path)s`, then rotate it with `manage.py rotate_vault`."
    ),
    "vault.key_unreadable": _("%(path)s cannot be read: %(reason)s. It must belong to the user the server runs as."),
}


def named(text: str) -> str:
    """A variable that was not filled in goes by its name."""
    return VARIABLE.sub(lambda m: gettext("“%(name)s”") % {"name": m[1]}, text) if "{{" in text else text


register(WORDS)
register_reading(named)
