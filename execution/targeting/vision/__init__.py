"""A vision-language model asked about the marked picture: what it is shown, asked, and what its word is worth."""
