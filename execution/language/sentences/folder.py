"""What is said of files in watched folders."""

from __future__ import annotations

from django.utils.translation import gettext_noop as _

from sentences.base import Words, ngettext

WORDS: Words = {
    "folder.still_written": _("The file is still being written, or has just come."),
    "folder.empty": _("The file is empty."),
    "folder.does_not_open": _("The file cannot be opened yet."),
    "folder.too_large": _("The file is larger than %(limit)d MB. Divide it."),
    "folder.rows": ngettext("%(good)d of %(count)d row is good.", "%(good)d of %(count)d rows are good.", "count"),
    "folder.came_in": ngettext(
        "%(n)d row came in. The list had %(known)d of them before.",
        "%(n)d rows came in. The list had %(known)d of them before.",
        "n",
    ),
    "folder.taken_before": _("These rows came in before, from the file “%(name)s”. Nothing came in a second time."),
    "folder.bad_cell": _("Row %(row)d, column %(column)s (%(head)s), “%(value)s”: %(reason)s"),
}
