"""What the programs of the corpus open: letters, tables, code and a folder of files, always the same."""

from __future__ import annotations

import tempfile
from pathlib import Path

FOLDER = Path(tempfile.gettempdir()) / "documents-marie"  # its name shows in titles, so it is the same everywhere

LETTER = """Chère Madame Lefèvre,

Nous vous remercions de votre commande n° 2024-0817 du 3 août.
Le paiement de 1 245,60 € est bien reçu ; l'expédition est prévue
pour le 12 septembre, à l'adresse de Besançon.

Les œuvres complètes sont épuisées : voulez-vous attendre
la réimpression, ou préférez-vous être remboursée ?

Avec nos sentiments les meilleurs,
Noël Dubœuf, service clientèle
"""
NOTES = """Meeting notes, 14 March 2024

Present: Alice Moore, Rashid Khan, Zoë Baker
Budget: approved at 18,400 GBP, review in June
Open points
  1. Invoice 77-031 is still missing a signature.
  2. Ask the supplier for the new price list.
  3. Book room B.204 for Thursday, 9:30 to 11:00.

Next meeting: 28 March 2024
"""
CODE = '''"""Totals of an order."""

RATE = 0.2  # VAT


def total(lines, discount=0.0):
    net = sum(price * count for price, count in lines)
    net *= 1.0 - discount
    return round(net * (1.0 + RATE), 2)


if __name__ == "__main__":
    print(total([(12.5, 4), (3.99, 10)]))
'''
FILES = (
    "Factures 2024.ods",
    "Relevé août.pdf",
    "contrat-signé.pdf",
    "notes.txt",
    "lettre.txt",
    "order.py",
    "Photos été",
    "Archives",
    "Modèles",
    "Clients",
    "planning.csv",
    "README.md",
    "budget prévisionnel.xlsx",
    "organigramme.png",
    "procédure.html",
    "zone d'échange",
)


def make() -> Path:
    """Write the documents; returns their folder."""
    shelf = FOLDER / "Dossier"
    shelf.mkdir(parents=True, exist_ok=True)
    _keep(FOLDER / "lettre.txt", LETTER)
    _keep(FOLDER / "notes.txt", NOTES)
    _keep(FOLDER / "order.py", CODE)
    _keep(FOLDER / "long.txt", long_text())
    (FOLDER / "lettre.pdf").write_bytes(pdf(LETTER.splitlines()))
    _picture(FOLDER / "plan.png")
    for name in FILES:
        file = shelf / name
        if "." in name:
            _keep(file, f"{name}\n")
        else:
            file.mkdir(exist_ok=True)
    return FOLDER


def _keep(file: Path, text: str) -> None:
    """Write what is not there: a program that has it open tells of it when it is written anew."""
    if not file.is_file() or file.read_text() != text:
        file.write_text(text)


def long_text(lines: int = 240) -> str:
    """Numbered lines, no two alike: what scrolls can be told apart."""
    subjects = ("La facture", "Le devis", "The invoice", "La commande", "Le café", "The report", "L'élève", "The order")
    verbs = ("est payée", "reste ouvert", "was sent", "a été créée", "is late", "sera vérifié", "was refused", "arrive")
    days = ("lundi", "Tuesday", "mercredi", "Thursday", "vendredi", "à Noël", "in August")
    rows = [
        f"{i:03d}  {subjects[i % 8]} n° {1000 + 37 * i} {verbs[(i * 5) % 8]} {days[i % 7]}, {i * 91 % 977},{i % 10}0 €"
        for i in range(1, lines + 1)
    ]
    return "\n".join(rows) + "\n"


def pdf(lines: list[str]) -> bytes:
    """A page of plain text, Helvetica 14 pt, in the encoding that PDF calls WinAnsi."""
    shown = b"".join(b"(" + _escaped(line) + b") Tj T*\n" for line in lines)
    stream = b"BT /F1 14 Tf 60 780 Td 20 TL\n" + shown + b"ET"
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R"
        b" /Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    out, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    head = b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    tail = b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, len(out))
    return out + head + table + tail


def _escaped(line: str) -> bytes:
    raw = line.encode("cp1252")
    return raw.replace(b"\\", b"\\\\").replace(b"(", b"\\(").replace(b")", b"\\)")


def _picture(path: Path) -> None:
    import cv2
    import numpy as np

    rows, columns = np.mgrid[0:360, 0:560]
    pixels = np.stack([columns * 255 // 560, rows * 255 // 360, (rows + columns) * 255 // 920], axis=2).astype(np.uint8)
    cv2.rectangle(pixels, (80, 60), (480, 300), (250, 250, 250), -1)
    cv2.putText(pixels, "Plan B.204", (110, 190), cv2.FONT_HERSHEY_SIMPLEX, 2, (30, 30, 30), 3, cv2.LINE_AA)
    cv2.imwrite(str(path), pixels)
