"""System checks of the deployment."""
