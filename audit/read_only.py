"""What machines and people have made, in the admin: to look at, never to change."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest


class ReadOnlyAdmin(admin.ModelAdmin):
    """`right` opens it, where that is another than the model's own."""

    list_per_page = 50
    show_full_result_count = False  # counting millions of rows takes longer than showing fifty
    right = ""

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return request.user.has_perm(self.right) if self.right else super().has_view_permission(request, obj)

    def has_module_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm(self.right) if self.right else super().has_module_permission(request)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
