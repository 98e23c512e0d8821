"""Makes the weights of `execution.perception.eye`: `python -m tools.eye FOLDER` (see README.md beside this)."""
