"""The operator's assistant (S4.6)."""
