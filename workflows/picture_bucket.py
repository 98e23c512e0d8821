"""Pictures in a bucket that is reached by the S3 protocol (RPA_PICTURES_URL): MinIO, Ceph, Garage, a house's own.

One server, named by its address; nothing is asked of Amazon, of this machine's AWS profiles or of a proxy. Nobody gets
a picture but through Django: there are no public and no signed addresses. It may go away at any time: who asks hears so
after seconds, and those who ask right afterwards at once.
"""

from __future__ import annotations

import io
import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError, ConnectionError, HTTPClientError, SSLError
from django.core.files.base import File
from storages.backends.s3 import S3Storage

from sentences.said import say
from workflows.picture_files import StoreAway

log = logging.getLogger(__name__)

CONNECT_S, ANSWER_S, TRIES = 2.0, 5.0, 2
AWAY_S = 5.0  # nobody waits for it anew so soon after somebody waited in vain
TOUCHED_ANEW_AFTER = timedelta(minutes=15)  # far less than what a picture is spared for (analytics.retention.FRESH_S)
REMEMBERED = 64 << 20  # bytes of taught pictures, which every turn compares with
_WHY = {
    "NoSuchBucket": "pictures.store_no_bucket",
    "InvalidAccessKeyId": "pictures.store_wrong_key",
    "SignatureDoesNotMatch": "pictures.store_wrong_key",
    "AccessDenied": "pictures.store_forbids",
    "403": "pictures.store_forbids",
    "RequestTimeTooSkewed": "pictures.store_clock",
    "AuthorizationHeaderMalformed": "pictures.store_region",
    "XMinioStorageFull": "pictures.store_full",
    "QuotaExceeded": "pictures.store_full",
    "InsufficientCapacity": "pictures.store_full",
    "507": "pictures.store_full",
}
_IS_NOT_THERE = ("404", "NoSuchKey")
_IS_THERE = ("PreconditionFailed", "ConditionalRequestConflict", "412")


class PictureBucket(S3Storage):  # type: ignore[misc]  # the library has no types
    """The options are those of its settings; all else is fixed here."""

    def __init__(self, **options: Any) -> None:
        config = Config(
            signature_version="s3v4",
            s3={"addressing_style": "path"},
            connect_timeout=CONNECT_S,
            read_timeout=ANSWER_S,
            retries={"total_max_attempts": TRIES, "mode": "standard"},
            proxies={},
            request_checksum_calculation="when_required",  # servers other than Amazon's know no newer ones
            response_checksum_validation="when_required",
        )
        fixed = dict.fromkeys(("session_profile", "security_token", "default_acl")) | {"client_config": config}
        super().__init__(**options, **fixed)
        self.where = "/".join(part for part in (self.endpoint_url, self.bucket_name, self.location) if part)
        self._silent_until, self._said = 0.0, ""
        self._remembered: OrderedDict[str, bytes] = OrderedDict()
        self._bytes, self._lock = 0, threading.Lock()

    # --- what Django's storages do ---------------------------------------------------------------------------------
    def url(self, name: str | None, *args: Any, **kwargs: Any) -> str:
        raise NotImplementedError("Pictures are read through Django, with login and role.")

    def get_available_name(self, name: str, max_length: int | None = None) -> str:
        return name  # it says what is in it: there is no other of that name

    def exists(self, name: str) -> bool:
        return self._head(name) is not None

    def size(self, name: str) -> int:
        return int(self._known(name)["ContentLength"])

    def get_modified_time(self, name: str) -> datetime:
        modified: datetime = self._known(name)["LastModified"]
        return modified

    def delete(self, name: str) -> None:
        with self._told():
            self._client.delete_object(**self._of(name))
        with self._lock:
            self._bytes -= len(self._remembered.pop(name, b""))

    def _open(self, name: str, mode: str = "rb") -> File:
        with self._told(name):
            return File(io.BytesIO(self._client.get_object(**self._of(name))["Body"].read()), name)

    def _save(self, name: str, content: Any) -> str:
        """In one request, which the server takes whole or not at all."""
        with self._told():
            try:
                self._client.put_object(**self._of(name), Body=content.read(), ContentType="image/png", IfNoneMatch="*")
            except ClientError as error:
                if _code(error) not in _IS_THERE or self._head(name) is None:
                    raise  # else somebody else was faster: what is there is the same
        return name

    # --- and what pictures need besides (PicturePlace) ----------------------------------------------------------------
    def touch(self, name: str) -> bool:
        head = self._head(name)
        if head is None or datetime.now(UTC) - head["LastModified"] < TOUCHED_ANEW_AFTER:
            return head is not None
        here = self._of(name)
        try:
            with self._told(name):
                self._client.copy_object(**here, CopySource=here, MetadataDirective="REPLACE", ContentType="image/png")
        except FileNotFoundError:  # deleted in between
            return False
        return True

    def read(self, name: str) -> bytes:
        """From memory where it was read lately: a run does not stop for what it has seen."""
        with self._lock:
            if name in self._remembered:
                self._remembered.move_to_end(name)
                return self._remembered[name]
        with self.open(name) as file:
            data: bytes = file.read()
        with self._lock:
            if name not in self._remembered:
                self._remembered[name], self._bytes = data, self._bytes + len(data)
            while self._bytes > REMEMBERED:
                self._bytes -= len(self._remembered.popitem(last=False)[1])
        return data

    def sizes(self) -> Iterator[tuple[str, int]]:
        with self._told():
            pages = self._client.get_paginator("list_objects_v2").paginate(
                Bucket=self.bucket_name, Prefix=f"{self.location.strip('/')}/" if self.location else ""
            )
            for page in pages:
                for one in page.get("Contents", ()):
                    yield one["Key"].rpartition("/")[2].partition(".")[0], int(one["Size"])

    def answer(self) -> None:
        self._silent_until = 0.0  # who asks this wants to know it now
        with self._told():
            self._client.list_objects_v2(Bucket=self.bucket_name, MaxKeys=1)

    # ---------------------------------------------------------------------------------------------------------------
    @property
    def _client(self) -> Any:
        return self.connection.meta.client  # of this thread

    def _of(self, name: str) -> dict[str, str]:
        return {"Bucket": self.bucket_name, "Key": self._normalize_name(name)}

    def _head(self, name: str) -> Any:
        with self._told():
            try:
                return self._client.head_object(**self._of(name))
            except ClientError as error:
                if _code(error) in _IS_NOT_THERE:
                    return None
                if _code(error) in ("400", "403"):  # such an answer has no body: this one says why
                    self._client.list_objects_v2(Bucket=self.bucket_name, MaxKeys=1)
                raise

    def _known(self, name: str) -> Any:
        head = self._head(name)
        if head is None:
            raise FileNotFoundError(name)
        return head

    @contextmanager
    def _told(self, name: str = "") -> Iterator[None]:
        """What goes wrong as an OSError with a sentence; nothing of the server's own words, which may name the key."""
        if time.monotonic() < self._silent_until:
            raise StoreAway(self._said)
        try:
            yield
        except ClientError as error:
            code = _code(error)
            if name and code in _IS_NOT_THERE:
                raise FileNotFoundError(name) from None
            log.warning("the store of the pictures at %s refuses: %s", self.where, code)
            raise StoreAway(say(_WHY[code]) if code in _WHY else say("pictures.store_refuses", answer=code)) from None
        except SSLError:
            raise StoreAway(say("pictures.store_tls")) from None
        except (ConnectionError, HTTPClientError):  # nobody there, or nobody who answers
            self._said = say("pictures.store_silent")
            self._silent_until = time.monotonic() + AWAY_S
            log.warning("the store of the pictures at %s does not answer", self.where)
            raise StoreAway(self._said) from None
        except BotoCoreError as error:
            raise StoreAway(say("pictures.store_refuses", answer=type(error).__name__)) from None


def _code(error: ClientError) -> str:
    return str(error.response.get("Error", {}).get("Code", ""))
