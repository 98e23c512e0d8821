"""Starting a run once, however often it is asked for: the header Idempotency-Key of the API."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _

from execution.exceptions import StartKeyUsed
from execution.models import Execution, StartKey
from execution.models.start_key import START_KEYS_KEPT
from workflows.exceptions import BadParameter

_KEY = re.compile(r"[\x21-\x7e]{1,200}")


def start_once(start: Callable[[], Execution], *, key: str, body: Mapping[str, Any], user: Any) -> Execution:
    """Return the run that this key has started for `user`, or that of `start`. Raises StartKeyUsed and BadParameter.

    The key is written before the run, in its transaction: whoever asks at the same time waits for it.
    """
    if not _KEY.fullmatch(key):
        raise BadParameter(_("Write Idempotency-Key as 1 to 200 letters, digits and signs, without blanks."))
    digest = salted_hmac(__name__, json.dumps(body, sort_keys=True, default=str), algorithm="sha256").hexdigest()
    try:
        with transaction.atomic():
            StartKey.objects.filter(user=user, key=key, created_at__lt=timezone.now() - START_KEYS_KEPT).delete()
            row = StartKey.objects.create(user=user, key=key, body=digest)
            row.execution = start()
            row.save(update_fields=["execution"])
            return row.execution
    except IntegrityError:
        known = StartKey.objects.select_related("execution").filter(user=user, key=key).first()
        if known is None or known.execution is None:
            raise
    if known.body != digest:
        raise StartKeyUsed(
            _("This Idempotency-Key has started the run %(run)s with another body. Use a new key for another run.")
            % {"run": known.execution.execution_id}
        )
    return known.execution
