from __future__ import annotations

import argparse

from benchmarks.trial.measuring import measure


def main() -> None:
    parser = argparse.ArgumentParser(description="25 actions at 2560×1600 in real applications, taught once.")
    parser.add_argument("--runs", type=int, default=10, metavar="N")
    for row in measure(parser.parse_args().runs):
        goal = "" if row["goal"] is None else f"goal {row['goal']:g}, {'met' if row['met'] else 'NOT met'}"
        print(f"{row['figure']:<58}{row['value']:>10} {row['unit']:<3} {goal}")


if __name__ == "__main__":
    main()
