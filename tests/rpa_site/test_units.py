"""The services under which an installation runs: what they may reach, and what the web process says of itself (T13)."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
from pathlib import Path

import pytest
from django.core.management import get_commands, load_command_class

from execution.management.commands.runloop import EXIT_REFUSED, Command
from tests.support.display import missing_programs, wait_until

DEPLOY = Path(__file__).resolve().parents[2] / "deploy"
# The run loop needs the X server's socket in /tmp and the cookie in a home; all else is shut for both.
OF_THE_DESKTOP = {
    "ProtectHome": ("yes", "read-only"),
    "PrivateTmp": ("yes", "no"),
    "ReadWritePaths": (
        "/opt/surehand/var",
        "/opt/surehand/var -/tmp/.X11-unix",
    ),  # of the display that shows another one
}
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
    unit = (DEPLOY / "surehand-migrate.service").read_text()
    assert "manage.py migrate --existing -v0\n" in unit, "a disk that is not mounted is no new installation"


@pytest.mark.parametrize("name", ["surehand-web@", "surehand-runloop@", "surehand-work", "surehand-desktop@"])
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
    assert int(loop["RestartPreventExitStatus"]) == EXIT_REFUSED, "trying again would lock the account"


def test_what_runs_on_a_display_does_not_see_the_secrets_of_the_services() -> None:
    """It is the house's program, under their account."""
    web, loop, display = (service(f"surehand-{name}@.service") for name in ("web", "runloop", "desktop"))
    hidden = {path.lstrip("-") for path in display["InaccessiblePaths"].split()}
    read = (web["ReadWritePaths"], web["EnvironmentFile"].lstrip("-"), str(Path(loop["EnvironmentFile"]).parent))
    assert set(read) <= hidden


def test_the_commands_are_there() -> None:
    """Each with what the unit gives it; only the web process and the display are no command of manage.py."""
    for path in DEPLOY.glob("*.service"):
        for line in path.read_text().splitlines():
            if line.startswith("ExecStart=") and "manage.py" in line:
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


@pytest.mark.display
@pytest.mark.skipif(bool(missing_programs("xvfb-run", "xauth")), reason="needs Xvfb, openbox and xauth")
def test_the_display_comes_up_where_errors_go_to_a_socket_and_says_what_is_wrong_there(tmp_path: Path) -> None:
    """As systemd has it: nobody can open /dev/stderr by its name then."""
    began = tmp_path / "began"
    number = next(n for n in range(4000, 5000) if not Path(f"/tmp/.X{n}-lock").exists())
    env = {
        **os.environ,
        "DESKTOP": f":{number}",
        "XAUTHORITY": str(tmp_path / "xauthority"),
        "SCREEN": "320x240x24",
        "START": f"touch {began}",
    }
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.settimeout(30)
        command: list[str | Path] = [DEPLOY / "display.sh"]
        display = subprocess.Popen(command, env=env, stderr=theirs, start_new_session=True)
        try:
            wait_until(lambda: began.exists() or display.poll() is not None, timeout=30)
            assert began.exists()
            second = subprocess.Popen(command, env=env, stderr=theirs, start_new_session=True)
            assert second.wait(30) != 0, "the number is taken"
            said = b""
            while b"already active" not in said:
                said += ours.recv(65536)
        finally:
            os.killpg(display.pid, signal.SIGTERM)
            display.wait(30)


# --- the command that makes them --------------------------------------------------------------------------------------
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="makes an account in a folder, which root alone may own")


def install(*given: str, fails: bool = False) -> str:
    done = subprocess.run([DEPLOY / "install.sh", *given], capture_output=True, text=True, timeout=60)
    assert (done.returncode != 0) is fails, done.stderr
    return done.stderr if fails else done.stdout


def test_one_command_says_all_that_it_would_do_and_does_nothing_of_it() -> None:
    said = install(
        "--dry-run", "--display", "desk=:10", "er-12=vnc://er-12.example:5901", "--port", "5006"
    ).splitlines()
    for line in (
        "systemd-sysusers /etc/sysusers.d/surehand.conf",
        "systemd-tmpfiles --create /etc/tmpfiles.d/surehand.conf",
        "/etc/surehand/desk.env: DESKTOP=:10",
        "/etc/surehand/desk.env: XAUTHORITY=/run/surehand-desktop-desk/xauthority",
        "/etc/surehand/er-12.env: DESKTOP=vnc://er-12.example:5901",
        "runuser -u surehand -- .venv/bin/python manage.py migrate -v0",
        "runuser -u surehand -- .venv/bin/python manage.py first_admin",
        "Say PORT=5006 in /opt/surehand/.env.local as well.",
    ):
        assert line in said
    started = next(line for line in said if line.startswith("systemctl start ")).split()[2:]
    assert {"surehand-web@5006", "surehand-work", "surehand-desktop@desk", "surehand-runloop@desk"} < set(started)
    assert {"surehand-runloop@er-12", "surehand-prune.timer", "surehand.target"} < set(started)
    assert "surehand-desktop@er-12" not in started
    installed = {line.rpartition("/")[2] for line in said if line.startswith("install -D ")}
    units = {path.name for kind in ("service", "timer", "target") for path in DEPLOY.glob(f"*.{kind}")}
    assert installed == {"surehand.conf", *units}


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (["desk"], "NAME=DESKTOP"),
        (["../x=:1"], "NAME=DESKTOP"),
        (["a/b=:1"], "small letters"),
        (["--display", "er=vnc://er-12"], "NAME=:NUMBER"),
        (["--display"], "NAME=:NUMBER"),
        (["--port", "x"], "a number"),
        (["--root"], "a folder"),
        (["--all"], "no option --all"),
    ],
)
def test_what_it_is_not_told_as_it_should_be_is_refused_before_anything(given: list[str], why: str) -> None:
    assert why in install("--dry-run", *given, fails=True)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may")
def test_it_says_that_it_needs_root() -> None:
    assert "sudo" in install(fails=True)


@as_root
@pytest.mark.skipif(not shutil.which("systemd-sysusers"), reason="needs systemd's programs")
def test_it_may_be_run_again_and_its_units_are_what_systemd_takes(tmp_path: Path) -> None:
    """Into a folder: the account, its folders, the units; what somebody wrote by hand stays."""
    own = tmp_path / "opt/surehand"
    for program in (".venv/bin/python", "deploy/display.sh"):
        (own / program).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy("/bin/true", own / program)
    install("--root", str(tmp_path), "--display", "desk=:10")
    robot = tmp_path / "etc/surehand/desk.env"
    account = (tmp_path / "etc/passwd").read_text()
    assert account.startswith("surehand:x:") and account.strip().endswith(":/opt/surehand:/usr/sbin/nologin")
    uid = int(account.split(":")[2])
    assert [(own / "var").stat().st_uid, (own / "var").stat().st_mode & 0o777] == [uid, 0o700]
    assert robot.stat().st_mode & 0o777 == 0o640
    assert robot.parent.stat().st_mode & 0o777 == 0o750
    by_hand = "SCREEN=1280x800x24\n" + robot.read_text()
    robot.write_text(by_hand)
    install("--root", str(tmp_path), "--display", "desk=:10", "er=vnc://er-12.example")
    assert robot.read_text() == by_hand
    assert (tmp_path / "etc/passwd").read_text() == account

    units = tmp_path / "etc/systemd/system"
    for name in ("sysinit", "basic", "network", "shutdown", "multi-user", "timers"):
        (units / f"{name}.target").write_text(f"[Unit]\nDescription={name}\n")
    (units / "system.slice").write_text("[Unit]\nDescription=system\n[Slice]\n")
    started = ("surehand.target", "surehand-web@5005.service", "surehand-desktop@desk.service", "surehand-prune.timer")
    more = (
        "surehand-runloop@desk.service",
        "surehand-work.service",
        "surehand-migrate.service",
        "surehand-prune.service",
    )
    checked = ["systemd-analyze", f"--root={tmp_path}", "verify", *started, *more]
    done = subprocess.run(checked, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


def enabled(root: Path) -> list[str]:
    return sorted(path.name for path in (root / "etc/systemd/system/surehand.target.wants").glob("*"))


@as_root
@pytest.mark.skipif(not shutil.which("systemd-sysusers"), reason="needs systemd's programs")
def test_run_again_it_enables_no_second_web_process(tmp_path: Path) -> None:
    (tmp_path / "opt/surehand").mkdir(parents=True)
    install("--root", str(tmp_path), "--port", "5006")
    before = enabled(tmp_path)
    assert "surehand-web@5006.service" in before
    install("--root", str(tmp_path))
    install("--root", str(tmp_path), "--port", "5006")
    assert "surehand-web@5006" in install(
        "--root", str(tmp_path), "--port", "5007", "er=vnc://er-12.example", fails=True
    )
    assert enabled(tmp_path) == before
    assert list((tmp_path / "etc/surehand").iterdir()) == []


@as_root
@pytest.mark.skipif(not shutil.which("systemd-sysusers"), reason="needs systemd's programs")
@pytest.mark.parametrize(
    ("said", "wanting"),
    [
        ("DESKTOP=:11\nXAUTHORITY=/run/surehand-desktop-desk/xauthority\n", "DESKTOP=:10"),
        ("DESKTOP=:10\n", "XAUTHORITY="),
    ],
)
def test_a_file_that_says_otherwise_is_named_and_nothing_is_done(tmp_path: Path, said: str, wanting: str) -> None:
    robot = tmp_path / "etc/surehand/desk.env"
    robot.parent.mkdir(parents=True)
    robot.write_text(said)
    why = install("--root", str(tmp_path), "new=:9", "--display", "desk=:10", fails=True)
    assert str(robot) in why
    assert wanting in why
    assert [path.name for path in (tmp_path / "etc").rglob("*")] == ["surehand", "desk.env"]
