"""Form fields of the admin: lists as one text a line, readable JSON, and a picture that is uploaded."""

from __future__ import annotations

import json
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from sentences.said import worded
from workflows.exceptions import PictureError
from workflows.models import Picture
from workflows.pictures import FORMATS, PictureStore, decode
from workflows.specs import texts_in

MAX_UPLOAD_MB = 40


class LinesField(forms.Field):
    """A JSON list of texts, edited as one text a line."""

    def __init__(self, **kwargs: Any) -> None:
        kwargs.setdefault("widget", forms.Textarea(attrs={"rows": 3, "cols": 60}))
        super().__init__(**{"required": False, **kwargs})

    def prepare_value(self, value: Any) -> Any:
        return value if isinstance(value, str) else "\n".join(texts_in(value))

    def to_python(self, value: Any) -> list[str]:
        return list(texts_in(str(value or "").splitlines()))

    def has_changed(self, initial: Any, data: Any) -> bool:
        return list(texts_in(initial)) != self.to_python(data)


class ReadableJSONField(forms.JSONField):
    """JSON with a line for each thing, and its letters as they are, in an area of so many `rows`."""

    def __init__(self, *, rows: int = 3, **options: Any) -> None:
        area = forms.Textarea(attrs={"rows": rows, "cols": 80, "spellcheck": "false"})
        super().__init__(widget=area, **options)

    def prepare_value(self, value: Any) -> Any:
        if isinstance(value, str | forms.fields.InvalidJSONInput):
            return value
        return json.dumps(value, indent=2, ensure_ascii=False)


class PictureField(forms.FileField):
    """An uploaded picture, given back as the row of a picture in the store; refusals are shown at the field."""

    def __init__(self, **kwargs: Any) -> None:
        accept = ",".join(f"image/{name.lower()}" for name in FORMATS)
        kwargs.setdefault("widget", forms.FileInput(attrs={"accept": accept}))
        super().__init__(**{"required": False, **kwargs})

    def clean(self, data: Any, initial: Any = None) -> Picture | None:
        file = super().clean(data, initial)
        return stored(file) if isinstance(file, UploadedFile) else None


def stored(file: UploadedFile) -> Picture:
    """The picture in the store, where it is found again under the same digest however often it is uploaded."""
    if (file.size or 0) > MAX_UPLOAD_MB * 1024 * 1024:
        raise ValidationError(_("%(name)s is larger than %(limit)d MB.") % {"name": file.name, "limit": MAX_UPLOAD_MB})
    try:
        pixels = decode(file.read(), name=str(file.name))
        digest = PictureStore().put(pixels)
    except PictureError as error:
        raise ValidationError(worded(error)) from error
    height, width = pixels.shape[:2]
    return Picture.objects.get_or_create(digest=digest, defaults={"width": width, "height": height})[0]


def thumbnail(picture: Picture | None, *, css: str = "picture-small") -> SafeString | str:
    """The picture, linked to itself in full."""
    if picture is None:
        return "–"
    url = reverse("picture", args=[picture.digest])
    return format_html(
        '<a class="{}" href="{}"><img src="{}" alt="{}" loading="lazy"></a>', css, url, url, str(picture)
    )
