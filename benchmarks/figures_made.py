"""An installation with a year of runs behind it: `python -m benchmarks.figures_made FOLDER [RUNS [STEPS]]`.

Workflows as in a ward; runs that end well, with help or not at all; steps with the times, ways and doubts of real ones.
The same numbers make the same rows, whatever the day. Rows are put in as the tables have them; the sums are made by the
product itself, as `rebuildmetrics` makes them.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
RUNS, STEPS, DAYS = 200_000, 10_000_000, 364
WARD = (  # name, learning state, share of all runs, of them alone, with help, stopped
    ("Open a record", "AUTO_CONFIRMED", 0.38, 0.985, 0.008, 0.002),
    ("Write a note", "AUTO_CONFIRMED", 0.35, 0.98, 0.007, 0.004),
    ("Print wristband", "AUTO_CANDIDATE", 0.19, 0.70, 0.26, 0.01),
    ("Transfer to ward", "COACHING", 0.06, 0.0, 0.84, 0.06),
    ("Order lab", "COACHING", 0.02, 0.0, 0.73, 0.07),
)
RUNGS = ("coords_cache", "anchor_template", "ocr_text", "som_text_match", "som_vlm", "coach")
RUNG_SHARES = (0.71, 0.18, 0.09, 0.014, 0.003, 0.003)
RUNG_MS = (6, 14, 21, 48, 1900, 9)
EDGES = 12
VERSIONS = 3
BLOCK = 2000  # runs made at once


def make(folder: Path, runs: int = RUNS, steps: int = STEPS, *, until: datetime | None = None) -> None:
    """The database of an installation in `folder`; minutes for ten million steps."""
    os.environ |= {"RPA_DATA_DIR": str(folder), "RPA_ENV_FILE": os.devnull}
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "rpa_site.settings")
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run([sys.executable, "manage.py", "migrate", "-v0"], cwd=ROOT, env=os.environ, check=True)
    import django

    django.setup()
    from analytics.rollups import FAMILIES, days_of, make_day

    began = time.perf_counter()
    fill(runs, steps, until or datetime.now(UTC))
    print(f"{runs} runs with {steps} steps in {time.perf_counter() - began:.0f} s", flush=True)
    began = time.perf_counter()
    days = [(family, day) for family in FAMILIES for day in days_of(family)]
    for family, day in days:
        make_day(family, day)
    print(f"sums of {len(days)} days in {time.perf_counter() - began:.0f} s", flush=True)


def fill(runs: int, steps: int, until: datetime) -> None:
    """Rows of runs, their metrics and those of their steps, with indexes made at the end."""
    from django.db import connection

    versions = _ward()
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA synchronous=OFF")
        cursor.execute(
            "SELECT name, sql FROM sqlite_master WHERE type='index' AND sql IS NOT NULL AND tbl_name='step_metrics'"
        )
        indexes = cursor.fetchall()
        for name, _sql in indexes:
            cursor.execute(f'DROP INDEX "{name}"')
    random = np.random.default_rng(15)
    done = 0
    for first in range(0, runs, BLOCK):
        many = min(BLOCK, runs - first)
        upto = round(steps * (first + many) / runs)
        _block(random, first, many, upto - done, runs, versions, until)
        done = upto
    with connection.cursor() as cursor:
        for _name, sql in indexes:
            cursor.execute(sql)


def _ward() -> list[list[Any]]:
    """Each workflow with its published versions."""
    from tests.factories import make_workflow
    from workflows.actions.publish import publish
    from workflows.models import Node

    nodes = [
        {
            "node_id": f"screen_{n}", "name": f"Screen {n + 1}", "texts": [f"Page {n}"],
            "is_entry": n == 0, "is_end": n == EDGES,
        }
        for n in range(EDGES + 1)
    ]  # fmt: skip
    edges = [
        {
            "edge_id": f"act_{n}", "source": f"screen_{n}", "destination": f"screen_{n + 1}", "action_type": "click",
            "target": {"target_id": f"t{n}", "label": f"Button {n}", "text": f"Button {n}"},
            "expect": {"texts": [f"Page {n + 1}"]},
        }
        for n in range(EDGES)
    ]  # fmt: skip
    made = []
    for number, (name, state, *_shares) in enumerate(WARD):
        known = {"workflow_id": f"wf_ward_{number}", "name": name, "learning_state": state}
        workflow = make_workflow(nodes=nodes, edges=edges, variables=(), **known)
        versions = []
        for n in range(VERSIONS):
            Node.objects.filter(workflow=workflow, node_id="screen_0").update(name=f"Screen 1, drawn {n + 1} times")
            versions.append(publish(workflow=workflow, user=None))
        made.append(versions)
    return made


def _block(
    random: Any, first: int, many: int, steps: int, runs: int, versions: list[list[Any]], until: datetime
) -> None:
    """So many runs, one after the other in time, with their steps."""
    from django.db import transaction

    from analytics.models import RunMetric, StepMetric
    from execution.models import Execution

    share = np.array([one[2] for one in WARD])
    which = random.choice(len(WARD), many, p=share / share.sum())
    age = DAYS * (1 - (first + np.arange(many) + random.random(many)) / runs)
    lengths = np.full(many, steps // many)
    lengths[: steps - int(lengths.sum())] += 1
    luck, slower = random.random(many), random.random(many)
    executions, metrics, begins = [], [], []
    for n in range(many):
        _name, _state, _share, alone, helped, stopped = WARD[which[n]]
        # older versions did less well, and nothing runs at night
        version = versions[which[n]][min(VERSIONS - 1, int(VERSIONS * (1 - age[n] / (DAYS + 1))))]
        worse = 0.06 * (VERSIONS - version.number)
        started = (until - timedelta(days=float(age[n]))).replace(hour=6 + int(slower[n] * 14))
        ended = min(started + timedelta(seconds=float(lengths[n]) * (0.8 + slower[n])), until)
        well = luck[n] < alone - worse
        with_help = not well and luck[n] < alone + helped - worse / 2
        state = "completed" if well or with_help else "stopped" if luck[n] > 1 - stopped else "failed"
        execution_id = f"ex_{first + n:08d}"
        suggestions = 0 if WARD[which[n]][1] == "AUTO_CONFIRMED" else int(lengths[n])
        accepted = suggestions if well else int(suggestions * (0.75 + 0.2 * slower[n]))
        counts = {"suggestions_made": suggestions, "accepted": accepted}
        executions.append(
            Execution(
                execution_id=execution_id, version=version, mode="automatic", state=state, created_at=started,
                started_at=started, ended_at=ended, lasted_s=(ended - started).total_seconds(), measured_at=ended,
                steps_executed=int(lengths[n]), start_node_id="screen_0", variables={"patient": f"P{first + n}"},
                **counts,
            )
        )  # fmt: skip
        metrics.append(
            RunMetric(
                execution_id=execution_id, workflow_id=f"wf_ward_{which[n]}", version=version.number, mode="automatic",
                state=state, helped=int(with_help), seconds=(ended - started).total_seconds(), steps=int(lengths[n]),
                waited_ms=5000.0 * with_help, suggestions=suggestions, accepted=accepted, ended_at=ended,
            )
        )  # fmt: skip
        begins.append((execution_id, f"wf_ward_{which[n]}", version.number, started, int(lengths[n]), float(age[n])))
    with transaction.atomic():
        Execution.objects.bulk_create(executions, batch_size=500)
        RunMetric.objects.bulk_create(metrics, batch_size=500)
        names = [field.column for field in StepMetric._meta.concrete_fields if field.name != "id"]
        marks = ", ".join(["%s"] * len(names))
        from django.db import connection

        with connection.cursor() as cursor:
            cursor.executemany(
                f"INSERT INTO step_metrics ({', '.join(names)}) VALUES ({marks})", _rows(random, begins, names)
            )


def _rows(random: Any, begins: list[Any], names: list[str]) -> Iterator[tuple[Any, ...]]:
    many = sum(one[4] for one in begins)
    rungs = random.choice(len(RUNGS), many, p=np.array(RUNG_SHARES) / sum(RUNG_SHARES)).tolist()
    luck, slow, sure = (random.random(many).tolist() for _n in range(3))
    place = 0
    for execution_id, workflow_id, version, started, steps, age in begins:
        stamp = started.replace(tzinfo=None)
        for step in range(steps):
            at = step % EDGES
            rung, fine = rungs[place], luck[place] > 0.004 * (1 + at % 4)
            drift = 0.15 if at == 4 and age < 12 and workflow_id == "wf_ward_4" else 0.0
            analyze = 180 + 400 * slow[place]
            resolve = RUNG_MS[rung] * (0.5 + slow[place])
            act, waited = 60.0, 14_000.0 * (rung == 5)
            row = {
                "workflow_id": workflow_id, "version": version, "execution_id": execution_id, "step": step + 1,
                "node_id": f"screen_{at}", "edge_id": f"act_{at}", "action_type": "click", "mode": "automatic",
                "success": int(fine), "confidence": 0.9 + 0.09 * sure[place] - drift, "rung": RUNGS[rung],
                "score": 0.93 + 0.06 * sure[place], "verified": "yes" if luck[place] > 0.03 else "cannot_tell",
                "retries": int(luck[place] > 0.985), "ocr_ms": analyze * 0.7, "ui_ms": analyze * 0.2,
                "analyze_ms": analyze, "resolve_ms": resolve, "act_ms": act, "look_ms": 0.0, "verify_ms": 40.0,
                "waited_ms": waited,
                "total_ms": analyze + resolve + act + 40 + waited + 90 * at, "cache_hit": int(slow[place] < 0.4),
                "degraded": int(luck[place] > 0.999),
                "wrong": int(luck[place] > 0.9999), "started_at": str(stamp + timedelta(seconds=step)),
            }  # fmt: skip
            place += 1
            yield tuple(row[name] for name in names)


def main() -> None:
    numbers = [int(given) for given in sys.argv[2:4]]
    make(Path(sys.argv[1]).resolve(), *numbers)
    print(json.dumps({path.name: path.stat().st_size for path in Path(sys.argv[1]).glob("*.sqlite3")}))


if __name__ == "__main__":
    main()
