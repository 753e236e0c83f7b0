"""What can be run."""
