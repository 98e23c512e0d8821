"""A failure is told when it happens: a log that ends in the middle of a run says which tests had failed by then."""

from __future__ import annotations

import pytest

REASON = 300  # characters


class ToldAtOnce:
    """A plugin of the process that prints, which hears of all workers' tests."""

    def __init__(self, plugins: pytest.PytestPluginManager) -> None:
        self._plugins = plugins

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            terminal = self._plugins.get_plugin("terminalreporter")  # it comes after this one
            terminal.ensure_newline()
            terminal.write_line(f"FAILED {report.nodeid} ({report.when}): {reason(report)}", red=True)


def reason(report: pytest.TestReport) -> str:
    """What was raised, in one line."""
    crash = getattr(report.longrepr, "reprcrash", None)
    text = crash.message if crash else str(report.longrepr)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return " · ".join(lines)[:REASON]
