"""The comparison, by the rules of experiments/PROTOCOL.md: `python -m experiments.comparison`.

It is sealed: see frozen.py.
"""
