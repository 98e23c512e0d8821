"""System checks of where the pictures lie: in this house, and does it answer?"""

from __future__ import annotations

from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, Warning, register

from sentences.said import worded
from workflows.exceptions import PictureAway
from workflows.pictures import PictureStore

AMAZON = (".amazonaws.com", ".amazonaws.com.cn", ".amazonaws.eu")


@register(Tags.security)
def pictures_stay_in_the_house(**kwargs: Any) -> list[CheckMessage]:
    """S10.4: what is seen on screens goes to nobody else's servers, and over no network in clear."""
    if not (options := settings.STORAGES["pictures"].get("OPTIONS")):
        return []
    parts = urlsplit(options.get("endpoint_url") or "")
    if not parts.hostname or f".{parts.hostname}".endswith(AMAZON):
        hint = "Name a server of your own in RPA_PICTURES_URL, such as https://pictures.example:9000/surehand."
        return [Error("Pictures of screens would go to Amazon.", hint=hint, id="rpa_site.E022")]
    if parts.scheme == "https" or _is_here(parts.hostname):
        return []
    hint = "Give the server a certificate, and write https:// in RPA_PICTURES_URL."
    return [Warning("Pictures of screens go over the network in clear.", hint=hint, id="rpa_site.W004")]


@register(deploy=True)
def pictures_are_taken(**kwargs: Any) -> list[CheckMessage]:
    """Whether the store of the pictures answers, and what it says where it does not take ours."""
    try:
        PictureStore().answer()
    except PictureAway as error:
        hint = "Until then runs pause before they act, and pages show no pictures. See docs/many.md."
        return [Error(worded(error), hint=hint, id="rpa_site.E023")]
    return []


def _is_here(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
