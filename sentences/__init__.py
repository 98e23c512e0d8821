"""Sentences as data, for every app: a code with its values, worded where a person reads it.

`said` makes and words them, `field` keeps them, `base` is how they are written down; the words themselves are each
app's own, registered by it.
"""
