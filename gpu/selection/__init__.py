"""Which of them answers: a pure choice over what is seen now (S4.2)."""
