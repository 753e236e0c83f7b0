"""The metrics: each file scores one answer."""
