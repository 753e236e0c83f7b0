"""Sweeps: a grid of models, benchmarks and linkers, planned, run within a budget, and told about."""
