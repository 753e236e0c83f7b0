"""The query languages: what a query references, and how a catalog is shown in a prompt."""
