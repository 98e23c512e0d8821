"""The services under which an installation runs: what they may reach, and what the web process says of itself (T13)."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.core.management import get_commands, load_command_class

from execution.management.commands.runloop import Command

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
    web, loop = service("surehand-web@.service"), service("surehand-runloop@.service")
    assert {name: web.get(name) for name in SHUT} == SHUT
    differing = {name: (web.get(name), loop.get(name)) for name in web if web.get(name) != loop.get(name)}
    assert {k: v for k, v in differing.items() if not k.startswith(("Exec", "Restart", "Env"))} == OF_THE_DESKTOP


def test_what_is_done_behind_the_scenes_is_shut_in_as_well_and_comes_after_the_runs() -> None:
    web, work = service("surehand-web@.service"), service("surehand-work.service")
    assert {name: work.get(name) for name in SHUT} == SHUT
    assert all(work[name] == web[name] for name in web if name.startswith(("Protect", "Restrict", "Private")))
    assert (work["ExecStart"].split()[-1], work["Restart"], work["Nice"]) == ("work", "always", "10")


def test_the_web_process_listens_on_this_machine_alone_and_does_not_name_its_software() -> None:
    command = service("surehand-web@.service")["ExecStart"]
    assert "--no-server-name" in command
    assert "-b 127.0.0.1" in command


def test_the_database_is_brought_up_once_before_any_web_process_starts() -> None:
    web, migrate = (DEPLOY / "surehand-web@.service").read_text(), service("surehand-migrate.service")
    assert {name: migrate.get(name) for name in SHUT} == SHUT
    assert "Requires=surehand-migrate.service\n" in web
    assert "After=network.target surehand-migrate.service\n" in web
    assert migrate["Type"] == "oneshot"


@pytest.mark.parametrize("name", ["surehand-web@", "surehand-runloop@", "surehand-work"])
def test_all_of_it_is_started_and_stopped_by_one_name(name: str) -> None:
    unit = (DEPLOY / f"{name}.service").read_text()
    assert "PartOf=surehand.target\n" in unit
    assert unit.endswith("[Install]\nWantedBy=surehand.target\n")


def test_each_desktop_is_named_in_a_file_of_its_own_and_the_command_takes_it() -> None:
    """A unit of which that file is not there fails, and says so; it watches no desktop by chance."""
    loop = service("surehand-runloop@.service")
    assert loop["EnvironmentFile"] == "/etc/surehand/%i.env"
    command = loop["ExecStart"].replace("${DESKTOP}", "vnc://host:5901").split()
    told = Command().create_parser("manage.py", command[2]).parse_args(command[3:])
    assert told.desktop == "vnc://host:5901"
    assert (loop["Type"], int(loop["WatchdogSec"]) >= 30) == ("notify", True)


def test_the_commands_are_there() -> None:
    """Each with what the unit gives it; only the web process is no command of manage.py."""
    for path in DEPLOY.glob("*.service"):
        for line in path.read_text().splitlines():
            if line.startswith("ExecStart=") and "daphne" not in line:
                _python, script, name, *rest = line.removeprefix("ExecStart=").split()
                assert script == "manage.py"
                app = get_commands()[name]
                load_command_class(app, name).create_parser("manage.py", name).parse_args(rest)


def test_what_deletes_at_night_is_shut_in_as_well_and_does_it_once() -> None:
    web, prune = service("surehand-web@.service"), service("surehand-prune.service")
    assert {name: prune.get(name) for name in SHUT} == SHUT
    assert all(prune[name] == web[name] for name in web if name.startswith(("Protect", "Restrict", "Private")))
    assert (prune["Type"], prune["ExecStart"].split()[-1]) == ("oneshot", "prune")
    assert "OnCalendar=" in (DEPLOY / "surehand-prune.timer").read_text()
