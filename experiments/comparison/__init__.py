"""The comparison run again, by the rules of experiments/PROTOCOL.md. `python -m experiments.comparison`.

It stands beside the first comparison, whose tables the page reads until this one is complete.
"""
