"""Lists of the API in pages: `?limit=` and `?offset=`, for every room."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers
from rest_framework.pagination import LimitOffsetPagination
from rest_framework.request import Request

MOST = 2**63 - 1  # what a database counts to


class PageQuery(serializers.Serializer[Any]):
    limit = serializers.IntegerField(required=False, min_value=1, max_value=MOST)
    offset = serializers.IntegerField(required=False, min_value=0, max_value=MOST)


class Pages(LimitOffsetPagination):
    """A limit above the most there is gives that; what is no number, or none that a database has, is refused."""

    max_limit = 200

    def paginate_queryset(self, queryset: Any, request: Request, view: Any = None) -> list[Any] | None:
        PageQuery(data=request.query_params).is_valid(raise_exception=True)
        return super().paginate_queryset(queryset, request, view)
