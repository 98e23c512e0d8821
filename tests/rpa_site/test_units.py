"""The services under which an installation runs: what they may reach, and what the web process says of itself (T13)."""

from __future__ import annotations

from pathlib import Path

import pytest

DEPLOY = Path(__file__).resolve().parents[2] / "deploy"
# The run loop needs the X server's socket in /tmp and the cookie in a home; all else is shut for both.
OF_THE_DESKTOP = {"ProtectHome": ("yes", "read-only"), "PrivateTmp": ("yes", "no")}
SHUT = {
    "NoNewPrivileges": "yes", "ProtectSystem": "strict", "ReadWritePaths": "/opt/surehand/var", "UMask": "0077",
    "ProtectKernelTunables": "yes", "ProtectKernelModules": "yes", "RestrictSUIDSGID": "yes", "LockPersonality": "yes",
    "CapabilityBoundingSet": "", "AmbientCapabilities": "", "RestrictNamespaces": "yes",
    "SystemCallArchitectures": "native",
}  # fmt: skip

pytestmark = pytest.mark.security


def service(name: str) -> dict[str, str]:
    section = (DEPLOY / name).read_text().split("[Service]")[1].split("[Install]")[0]
    lines = [line for line in section.splitlines() if "=" in line and not line.startswith("#")]
    return dict(line.split("=", 1) for line in lines)


def test_the_run_loop_is_shut_in_as_the_web_process_is() -> None:
    web, loop = service("surehand-web.service"), service("surehand-runloop.service")
    assert {name: web.get(name) for name in SHUT} == SHUT
    differing = {name: (web.get(name), loop.get(name)) for name in web if web.get(name) != loop.get(name)}
    assert {k: v for k, v in differing.items() if not k.startswith(("Exec", "Restart"))} == OF_THE_DESKTOP


def test_the_web_process_listens_on_this_machine_alone_and_does_not_name_its_software() -> None:
    command = service("surehand-web.service")["ExecStart"]
    assert "--no-server-name" in command
    assert "-b 127.0.0.1" in command
