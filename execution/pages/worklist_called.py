"""Which other systems call a list, beside its times (S12.10)."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from execution.choices import Origin
from execution.models import IncomingWebhook, Worklist
from execution.permissions import OPERATE
from execution.worklists.actions.webhooks import drop_webhook, keep_webhook
from sentences.said import worded
from workflows.exceptions import DomainError
from workflows.permissions import permitted

NEW = "new"


def called_context(request: HttpRequest, one: Worklist, secrets: list[str]) -> dict[str, Any]:
    """The systems that may call it, and the one that is open with the address that it calls; `secrets` are the names of
    those that may sign its calls."""
    webhooks = list(IncomingWebhook.objects.filter(worklist=one).select_related("address", "changed_by"))
    asked = request.GET.get("system", "")
    chosen = next((webhook for webhook in webhooks if webhook.hook_id == asked), None)
    calls = reverse("api_webhook_called", args=[chosen.hook_id]) if chosen else ""
    return {
        "webhooks": webhooks,
        "webhook": chosen,
        "webhook_is_open": chosen is not None or asked == NEW,
        "webhook_calls": request.build_absolute_uri(calls) if calls else "",
        "secrets": secrets,
    }


@permitted(OPERATE)
@require_POST
def worklist_called(request: HttpRequest, worklist_id: str) -> HttpResponse:
    """Let a system call the list, change how, or let it no more."""
    posted, opened = request.POST, request.POST.get("system", "")
    who: dict[str, Any] = {"worklist_id": worklist_id, "user": request.user, "origin": Origin.PAGE}
    try:
        if posted.get("verb") == "drop":
            drop_webhook(hook_id=opened, **who)
            opened = ""
        else:
            kept = keep_webhook(
                secret=posted.get("secret", ""),
                hook_id=opened,
                begins=bool(posted.get("begins")),
                is_on=bool(posted.get("is_on")),
                reason=posted.get("reason", ""),
                **who,
            )
            opened = kept.hook_id
            messages.success(request, _("Saved."))
    except DomainError as error:
        messages.error(request, worded(error))
        opened = opened or NEW
    return redirect(f"{reverse('list_when', args=[worklist_id])}{f'?system={opened}' if opened else ''}#when-called")
