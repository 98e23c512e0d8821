"""Backup and restore: database and pictures in one file, which is checked whole before anything is put back (S5.8)."""

from __future__ import annotations

from rpa_site.backups.making import Made, back_up
from rpa_site.backups.place import BackupError, DataPlace
from rpa_site.backups.restoring import Checked, Restored, check, restore

__all__ = ["BackupError", "Checked", "DataPlace", "Made", "Restored", "back_up", "check", "restore"]
