"""Who has the GPU's memory, and how it comes to that: the owner, its turns, its steps."""
