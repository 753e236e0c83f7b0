"""The disk."""
