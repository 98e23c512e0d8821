"""What is said of files that people bring: why they cannot be read, what is bad in a cell, what stays open."""

from __future__ import annotations

from django.utils.translation import gettext_noop as _

from sentences.base import Words, ngettext

WORDS: Words = {
    # the file as a whole
    "intake.empty": _("The file is empty."),
    "intake.no_text": _("This is neither text nor an Excel workbook (.xlsx)."),
    "intake.not_in_encoding": _("The text is not written in %(encoding)s. Choose another encoding."),
    "intake.quotation_mark": _(
        "A quotation mark is wrong in row %(row)d or before it: it opens and never closes, or letters follow it. "
        "Correct it, or save the file as .xlsx."
    ),
    "intake.cell_too_long": _(
        "A cell in row %(row)d is longer than any cell may be. Look for a quotation mark that never closes."
    ),
    "intake.old_workbook": _("This is an old Excel workbook (.xls). Open it and save it as .xlsx."),
    "intake.locked_workbook": _("The workbook is locked with a password. Save it without one."),
    "intake.binary_workbook": _("This is a binary Excel workbook (.xlsb). Open it and save it as .xlsx."),
    "intake.other_spreadsheet": _("This is a document of another program, such as .ods. Save it as .xlsx."),
    "intake.no_workbook": _("This file is no Excel workbook (.xlsx) and no text."),
    "intake.damaged_workbook": _("The workbook cannot be read: it is damaged or not complete. Save it again."),
    "intake.too_large": _("Unpacked, the workbook is larger than %(limit)d MB. Divide it."),
    "intake.too_many_columns": _("The sheet has more than %(limit)d columns. Delete those that are not needed."),
    "intake.no_sheet": _("The workbook has no sheet “%(name)s” that can be read."),
    "intake.empty_sheet": _("The sheet “%(name)s” is empty. Choose another one."),
    # the columns
    "intake.column": _("column %(letter)s"),
    "intake.repeated_column": _("“%(head)s” (column %(letter)s)"),
    "intake.unknown_variable": _("The workflow has no variable “%(name)s”."),
    "intake.unknown_column": _("The file has no column %(n)d."),
    "intake.secret_column": _("“%(name)s” is a secret, and no file may hold it. Name its credential in the list."),
    "intake.mapped_twice": _("Two columns are chosen for “%(name)s”. Choose one."),
    "intake.variable_without_column": _("No column is chosen for “%(name)s”, which every row needs."),
    # what stays open
    "intake.ask_encoding": _(
        "The file may be written in %(encoding)s. Look at the letters with accents, and choose another encoding if "
        "they are wrong."
    ),
    "intake.ask_order": _(
        "In %(column)s it is open which number is the day. Row %(row)d says %(text)s: is it %(day_first)s or "
        "%(month_first)s?"
    ),
    "intake.dates_contradict": _(
        "The dates in %(column)s contradict each other: row %(row)d says %(text)s, row %(other_row)d says %(other)s. "
        "Which number is the day?"
    ),
    "intake.ask_hidden_rows": ngettext(
        "%(n)d row of the sheet is hidden, row %(row)d. Is it to come in?",
        "%(n)d rows of the sheet are hidden, the first is row %(row)d. Are they to come in?",
        "n",
    ),
    "intake.ask_format": _(
        "In %(column)s the number format %(format)s cannot be followed. Row %(row)d comes in as “%(text)s”. Is that "
        "right?"
    ),
    "intake.ask_column_without_head": _("Column %(column)s has cells and no head. Is it to be left out?"),
    # how something was read
    "intake.date_read_as": _("In %(column)s row %(row)d says %(text)s: that is %(day)s."),
    "intake.hidden_columns": _("These columns are hidden in the sheet: %(columns)s."),
    "intake.secret_columns": _("These columns look like secrets. They are not shown and never kept: %(columns)s."),
    # a cell
    "intake.no_such_column": _("The list has no column “%(name)s”."),
    "intake.empty_row": _("The row is empty."),
    "intake.key_missing": _(
        "No column is chosen for “%(name)s”, which makes the reference of a row in this list. Choose one."
    ),
    "intake.too_many_rows": _("The file has %(n)d rows. At most %(most)d come in at once: divide it."),
    "intake.missing": _("The cell is empty, and every row needs this value."),
    "intake.no_date": _("“%(text)s” is no date."),
    "intake.no_such_day": _("There is no such day: %(text)s."),
    "intake.order_open": _("It is open which number is the day in %(text)s."),
    "intake.short_year": _("The year in “%(text)s” has two digits. Write it with four."),
    "intake.date_with_time": _("“%(text)s” holds a time besides the date."),
    "intake.too_many_digits": _("Excel keeps only %(n)d digits of a number: the last ones are lost. Make it a text."),
    "intake.formula_without_value": _("The formula has no value yet. Open the file, save it and bring it again."),
    "intake.error_value": _("The cell holds the error %(text)s."),
    "intake.merged": _("The cell is joined with %(cell)s. Divide them and write the value into each row."),
    "intake.unseen_character": _("The text holds %(character)s, a character that nobody sees. Write it anew."),
    "intake.reference_missing": _("The reference is missing. It tells this row from all others."),
    "intake.reference_too_long": _("The reference is longer than %(most)d characters."),
    "intake.reference_in_list": _("The list has a row with the reference “%(reference)s” already."),
    "intake.reference_twice": _("Row %(row)d has the reference “%(reference)s” too."),
}
