"""The processes of one machine: who owns the GPU, how the others ask it, what it tells them in rows."""
