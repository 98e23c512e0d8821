"""What a Python program of the user's brings (S11): its values, its own parts, and how the engine takes them in."""
