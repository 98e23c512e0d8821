"""The index of the texts of all screens. It follows steps and events by itself: what is no longer kept is not found.

SQLite has an FTS5 table that triggers fill, PostgreSQL an index on the steps' own columns. It is made after the
migrations, each time: one that makes the table of steps anew drops SQLite's triggers without a word.
"""

from __future__ import annotations

from typing import Any

from django.db import connections

# What was read on the screen, a line each, the message that spoke against what was done, and what came after it.
_TEXTS = (
    "coalesce((SELECT group_concat(value, char(10)) FROM "
    "json_each(coalesce(json_extract({step}.screen, '$.perception.detected_text'), '[]'))), '') "
    "|| char(10) || coalesce(json_extract({step}.verification, '$.said'), '') || char(10) || "
    "coalesce((SELECT group_concat(value, char(10)) FROM "
    "json_each(coalesce(json_extract({step}.verification, '$.came'), '[]'))), '')"
)
_NEW, _ROW = _TEXTS.format(step="NEW"), _TEXTS.format(step="execution_step")
# Where a run stood still an event alone tells what was read: in the index its number is negative.
_STOOD_TEXTS = (
    "(SELECT group_concat(value, char(10)) FROM "
    "json_each(json_extract({event}.payload, '$.pause_detail.perception.detected_text')))"
)
_STOOD = (
    "{event}.kind = 'state' AND json_extract({event}.payload, '$.status') = 'paused' "
    "AND json_extract({event}.payload, '$.pause_detail.perception.detected_text') IS NOT NULL"
)

TABLE = (
    "CREATE VIRTUAL TABLE IF NOT EXISTS execution_steptexts "
    "USING fts5(texts, tokenize = \"unicode61 remove_diacritics 2\")"
)  # fmt: skip
# Whoever changes what they put in names them anew: those of another name are dropped, and the index is made again.
TRIGGERS = {
    "execution_steptexts_begun": """AFTER INSERT ON execution_step
        WHEN NEW.screen <> '{}' OR NEW.verification <> '{}' BEGIN
        INSERT INTO execution_steptexts (rowid, texts) VALUES (NEW.id, TEXTS); END""",
    "execution_steptexts_written": """AFTER UPDATE OF screen, verification ON execution_step
        WHEN NEW.screen IS NOT OLD.screen OR NEW.verification IS NOT OLD.verification BEGIN
        DELETE FROM execution_steptexts WHERE rowid = OLD.id;
        INSERT INTO execution_steptexts (rowid, texts) VALUES (NEW.id, TEXTS); END""",
    "execution_steptexts_dropped": """AFTER DELETE ON execution_step BEGIN
        DELETE FROM execution_steptexts WHERE rowid = OLD.id; END""",
    "execution_steptexts_stood": """AFTER INSERT ON execution_executionevent
        WHEN STOOD BEGIN
        INSERT INTO execution_steptexts (rowid, texts) VALUES (-NEW.id, SAID); END""",
    "execution_steptexts_stood_changed": """AFTER UPDATE OF payload ON execution_executionevent
        WHEN NEW.kind = 'state' BEGIN
        DELETE FROM execution_steptexts WHERE rowid = -OLD.id;
        INSERT INTO execution_steptexts (rowid, texts)
        SELECT -NEW.id, SAID WHERE STOOD; END""",
    "execution_steptexts_stood_dropped": """AFTER DELETE ON execution_executionevent
        WHEN OLD.kind = 'state' BEGIN
        DELETE FROM execution_steptexts WHERE rowid = -OLD.id; END""",
}
# Neither case nor accents, nor a date or a record number in one piece, as SQLite's tokenizer has it: PostgreSQL's would
# take "T-2041" for the number -2041. All of these are immutable, so an index can be of them. Of what is not ASCII no
# sign joins words there, and which of it is a letter hangs on the locale: it stays.
POSTGRES_FOLDED = (
    r"regexp_replace(regexp_replace(normalize(lower({text}), NFKD), '[\u0300-\u036f]', '', 'g'), "
    r"'[^[:alnum:]\u0080-\U0010ffff]+', ' ', 'g')"
)
POSTGRES_TEXTS = "to_tsvector('simple', {})".format(
    POSTGRES_FOLDED.format(
        text="coalesce(execution_step.screen #>> '{perception,detected_text}', '') || ' ' || "
        "coalesce(execution_step.verification ->> 'said', '') || ' ' || "
        "coalesce(execution_step.verification ->> 'came', '')"
    )
)
POSTGRES_STOOD_TEXTS = "to_tsvector('simple', {})".format(
    POSTGRES_FOLDED.format(
        text="coalesce(execution_executionevent.payload #>> '{pause_detail,perception,detected_text}', '')"
    )
)
# Whoever changes what they are of names them anew.
POSTGRES_INDEX, POSTGRES_STOOD_INDEX = "execution_step_cut_words", "execution_event_cut_words"
POSTGRES_FORMER = (
    "execution_step_texts", "execution_step_all_texts", "execution_event_stood_texts",
    "execution_step_folded_texts", "execution_event_folded_texts",
)  # fmt: skip


def make_index(using: str = "default", **told: Any) -> None:
    """After migrations: the index is there and whole. Where it was, nothing is done."""
    connection = connections[using]
    if not {"execution_step", "execution_executionevent"} <= set(connection.introspection.table_names()):
        return  # migrated back to nothing
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            for former in POSTGRES_FORMER:
                cursor.execute(f"DROP INDEX IF EXISTS {former}")
            plain = POSTGRES_TEXTS.replace("execution_step.", "")
            cursor.execute(f"CREATE INDEX IF NOT EXISTS {POSTGRES_INDEX} ON execution_step USING gin (({plain}))")
            plain = POSTGRES_STOOD_TEXTS.replace("execution_executionevent.", "")
            cursor.execute(
                f"CREATE INDEX IF NOT EXISTS {POSTGRES_STOOD_INDEX} ON execution_executionevent USING gin (({plain})) "
                "WHERE kind = 'state'"
            )
        elif connection.vendor == "sqlite":
            _make_for_sqlite(cursor)


def overwrite_deleted(using: str = "default") -> None:
    """What was taken out of the index is in it no more: until its parts are merged SQLite only says that it is gone."""
    connection = connections[using]
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("INSERT INTO execution_steptexts (execution_steptexts) VALUES ('optimize')")


def _make_for_sqlite(cursor: Any) -> None:
    there = {name for (name,) in cursor.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall()}
    cursor.execute(TABLE)
    if TRIGGERS.keys() <= there:
        return
    for name in sorted(one for one in there if one.startswith("execution_steptexts_")):
        cursor.execute(f'DROP TRIGGER "{name}"')
    stood = {"STOOD": _STOOD.format(event="NEW"), "SAID": _STOOD_TEXTS.format(event="NEW")}
    for name, when in TRIGGERS.items():
        for word, meant in {"TEXTS": _NEW, **stood}.items():
            when = when.replace(word, meant)
        cursor.execute(f"CREATE TRIGGER IF NOT EXISTS {name} {when}")
    cursor.execute("DELETE FROM execution_steptexts")  # nobody knows what it missed
    cursor.execute(
        f"INSERT INTO execution_steptexts (rowid, texts) SELECT id, {_ROW} FROM execution_step "  # noqa: S608  # nosec B608  our own words
        "WHERE screen <> '{}' OR verification <> '{}'"
    )
    event = "execution_executionevent"
    cursor.execute(
        f"INSERT INTO execution_steptexts (rowid, texts) SELECT -id, {_STOOD_TEXTS.format(event=event)} "  # noqa: S608  # nosec B608  our own words
        f"FROM {event} WHERE {_STOOD.format(event=event)}"
    )
