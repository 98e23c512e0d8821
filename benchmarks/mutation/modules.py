"""What is broken on purpose, and which tests speak for each module: its own, and those of what is built on it."""

from __future__ import annotations

DEATHS = [  # the quick ones, without processes of their own
    f"tests/execution/running/test_deadly_runs.py::{name}"
    for name in (
        "test_a_step_in_between_is_progress",
        "test_closing_what_was_never_done_is_no_progress",
        "test_whoever_lets_go_has_not_died",
    )
]
MODULES = {
    **{
        f"execution/record/{name}.py": [
            "tests/execution/record/test_journal.py",
            "tests/execution/record/test_journal_kept.py",
            "tests/execution/record/test_step_times.py",
            "tests/execution/record/test_statistics.py",
            "tests/execution/record/test_secret_values.py",
        ]
        for name in ("fence", "steps", "questions", "moves", "journal")
    },
    "execution/record/claims.py": ["tests/execution/record/test_claims.py", *DEATHS],
    "execution/actions/control.py": [
        "tests/execution/actions/test_control.py",
        "tests/execution/targeting/test_pressing.py",
    ],
    "execution/actions/decide.py": ["tests/execution/actions/test_decide.py"],
    "execution/actions/hold.py": ["tests/execution/actions/test_hold.py"],
    "execution/models/execution.py": [
        "tests/execution/models/test_moves.py",
        "tests/execution/models/test_execution_rows.py",
        "tests/execution/record/test_clocks.py",
    ],
    "execution/turn/performing.py": ["tests/execution/turn/test_performing.py"],
    "execution/turn/readiness.py": ["tests/execution/turn/test_readiness.py"],
    "execution/turn/repeating.py": ["tests/execution/turn/test_repeating.py"],
    "workflows/catalogue.py": [
        "tests/workflows/test_catalogue.py",
        "tests/execution/turn/test_defaults.py",
        "tests/execution/turn/test_repeating.py",
    ],
    **{
        f"workflows/validation/{name}.py": ["tests/workflows/test_validation.py"]
        for name in ("__init__", "actions", "dialogs", "pictures", "problem", "screens", "structure", "variables")
    },
    "workflows/vault.py": ["tests/workflows/test_vault.py"],
    "rpa_site/roles.py": ["tests/rpa_site/test_roles.py"],
}
# What keeps the robot from acting where, when or for whom it should not, and tests of the gate that come by there.
# What only measures (the likeness of two screens, the signs of a place) is judged by benchmarks of its own.
_TARGETING = ["tests/execution/targeting"]
_MATCHING = ["tests/execution/matching"]
_LOOKS = [
    "tests/execution/verification",
    *(
        f"tests/execution/turn/test_{name}.py"
        for name in ("readiness", "repeating", "performing", "loop_checks", "unchanged")
    ),
]
_RECORD = [
    *(f"tests/execution/record/test_{name}.py" for name in ("claims", "journal", "journal_kept")),
    *DEATHS,
]
_ANSWERS = [
    *(f"tests/execution/actions/test_{name}.py" for name in ("decide", "hold")),
    "tests/execution/api/test_decide_api.py",
    "tests/execution/record/test_attribution.py",
]
_ROUTES = ["tests/test_routes.py"]
SAFETY = {
    **{
        f"execution/targeting/{name}.py": _TARGETING
        for name in ("vetoes", "recognised", "twins", "resolver", "windows")
    },
    **{f"execution/matching/{name}.py": _MATCHING for name in ("matcher", "telling", "reasons")},
    **{f"execution/verification/{name}.py": _LOOKS for name in ("identity", "verifier", "troubles", "untouched")},
    **{f"execution/turn/{name}.py": _LOOKS for name in ("readiness", "repeating", "unchanged", "performing")},
    **{f"execution/record/{name}.py": _RECORD for name in ("fence", "claims")},
    "execution/actions/decide.py": _ANSWERS,
    "execution/permissions.py": _ROUTES,
    "workflows/permissions.py": _ROUTES,
    "rpa_site/roles.py": ["tests/rpa_site/test_roles.py"],
}
