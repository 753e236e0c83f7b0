"""The benchmarks: each file reads one published layout in place."""
