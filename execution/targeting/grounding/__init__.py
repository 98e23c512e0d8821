"""The signs by which the upper rungs of the ladder compare an element of the screen with a taught target."""
