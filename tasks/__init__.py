"""The verbs of schemalink: each step takes paths and gives paths back."""
