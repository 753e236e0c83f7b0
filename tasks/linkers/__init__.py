"""The linkers: each file holds one function from a catalog to a smaller catalog."""
