"""What is said of when a list begins, and of starts that do not."""

from __future__ import annotations

from django.utils.translation import gettext_noop as _

from sentences.base import Words

WORDS: Words = {
    # what cannot be
    "clock.unknown_zone": _("There is no time zone “%(zone)s”. Write it as Europe/Paris."),
    "clock.no_day": _("Choose the day."),
    "clock.no_weekday": _("Choose at least one weekday."),
    "clock.unknown_weekday": _("A weekday is a number from 0 (Monday) to 6 (Sunday)."),
    "clock.unknown_country": _("No holidays are known for %(country)s, region %(region)s."),
    "clock.not_five_fields": _("A cron rule has five fields: minute, hour, day, month, weekday."),
    "clock.unreadable_rule": _("The cron rule cannot be read: %(error)s."),
    "clock.is_over": _("This moment is over. Choose a later one."),
    "clock.never": _("By this rule the list would never begin."),
    # when
    "clock.once": _("On %(day)s at %(at)s (%(zone)s)."),
    "clock.daily": _("Every day at %(at)s (%(zone)s)."),
    "clock.weekdays": _("On %(days)s at %(at)s (%(zone)s)."),
    "clock.by_rule": _("By the rule %(rule)s in %(zone)s: %(means)s."),
    "clock.not_on_holidays": _("Not on holidays (%(country)s)."),
    "clock.not_on_days": _("Not on %(days)s."),
    "clock.until": _("No row begins from %(at)s on."),
    "clock.made_up_until": _("A missed start is made up until %(at)s."),
    "clock.not_made_up": _("A missed start is skipped."),
    # a start
    "clock.holiday": _("%(name)s, a holiday"),
    "clock.own_day": _("a day that was left out by hand"),
    "clock.moved": _("On %(day)s the clocks go forward, so this start is at %(at)s."),
    "clock.twice": _("On %(day)s the clocks go back, and %(at)s comes twice. The list begins the first time."),
    "clock.missed": _("The server was off or did not look at the clock."),
    "clock.missed_next_came": _("The next start came before this one could be made up."),
    "clock.missed_window": _("The window was over."),
    "clock.missed_stands": _("The list stands: %(why)s"),
    "clock.missed_paused": _("The list was paused."),
    "clock.missed_not_earned": _("The workflow has not earned to act by itself, and nobody gave a reason."),
    "clock.waits_running": _("It waits until the list has ended."),
    "clock.no_new_row": _("The list had no new row."),
    "clock.no_new_file": _("No new file was in the folder."),
    "clock.no_good_file": _("No file in the folder could be taken. The reports lie beside the files."),
    "clock.was_changed": _("The schedule was changed or switched off while it waited."),
    "clock.missed_running": _("The list was still running."),
}
