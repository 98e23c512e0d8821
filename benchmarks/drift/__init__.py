"""Pairs for targeting: a target as it was taught, and a later screen that has drifted from it, with the truth."""
