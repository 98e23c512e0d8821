"""People in the admin: nobody gives rights that they do not hold, or takes over whoever holds more."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.models import Group, Permission, User
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from rpa_site.models import ApiToken


def beyond(actor: Any, user: User) -> bool:
    """Whether `user` may do what `actor` may not: then their account is not the actor's to change."""
    if actor.is_superuser:
        return False
    active = User(pk=user.pk, is_active=True)  # what a dismissed person could do again is what counts
    return user.is_superuser or not active.get_all_permissions() <= actor.get_all_permissions()


class PeopleAdmin(UserAdmin):
    """Django's, with what makes a superuser kept for superusers."""

    list_display = ("username", "first_name", "last_name", "email", "is_active", "last_login")
    list_filter = ("is_active", "groups")
    filter_horizontal = ()
    above = ("is_superuser", "user_permissions")

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        if obj is None:
            return self.add_fieldsets
        rights = ("is_active", "groups", *(self.above if request.user.is_superuser else ()))
        return (
            (None, {"fields": ("username", "password")}),
            (_("Person"), {"fields": ("first_name", "last_name", "email")}),
            (_("Rights"), {"fields": rights}),
            (_("Dates"), {"fields": ("last_login", "date_joined")}),
        )

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        return ("last_login", "date_joined")

    def formfield_for_manytomany(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        field = super().formfield_for_manytomany(db_field, request, **kwargs)
        if field is not None and db_field.name == "groups":
            field.queryset = Group.objects.filter(pk__in=grantable(request.user))
        return field

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return super().has_change_permission(request, obj) and (obj is None or not beyond(request.user, obj))

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return super().has_delete_permission(request, obj) and (obj is None or not beyond(request.user, obj))

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> Any:
        to_delete, counts, needed, protected = super().get_deleted_objects(objs, request)
        return to_delete, counts, needed, [*protected, *(str(u) for u in objs if beyond(request.user, u))]


def grantable(actor: Any) -> Iterable[int]:
    """The groups all of whose permissions `actor` holds."""
    if actor.is_superuser:
        return Group.objects.values_list("pk", flat=True)
    held = actor.get_all_permissions()
    return [
        group.pk
        for group in Group.objects.prefetch_related("permissions__content_type")
        if all(name_of(permission) in held for permission in group.permissions.all())
    ]


def name_of(permission: Permission) -> str:
    return f"{permission.content_type.app_label}.{permission.codename}"


class ApiTokenAdmin(admin.ModelAdmin):
    """To see whose programs come in, and to shut them out; tokens are made by their own people alone."""

    list_display = ("name", "start", "user", "scope", "created_at", "expires_at", "last_used_at")
    list_filter = ("scope",)
    list_select_related = ("user",)
    fields = ("name", "start", "user", "scope", "created_at", "expires_at", "last_used_at")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


def register() -> None:
    """In the place of what Django registers for people."""
    admin.site.unregister(User)
    admin.site.register(User, PeopleAdmin)
    admin.site.register(ApiToken, ApiTokenAdmin)
