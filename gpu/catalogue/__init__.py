"""Which models there are to choose from (S4.1)."""
