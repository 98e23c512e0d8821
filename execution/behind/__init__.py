"""What is done behind the scenes: wanted by rows, woken by a queue, done in pieces that are kept whole."""
