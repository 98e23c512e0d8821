"""The signing key: made once, kept outside the database, readable by its owner alone."""

from __future__ import annotations

import os
import secrets
from pathlib import Path


def load(path: Path) -> str:
    """The key kept at `path`; made there first where there is none, by whichever process comes first."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh = path.with_name(f"{path.name}.{os.getpid()}")
        with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            file.write(secrets.token_urlsafe(50))
        try:
            os.link(fresh, path)  # atomic, and it does not replace a key another process has just made
        except FileExistsError:
            pass
        finally:
            fresh.unlink()
    return path.read_text().strip()
