"""Stored steps looked at again with today's eyes, and what would differ (S6.17)."""
