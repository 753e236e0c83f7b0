"""The nouns of schemalink: a linker is a function from a catalog to a smaller catalog."""
