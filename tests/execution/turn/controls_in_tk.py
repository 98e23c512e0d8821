"""A small program of Tk for tests: a form that writes what it holds to a file at each change.

python -m tests.execution.turn.controls_in_tk FILE
"""

from __future__ import annotations

import json
import sys
import tkinter as tk
from pathlib import Path
from tkinter import ttk

CARRIERS = (
    "Aramex", "Bpost", "Chronopost", "Colissimo", "Correos", "DB Schenker", "DHL Express", "DPD", "FedEx", "GLS",
    "Hermes", "InPost", "Mondial Relay", "PostNL", "TNT", "UPS Standard",
)  # fmt: skip


def main(path: str) -> None:
    root = tk.Tk()
    root.title("Admission desk")
    root.geometry("640x480+60+40")
    root.option_add("*Font", "{DejaVu Sans} 13")
    ttk.Style().configure(".", font=("DejaVu Sans", 13))
    name, ward, fasting, urgency = (
        tk.StringVar(value="Grace"),
        tk.StringVar(),
        tk.BooleanVar(),
        tk.StringVar(value="low"),
    )
    carrier = tk.StringVar(value="Colissimo")
    ttk.Label(root, text="New admission").grid(row=0, column=0, columnspan=2, pady=12)
    ttk.Label(root, text="Name:").grid(row=1, column=0, sticky="w", padx=16, pady=9)
    ttk.Entry(root, textvariable=name, width=24).grid(row=1, column=1)
    ttk.Label(root, text="Ward:").grid(row=2, column=0, sticky="w", padx=16, pady=9)
    names = [f"Ward {n}" for n in range(1, 26)]
    ttk.Combobox(root, textvariable=ward, values=names, width=22, height=8).grid(row=2, column=1)
    tk.Checkbutton(root, text="Fasting", variable=fasting).grid(row=3, column=1, sticky="w", pady=9)
    for number, (text, value) in enumerate((("Low", "low"), ("High", "high"))):
        tk.Radiobutton(root, text=text, variable=urgency, value=value).grid(row=4 + number, column=1, sticky="w")

    # as Tk makes it by itself: ten rows in sight, of which a click of the wheel turns five
    ttk.Label(root, text="Carrier:").grid(row=6, column=0, sticky="w", padx=16, pady=9)
    ttk.Combobox(root, textvariable=carrier, values=CARRIERS, width=22, state="readonly").grid(row=6, column=1)

    def tell(*_args: object) -> None:
        held = {"name": name.get(), "ward": ward.get(), "fasting": fasting.get(), "urgency": urgency.get()}
        held["carrier"] = carrier.get()
        Path(path).write_text(json.dumps(held))

    for variable in (name, ward, fasting, urgency, carrier):
        variable.trace_add("write", tell)
    root.mainloop()


if __name__ == "__main__":
    main(sys.argv[1])
