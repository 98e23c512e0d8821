"""Four roles, each with all that the one before it may do, and nothing without one (S10.1)."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser, Group, Permission

from rpa_site.roles import OWN, Role, create_roles, permissions_of, role_needed, role_of

pytestmark = pytest.mark.django_db


def held(user: Any) -> set[str]:
    return user.get_all_permissions()


def test_each_role_may_do_more_than_the_one_before() -> None:
    for lower, higher in pairwise(Role):
        assert permissions_of(lower) < permissions_of(higher)


def test_every_permission_that_a_role_names_is_there() -> None:
    """A name that no model declares would be granted to nobody, in silence."""
    known = {f"{p.content_type.app_label}.{p.codename}" for p in Permission.objects.select_related("content_type")}
    assert permissions_of(Role.ADMIN) <= known


@pytest.mark.parametrize("role", list(Role))
def test_a_group_holds_exactly_what_its_role_may_do(role: Role, make_user: Any) -> None:
    assert held(make_user("somebody", role.value)) == permissions_of(role)


def test_without_a_role_nothing_may_be_done(stranger: Any) -> None:
    assert held(stranger) == set()
    assert role_of(stranger) is None


MAY = {
    "execution.view_execution": Role.VIEWER,
    "execution.operate_execution": Role.OPERATOR,
    "workflows.change_edge": Role.DESIGNER,
    "workflows.publish_workflow": Role.DESIGNER,
    "auth.add_user": Role.ADMIN,
}


@pytest.mark.parametrize(("permission", "lowest"), MAY.items())
def test_what_takes_which_role(permission: str, lowest: Role) -> None:
    order = list(Role)
    assert role_needed(permission) is lowest
    for role in Role:
        assert (permission in permissions_of(role)) == (order.index(role) >= order.index(lowest))


def test_what_nobody_was_given_takes_an_admin() -> None:
    """Deny by default."""
    assert role_needed("execution.delete_execution") is Role.ADMIN
    assert not any("execution.delete_execution" in names for names in OWN.values())


def test_of_several_roles_the_highest_counts(make_user: Any) -> None:
    user = make_user("both", "viewer")
    user.groups.add(Group.objects.get(name="designer"))
    assert role_of(user) is Role.DESIGNER


def test_a_superuser_is_an_admin_and_a_dismissed_or_unknown_person_is_nobody(make_user: Any) -> None:
    user = make_user("root")
    user.is_superuser = True
    assert role_of(user) is Role.ADMIN
    user.is_active = False
    assert role_of(user) is None
    assert role_of(AnonymousUser()) is None


def test_a_group_that_is_not_ours_gives_no_role(stranger: Any) -> None:
    stranger.groups.add(Group.objects.create(name="canteen"))
    assert role_of(stranger) is None


def test_migrating_again_gives_back_what_was_taken_and_takes_what_was_added() -> None:
    group = Group.objects.get(name="viewer")
    group.permissions.set(Permission.objects.filter(codename="delete_user"))
    create_roles(sender=None)
    names = {f"{p.content_type.app_label}.{p.codename}" for p in group.permissions.select_related("content_type")}
    assert names == permissions_of(Role.VIEWER)
