"""The parts of `verifier`: what is read on a screen, and which of it proves, denies or leaves open."""
