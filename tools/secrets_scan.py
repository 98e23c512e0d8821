"""Look for secrets in tracked files: private keys, tokens of known shapes, values given to telling names."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

PATTERNS = {
    "private key": re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----"),
    "AWS key": re.compile(r"\bAKIA[0-9A-Z]{16}\b"),
    "GitHub token": re.compile(r"\bgh[pousr]_[A-Za-z0-9]{36,}\b"),
    "Slack token": re.compile(r"\bxox[abprs]-[A-Za-z0-9-]{10,}\b"),
    "secret in a setting": re.compile(
        r"(?i)\b(secret_key|password|api_key|token)\b\s*[:=]\s*[\"'][A-Za-z0-9+/_\-]{20,}[\"']"
    ),
}
SKIPPED = (".png", ".zip", ".mo", ".ico", ".min.js", ".min.css")


def main() -> int:
    names = subprocess.run(["git", "ls-files", "-z"], capture_output=True, text=True, check=True).stdout.split("\0")
    found = 0
    for name in filter(None, names):
        if name.endswith(SKIPPED) or "/vendor/" in name or not Path(name).is_file():
            continue
        for number, line in enumerate(Path(name).read_text(errors="replace").splitlines(), 1):
            for kind, pattern in PATTERNS.items():
                if pattern.search(line):
                    print(f"{name}:{number}: {kind}")
                    found += 1
    print(f"{found} possible secrets in tracked files.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
