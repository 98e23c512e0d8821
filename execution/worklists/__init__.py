"""Work in lots (S12): rows of a list, each worked off once by a run."""
