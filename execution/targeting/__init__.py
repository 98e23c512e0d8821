"""Where to act: taught evidence, and finding it again."""
