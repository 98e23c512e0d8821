"""What the parts of perception could not do, and what of a screen is not shown."""

from __future__ import annotations

from django.utils.translation import gettext_noop as _

from sentences.base import Words, ngettext

WORDS: Words = {
    "perception.text_reader": _("The text reader %(name)s"),
    "perception.element_detector": _("The element detector"),
    "perception.embedding": _("The embedding"),
    "perception.naming": _("The naming of elements"),
    "perception.no_reader": _(
        "No text reader is set up: RPA_OCR_ENGINE is none. Set it to rapidocr and start the product again."
    ),
    "perception.late": _("%(part)s has not come back within %(n)g s."),
    "perception.hangs": _("%(part)s hangs on an earlier screen and is not asked until it comes back."),
    "perception.failed": _("%(part)s failed: %(error)s."),
    "perception.outside": _("%(part)s answered with boxes outside the picture."),
    "perception.builtin_embedding": _("The built-in embedding serves: %(error)s"),
    "perception.not_named": _("The elements are not classified: %(error)s"),
    "perception.no_model": _("The elements are not classified: the vision-language model is not loaded."),
    "perception.other_number": _(
        "The elements are not classified: the model gave %(given)d names for %(asked)d elements."
    ),
    "perception.picture_unusable": _("The picture of the screen cannot be used. %(error)s"),
    "perception.picture_empty": _("The picture of the screen is empty."),
    "perception.no_mask": _("The masked region %(mask)s is not [x, y, width, height] between 0 and 1."),
    "perception.references_lack": ngettext(
        "%(count)d of %(total)d taught screens is known by less than all signs: %(why)s",
        "%(count)d of %(total)d taught screens are known by less than all signs: %(why)s",
        "count",
    ),
    "perception.nothing_shown": _("Nothing of the screen is shown: %(error)s"),
}
