"""The studies: each file answers one question about methods from benchmarks and runs."""
