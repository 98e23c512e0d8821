"""A column for what is said: a sentence as its code with its values, or a text as it is."""

from __future__ import annotations

import re
from typing import Any

from django.db import models
from django.db.models import Transform

from sentences.said import PLAIN, from_text, to_text

_BEGINS = '{"code": "'  # what no other text begins with: one of another that does is kept as PLAIN


class SaidField(models.TextField):
    """Text that may be a `Said`; that is kept as JSON in the same column, so what was kept before stays as it is.

    `message__code` filters and groups by the code; it is NULL for texts without one, also for those kept as data.
    """

    def from_db_value(self, value: str | None, expression: Any, connection: Any) -> str | None:
        return None if value is None else from_text(value)

    def get_prep_value(self, value: Any) -> Any:
        return to_text(super().get_prep_value(value))

    def deconstruct(self) -> Any:
        """A text column for migrations: nothing of the table is another."""
        name, _path, args, kwargs = super().deconstruct()
        return name, "django.db.models.TextField", args, kwargs


@SaidField.register_lookup
class Code(Transform):
    """The code of a sentence."""

    lookup_name = "code"
    output_field = models.CharField()

    def as_sqlite(self, compiler: Any, connection: Any, **context: Any) -> Any:
        column, params = compiler.compile(self.lhs)
        ours = f"substr({column}, 1, 10) = '{_BEGINS}' AND json_valid({column})"
        return f"CASE WHEN {ours} THEN nullif(json_extract({column}, '$.code'), '{PLAIN}') END", [*params] * 3

    def as_postgresql(self, compiler: Any, connection: Any, **context: Any) -> Any:
        column, params = compiler.compile(self.lhs)  # a cast would fail on other texts, and version 15 cannot ask first
        return f"nullif(substring({column} from '^{re.escape(_BEGINS)}([^\"]+)\".*[}}]$'), '{PLAIN}')", params
