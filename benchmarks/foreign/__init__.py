"""Screens that nobody here drew, kept outside of the repository: taught and found again by the product's own path."""
