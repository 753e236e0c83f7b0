"""Database engines, each behind the ``Database`` protocol: read-only, and limited in time, rows and bytes."""
