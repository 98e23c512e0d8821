"""Four roles (S10.1): groups of permissions, each with those of the role before it. No role: no permission."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import AbstractUser, AnonymousUser
from django.db import models
from django.utils.translation import gettext_lazy as _

User = AbstractUser | AnonymousUser


class Role(models.TextChoices):
    VIEWER = "viewer", _("viewer")
    OPERATOR = "operator", _("operator")
    DESIGNER = "designer", _("designer")
    ADMIN = "admin", _("admin")


_MODELS = {
    "workflows": ("workflow", "workflowversion", "node", "edge", "target", "variable", "picture", "correction", "need"),
    "execution": (
        "execution",
        "step",
        "prompt",
        "decision",
        "executionevent",
        "robot",
        "lesson",
        "lessonstep",
        "worklist",
        "workitem",
        "schedule",
        "liststart",
        "broughtfile",
        "noticerule",
        "noticemessage",
    ),
    "analytics": ("stepmetric", "resourcesample"),
    "gpu": ("cataloguemodel", "gpustate", "gpuevent", "gpusample", "learnedneed", "modeluse"),
}
_EDITED = ("workflow", "node", "edge", "target", "variable", "picture", "need")

OWN = {
    Role.VIEWER: frozenset(f"{app}.view_{model}" for app, names in _MODELS.items() for model in names),
    Role.OPERATOR: frozenset({"execution.operate_execution", "gpu.operate_gpu", "gpu.use_assistant"}),
    Role.DESIGNER: frozenset(f"workflows.{verb}_{model}" for verb in ("add", "change", "delete") for model in _EDITED)
    | {"workflows.publish_workflow"},
    Role.ADMIN: frozenset(
        f"{app}.{verb}_{model}"
        for verb in ("add", "change", "delete", "view")
        for app, model in (("auth", "user"), ("workflows", "credential"), ("workflows", "address"))
    )
    | {"workflows.view_credentialuse", "rpa_site.view_apitoken", "rpa_site.delete_apitoken"}
    | {f"gpu.{verb}_cataloguemodel" for verb in ("add", "change", "delete")}
    | {"execution.view_unmasked", "execution.add_noticerule", "analytics.change_retention", "audit.view_entry"},
}
# Beside the roles, for single people: what belongs to no work by itself.
SINGLE = {"unmasked live picture": frozenset({"execution.view_unmasked"})}
_ORDER = list(Role)


def permissions_of(role: Role) -> frozenset[str]:
    """All that a role may do, what the roles before it may do included."""
    return frozenset().union(*(OWN[r] for r in _ORDER[: _ORDER.index(role) + 1]))


def role_needed(permission: str) -> Role:
    """The lowest role that holds `permission`; admin for one that nobody was given."""
    return next((role for role in Role if permission in OWN[role]), Role.ADMIN)


def role_of(user: User) -> Role | None:
    """The highest role of an active user, None for anybody else."""
    if not user.is_authenticated or not user.is_active:
        return None
    if user.is_superuser:
        return Role.ADMIN
    names = set(user.groups.values_list("name", flat=True))
    return max((r for r in Role if r.value in names), key=_ORDER.index, default=None)


def create_roles(sender: Any, **kwargs: Any) -> None:
    """After migrations: each role's group holds exactly its permissions."""
    from django.contrib.auth.models import Group, Permission

    known = {f"{p.content_type.app_label}.{p.codename}": p for p in Permission.objects.select_related("content_type")}
    for group_name, names in {**{role.value: permissions_of(role) for role in Role}, **SINGLE}.items():
        group, _created = Group.objects.get_or_create(name=group_name)
        group.permissions.set([known[name] for name in names if name in known])
