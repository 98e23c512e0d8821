"""`manage.py smoke` beside the real processes: the commands of the README's update, with what they find (S5.7)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.product import product

pytestmark = pytest.mark.display


def test_smoke_says_keep_only_while_everything_that_is_needed_runs(tmp_path: Path) -> None:
    with product(tmp_path) as world:
        world.env["PORT"] = str(world.port)
        alone = world.manage("smoke", "--timeout", "1", check=False)
        assert alone.returncode == 2, alone.stdout + alone.stderr
        world.start_runloop()
        whole = world.manage("smoke", "--timeout", "30", check=False)
        assert whole.returncode == 0, whole.stdout + whole.stderr
        assert "✗" not in whole.stdout
        assert whole.stdout.rstrip().endswith("Keep it.")
        web = next(process for name, process in world.processes.items() if name.startswith("web"))
        web.terminate()
        web.wait(60)
        silent = world.manage("smoke", "--timeout", "1", check=False)
        assert silent.returncode == 2, silent.stdout + silent.stderr
