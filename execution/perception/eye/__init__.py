"""A small network that says whether two crops show the same thing though redrawn, recoloured or rescaled."""
