"""What every API view of the product has in common: deny by default, and bodies that are read safely."""

from __future__ import annotations

import json
from collections.abc import Mapping
from json import JSONDecodeError
from typing import IO, TYPE_CHECKING, Any, cast

from django.utils.translation import gettext as _
from rest_framework import parsers
from rest_framework.exceptions import ParseError
from rest_framework.permissions import BasePermission

if TYPE_CHECKING:
    from rest_framework.request import Request
    from rest_framework.views import APIView

from rpa_site.roles import role_needed
from workflows.parsing import parsed_json

READS = ("GET", "HEAD", "OPTIONS")


class DeclaredPermission(BasePermission):
    """A view declares `read_permission` and `write_permission`; what it does not declare, nobody may do."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        name = "read_permission" if request.method in READS else "write_permission"
        permission = getattr(view, name, None)
        if permission is None:
            return bool(request.user and request.user.is_superuser)
        self.message = _("This needs the role “%(role)s”; an admin can give it to you.") % {
            "role": role_needed(permission).label
        }
        return bool(request.user and request.user.has_perm(permission))


class JSONParser(parsers.JSONParser):
    """Strict JSON in UTF-8. What is none is told by its place: the words of Python's own parser are English."""

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        try:
            value = parsed_json(stream.read().decode())
            json.dumps(value, ensure_ascii=False).encode()  # half of a surrogate pair can be neither kept nor answered
            return cast(dict[str, Any], value)
        except JSONDecodeError as error:
            words = _("The request is no JSON that can be read: look at line %(line)s, column %(column)s.")
            raise ParseError(words % {"line": error.lineno, "column": error.colno}) from error
        except UnicodeDecodeError as error:
            raise ParseError from error
        except UnicodeEncodeError as error:
            raise ParseError(_("A text in this request holds half of a character. Write it whole.")) from error
        except (RecursionError, ValueError) as error:
            if isinstance(error, RecursionError) or isinstance(error.__cause__, RecursionError):
                raise ParseError(_("The JSON is nested too deeply.")) from error
            raise ParseError(_("A number in this request is too large or too small.")) from error
