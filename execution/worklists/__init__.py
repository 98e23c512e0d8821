"""Work in lots: a list holds rows, a row is worked off by a run (S12)."""
