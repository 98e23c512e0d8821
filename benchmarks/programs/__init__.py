"""Acts that should not have happened: programs and pages as others write them, with what goes wrong in them."""
