"""A server that speaks the S3 protocol, on loopback, of a test's own: moto's, with keys that count."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.product import free_port
from tests.support.servers import MANY

UP_WITHIN_S = 60.0
BUCKET = "screens"
ALL_OF_S3 = '{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"s3:*","Resource":"*"}]}'


@dataclass
class S3Server:
    """`key_id` and `secret` may do all with the bucket; others are refused. It keeps nothing when it ends."""

    port: int = field(default_factory=free_port)
    key_id: str = ""
    secret: str = ""
    process: subprocess.Popen[bytes] | None = None
    log: Path = Path(os.devnull)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def env(self) -> dict[str, str]:
        """The settings of an installation with its pictures here."""
        return {
            "RPA_PICTURES_URL": f"{self.url}/{BUCKET}",
            "RPA_PICTURES_KEY_ID": self.key_id,
            "RPA_PICTURES_SECRET": self.secret,
        }

    def storage(self, **options: Any) -> dict[str, Any]:
        """As STORAGES["pictures"] takes it."""
        known = {
            "endpoint_url": self.url, "bucket_name": BUCKET, "location": "", "access_key": self.key_id,
            "secret_key": self.secret, "region_name": "us-east-1",
        }  # fmt: skip
        return {"BACKEND": "workflows.picture_bucket.PictureBucket", "OPTIONS": known | options}

    def start(self) -> None:
        with self.log.open("ab") as log:
            command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(self.port)]
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        late = time.monotonic() + UP_WITHIN_S
        while not self._answers():
            if self.process.poll() is not None or time.monotonic() > late:
                raise RuntimeError(f"moto did not start:\n{self.log.read_text()[-2000:]}")
            time.sleep(0.1)
        self._furnish()

    def _answers(self) -> bool:
        try:
            return httpx.get(f"{self.url}/moto-api/", trust_env=False, timeout=5).status_code == 200
        except httpx.TransportError:
            return False

    def _furnish(self) -> None:
        """A bucket that keeps every version, and somebody who may use it; from then on keys count."""
        iam = self.client("iam")
        iam.create_user(UserName="surehand")
        iam.put_user_policy(UserName="surehand", PolicyName="all", PolicyDocument=ALL_OF_S3)
        key = iam.create_access_key(UserName="surehand")["AccessKey"]
        self.key_id, self.secret = key["AccessKeyId"], key["SecretAccessKey"]
        httpx.post(f"{self.url}/moto-api/reset-auth", content="0", trust_env=False).raise_for_status()
        self.client().create_bucket(Bucket=BUCKET)
        self.client().put_bucket_versioning(Bucket=BUCKET, VersioningConfiguration={"Status": "Enabled"})

    def client(self, service: str = "s3") -> Any:
        """boto3's own, for what a test looks at behind the product's back."""
        import boto3
        from botocore.config import Config

        return boto3.client(
            service, endpoint_url=self.url, region_name="us-east-1", aws_access_key_id=self.key_id or "set-up",
            aws_secret_access_key=self.secret or "set-up",
            config=Config(proxies={}),
        )  # fmt: skip

    def written(self) -> list[str]:
        """What was ever put there, a line for each time."""
        return [one["Key"] for one in self.client().list_object_versions(Bucket=BUCKET).get("Versions", [])]

    def lying(self) -> set[str]:
        """What lies there now."""
        return {one["Key"] for one in self.client().list_objects_v2(Bucket=BUCKET).get("Contents", [])}

    def suspend(self) -> None:
        """It takes connections and answers none."""
        self._signal(signal.SIGSTOP)

    def resume(self) -> None:
        self._signal(signal.SIGCONT)

    def stop(self) -> None:
        if self.process is not None:
            self._signal(signal.SIGCONT)
            self.process.terminate()
            self.process.wait(60)
            self.process = None

    def _signal(self, number: signal.Signals) -> None:
        if self.process is not None:
            self.process.send_signal(number)


@contextmanager
def s3() -> Iterator[S3Server]:
    """Started and furnished; the test is skipped, in words, where moto or the client is not installed."""
    if any(find_spec(name) is None for name in ("moto", "boto3", "storages", "flask")):
        pytest.skip(f"no S3 server here, or not its client: {MANY}")
    with tempfile.TemporaryDirectory(prefix="surehand-s3-") as folder:
        one = S3Server(log=Path(folder) / "log")
        try:
            one.start()
            yield one
        finally:
            one.stop()
