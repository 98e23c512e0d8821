"""What the body of a request to the API may hold, checked in one way."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _
from rest_framework import serializers

CSRF = "csrfmiddlewaretoken"  # Django's own, in a form of a page
MOST_NAMED, LONGEST = 20, 100  # of names that somebody made up: they come back in the answer


class RequestBody(serializers.Serializer[Any]):
    """Fields that are not known are refused by their names: whoever misspells one would believe that it counts."""

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, Mapping) and (unknown := sorted({str(name) for name in data} - {*self.fields, CSRF})):
            said = _("This field is not known here. Known are: %(known)s.") % {"known": ", ".join(self.fields) or "–"}
            raise serializers.ValidationError({name[:LONGEST]: [said] for name in unknown[:MOST_NAMED]})
        return super().to_internal_value(data)


def checked(body: type[serializers.Serializer[Any]], data: Any) -> dict[str, Any]:
    """Return what came in, of its form. Raises ValidationError."""
    found = body(data=data)
    found.is_valid(raise_exception=True)
    return dict(found.validated_data)
