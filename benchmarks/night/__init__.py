"""A night: a list begins by its schedule, robots work it off while everything goes wrong, and in the morning it is
compared with what the record program itself has kept."""
