"""What the body of a request may hold."""

from __future__ import annotations

from typing import Any

import pytest
from rest_framework import serializers

from sentences.request_body import LONGEST, MOST_NAMED, RequestBody, checked


class Inner(RequestBody):
    kind = serializers.CharField()


class Outer(RequestBody):
    name = serializers.CharField(required=False)
    inner = Inner(required=False)
    many = serializers.ListField(child=Inner(), required=False)


@pytest.mark.parametrize(
    ("data", "place"),
    [
        ({"nmae": "x"}, {"nmae"}),
        ({"inner": {"kind": "x", "knid": "y"}}, {"inner"}),
        ({"many": [{"kind": "x"}, {"kind": "x", "more": 1}]}, {"many"}),
    ],
)
def test_a_field_that_is_not_known_is_refused_by_its_name(data: dict[str, Any], place: set[str]) -> None:
    with pytest.raises(serializers.ValidationError) as refused:
        checked(Outer, data)
    assert set(refused.value.detail) == place
    assert "not known here" in str(refused.value.detail)


def test_what_is_known_comes_through_with_the_token_of_a_form_beside_it() -> None:
    assert checked(Outer, {"name": "a", "csrfmiddlewaretoken": "x"}) == {"name": "a"}


def test_made_up_names_come_back_cut() -> None:
    with pytest.raises(serializers.ValidationError) as refused:
        checked(Outer, {f"{n}{'x' * 5000}": 1 for n in range(500)})
    assert len(refused.value.detail) == MOST_NAMED
    assert max(map(len, refused.value.detail)) == LONGEST
