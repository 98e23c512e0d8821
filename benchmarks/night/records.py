"""The record program of a ward, in Tk: a stay is opened by its number, and each press of Order keeps an order.

    python benchmarks/night/records.py FILE

What it keeps lies in its own database FILE, which is the judge of the night. What is to go wrong at a stay stands there
as well: a dialog before or after the order, or the end of the program; each once.
"""

from __future__ import annotations

import os
import sqlite3
import sys
import tkinter as tk
from contextlib import closing
from datetime import UTC, datetime

TABLES = """
PRAGMA journal_mode = WAL;
CREATE TABLE IF NOT EXISTS stays (stay TEXT PRIMARY KEY, patient TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS orders (
    receipt INTEGER PRIMARY KEY, stay TEXT NOT NULL, diet TEXT NOT NULL, desktop TEXT NOT NULL, at TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS troubles (stay TEXT PRIMARY KEY, kind TEXT NOT NULL, said TEXT NOT NULL, at TEXT);
"""
FONT = ("DejaVu Sans", 14)
HEAD = ("DejaVu Sans", 18, "bold")
BEFORE, AFTER, CRASH = "before", "after", "crash"  # of the order a dialog comes; or the program ends


class Store:
    """What the program keeps; another program may have the same file open."""

    def __init__(self, file: str) -> None:
        self.file = file

    def ask(self, sql: str, *values: str) -> list[tuple[str, ...]]:
        with closing(sqlite3.connect(self.file, timeout=30)) as connection, connection:
            return connection.execute(sql, values).fetchall()

    def patient(self, stay: str) -> str | None:
        found = self.ask("SELECT patient FROM stays WHERE stay = ?", stay)
        return found[0][0] if found else None

    def order(self, stay: str, diet: str, desktop: str) -> str:
        values = (stay, diet, desktop, datetime.now(UTC).isoformat())
        sql = "INSERT INTO orders (stay, diet, desktop, at) VALUES (?, ?, ?, ?) RETURNING receipt"
        return f"R-{self.ask(sql, *values)[0][0]}"

    def trouble(self, stay: str, *kinds: str) -> tuple[str, ...] | None:
        """What goes wrong here, once."""
        marks = ", ".join("?" * len(kinds))
        sql = f"UPDATE troubles SET at = ? WHERE stay = ? AND at IS NULL AND kind IN ({marks}) RETURNING kind, said"
        found = self.ask(sql, datetime.now(UTC).isoformat(), stay, *kinds)
        return found[0] if found else None


class Program(tk.Tk):
    def __init__(self, store: Store) -> None:
        super().__init__()
        self.store, self.view = store, tk.Frame(self)
        self.title("Ward records")
        self.geometry("760x480+40+40")
        self.bind_all("<Escape>", lambda event: self.back())
        self.message: tk.Toplevel | None = None
        self.search()

    def shown(self, head: str) -> tk.Frame:
        """An empty page with that heading."""
        self.view.destroy()
        self.view = tk.Frame(self, padx=36, pady=28)
        self.view.pack(fill="both", expand=True)
        tk.Label(self.view, text=head, font=HEAD).grid(columnspan=2, sticky="w", pady=(0, 24))
        return self.view

    def field(self, label: str, row: int) -> tk.Entry:
        tk.Label(self.view, text=label, font=FONT).grid(row=row, column=0, sticky="w", pady=8)
        entry = tk.Entry(self.view, font=FONT, width=24)
        entry.grid(row=row, column=1, sticky="w", padx=24)
        return entry

    def line(self, label: str, text: str, row: int) -> None:
        tk.Label(self.view, text=label, font=FONT).grid(row=row, column=0, sticky="w", pady=8)
        tk.Label(self.view, text=text, font=FONT).grid(row=row, column=1, sticky="w", padx=24)

    def button(self, text: str, row: int, does: object) -> None:
        tk.Button(self.view, text=text, font=FONT, padx=18, pady=4, command=does).grid(  # type: ignore[arg-type]
            row=row, column=0, sticky="w", pady=(28, 0)
        )

    def search(self) -> None:
        self.shown("Open a stay")
        entry = self.field("Stay", 1)
        entry.bind("<Return>", lambda event: self.open(entry.get().strip()))
        self.button("Open", 2, lambda: self.open(entry.get().strip()))
        entry.focus_set()

    def open(self, stay: str) -> None:
        patient = self.store.patient(stay)
        if patient is None:
            self.shown("No such stay")
            self.line("The number is not known.", "", 1)
            self.button("Search anew", 2, self.search)
            return
        self.shown("Meals of the patient")
        self.line("Number", stay, 1)
        self.line("Patient", patient, 2)
        diet = self.field("Diet", 3)
        self.button("Order", 4, lambda: self.order(stay, diet.get().strip()))
        diet.focus_set()
        self.go_wrong(stay, BEFORE, CRASH)

    def order(self, stay: str, diet: str) -> None:
        receipt = self.store.order(stay, diet, os.environ["DISPLAY"])
        self.shown("The order is kept")
        self.line("Receipt", receipt, 1)
        self.button("Next stay", 2, self.search)
        self.go_wrong(stay, AFTER)

    def go_wrong(self, stay: str, *kinds: str) -> None:
        kind, said = self.store.trouble(stay, *kinds) or ("", "")
        if kind == CRASH:
            os._exit(1)
        if kind:
            self.after(150, self.tell, said)

    def tell(self, said: str) -> None:
        self.message = tk.Toplevel(self, padx=28, pady=20)
        self.message.title("Message")
        self.message.protocol("WM_DELETE_WINDOW", self.back)
        self.message.transient(self)
        self.message.geometry("+240+190")
        tk.Label(self.message, text=said, font=FONT, wraplength=360, justify="left").pack()
        tk.Button(self.message, text="Understood", font=FONT, command=self.back).pack(pady=(18, 0))
        self.message.grab_set()
        self.message.focus_set()

    def back(self) -> None:
        """Escape closes a message, else it leads to the search; nothing is kept by it."""
        if self.message is not None:
            self.message.destroy()
            self.message = None
        else:
            self.search()


def made(file: str) -> Store:
    """The store, its tables made."""
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript(TABLES)
    return Store(file)


if __name__ == "__main__":
    Program(made(sys.argv[1])).mainloop()
