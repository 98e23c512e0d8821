"""Actions on pages, each with what the screen shows when they have their effect, have it late, or have it not."""
