"""What was said, as much of it as a model holds, and one answer to it (S4.3, S4.4)."""
