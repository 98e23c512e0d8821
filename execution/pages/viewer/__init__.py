"""What a run that has ended shows of itself: the whole as a film, each step as a story, and what it is held against."""
