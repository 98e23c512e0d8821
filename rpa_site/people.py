"""People in the admin: nobody gives rights that they do not hold, or takes over whoever holds more."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.models import Group, Permission, User
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from audit.models import Verb
from audit.recording import record
from rpa_site.models import ApiToken
from rpa_site.throttle import address_of


def beyond(actor: Any, user: User) -> bool:
    """Whether `user` may do what `actor` may not: then their account is not the actor's to change."""
    if actor.is_superuser:
        return False
    active = User(pk=user.pk, is_active=True)  # what a dismissed person could do again is what counts
    return user.is_superuser or not active.get_all_permissions() <= actor.get_all_permissions()


class Recorded(admin.ModelAdmin):
    """What is done here is in the record of what people do (S10.7): whom it was done to, and to which fields."""

    kind = "person"

    def log_addition(self, request: HttpRequest, obj: Any, message: Any) -> Any:
        self.recorded(Verb.ADDED, request, obj, message)
        return super().log_addition(request, obj, message)

    def log_change(self, request: HttpRequest, obj: Any, message: Any) -> Any:
        self.recorded(Verb.CHANGED, request, obj, message)
        return super().log_change(request, obj, message)

    def log_deletions(self, request: HttpRequest, queryset: Any) -> Any:
        for obj in queryset:
            self.recorded(Verb.DELETED, request, obj, ())
        return super().log_deletions(request, queryset)

    def recorded(self, verb: Verb, request: HttpRequest, obj: Any, message: Any) -> None:
        """`message` is Django's list of what was changed, or a sentence; values are not kept, but for rights."""
        parts = message if isinstance(message, list) else [{"said": {"fields": [str(message)]}}] if message else []
        fields = sorted({str(name) for part in parts for told in part.values() for name in told.get("fields", ())})
        known = {"origin": "admin", "kind": self.kind, "about": str(obj)}
        record(verb, user=request.user, address=address_of(request), **known, fields=fields, **self.rights_of(obj))

    def rights_of(self, obj: Any) -> dict[str, Any]:
        return {}


class PeopleAdmin(Recorded, UserAdmin):
    """Django's, with what makes a superuser kept for superusers."""

    def rights_of(self, obj: Any) -> dict[str, Any]:
        """What the person may do now."""
        if obj.pk is None:
            return {}
        groups = sorted(obj.groups.values_list("name", flat=True))
        return {"groups": groups, "is_active": obj.is_active, "is_superuser": obj.is_superuser}

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


class ApiTokenAdmin(Recorded):
    """To see whose programs come in, and to shut them out; tokens are made by their own people alone."""

    kind = "token"

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
