"""The formats of published predictions: each file reads one."""
