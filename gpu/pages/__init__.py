"""The GPU on the pages: its board, what every page says while it is degraded, and both in the reader's words."""
