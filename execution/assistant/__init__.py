"""What the assistant knows of runs: questions understood, facts from the database, answers of their own, drafts."""
