"""Packs of corrections leave and come in by the page of corrections (S6.4)."""

from __future__ import annotations

from urllib.parse import urlencode

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.text import slugify
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST, require_safe

from execution.actions.export_pack import export_pack
from execution.actions.import_pack import import_pack
from execution.choices import Origin
from sentences.said import worded
from workflows.exceptions import DomainError
from workflows.permissions import DESIGN, permitted
from workflows.unpacking import uploaded


class ImportPackForm(forms.Form):
    file = forms.FileField(label=_("File of corrections"))
    workflow_id = forms.CharField(required=False, max_length=100)


@permitted(DESIGN)
@require_safe
def pack_export(request: HttpRequest, workflow_id: str) -> HttpResponse:
    """The corrections of one workflow as a file; what stays here is said on the next page."""
    try:
        exported = export_pack(workflow_id, user=request.user, origin=Origin.PAGE)
    except DomainError as error:
        messages.error(request, worded(error))
        return redirect("corrections")
    if kept := len(exported.kept_back):
        words = ngettext(
            "%(n)d correction was not exported: that is taught otherwise by now, or it says what was data of a run.",
            "%(n)d corrections were not exported: that is taught otherwise by now, or they say what was data of a run.",
            kept,
        )
        messages.warning(request, words % {"n": kept})
    name = f"{slugify(exported.workflow.workflow_id) or 'workflow'}-corrections.zip"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(exported.data, content_type="application/zip", headers=headers)


@permitted(DESIGN)
@require_POST
def pack_import(request: HttpRequest) -> HttpResponse:
    """What of a file fits is on trial from now on; a bad file changes nothing."""
    form = ImportPackForm(request.POST, request.FILES)
    if not form.is_valid():
        messages.error(request, " ".join(str(error) for errors in form.errors.values() for error in errors))
        return redirect("corrections")
    said = form.cleaned_data
    try:
        imported = import_pack(
            uploaded(said["file"]), workflow_id=said["workflow_id"], user=request.user, origin=Origin.PAGE
        )
    except DomainError as error:
        messages.error(request, worded(error))
        return redirect("corrections")
    tell = messages.success if imported.taken else messages.warning
    tell(request, " ".join(imported.told()))
    return redirect(f"{reverse('corrections')}?{urlencode({'workflow': imported.workflow.workflow_id})}")
