"""The run loop's part of the stream, without a desktop: a process that writes events.

python -m tests.support.stream_worker prepare
python -m tests.support.stream_worker write EXECUTION COUNT SIZE PAUSE_MS PICTURES
"""

from __future__ import annotations

import json
import os
import sys
import time
from typing import Any

import django

USER = "watcher"
ROBOT = "bench:1"


def prepare() -> dict[str, Any]:
    """A database with somebody who may watch and a run at work; gives the session key and the run's id."""
    from django.contrib.auth.models import Group, User
    from django.test import Client

    from execution.choices import ExecutionState
    from execution.models import Robot
    from tests.factories import make_execution

    user = User.objects.create_user(USER)
    user.groups.add(Group.objects.get(name="viewer"))
    client = Client()
    client.force_login(user)
    robot = Robot.objects.create(name=ROBOT, desktop=ROBOT, host="bench", pid=os.getpid())
    execution = make_execution(state=ExecutionState.RUNNING, desktop=ROBOT, robot=robot)
    return {"session_key": client.cookies["sessionid"].value, "execution_id": execution.execution_id}


def write(execution_id: str, count: int, size: int, pause_ms: float, pictures: bool) -> dict[str, Any]:
    """That many events of that size, each in its transaction and with the time before it; gives the last's number."""
    from django.db import transaction

    from execution.choices import EventKind
    from execution.models import Execution
    from execution.record.events import emit
    from execution.running.live_picture import path_of

    execution = Execution.objects.get(execution_id=execution_id)
    picture = path_of(ROBOT)
    picture.parent.mkdir(parents=True, exist_ok=True)
    due = time.monotonic()
    for number in range(count):
        if pictures:
            fresh = picture.with_suffix(".part")
            fresh.write_bytes(b"picture")
            fresh.replace(picture)
        payload = {"kind": "benchmark", "message": "x" * size, "number": number, "sent": time.time()}
        with transaction.atomic():
            event = emit(execution, EventKind.ERROR, payload)
        due += pause_ms / 1000
        time.sleep(max(0.0, due - time.monotonic()))  # a pace, not a wait
    return {"last": event.seq}


def main(command: str, *arguments: str) -> None:
    django.setup()
    if command == "prepare":
        answer = prepare()
    else:
        execution_id, count, size, pause_ms, pictures = arguments
        answer = write(execution_id, int(count), int(size), float(pause_ms), pictures == "1")
    print(json.dumps(answer))


if __name__ == "__main__":
    main(*sys.argv[1:])
