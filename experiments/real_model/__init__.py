"""A released model read to twice its trained length: python -m experiments.real_model, by PREDICTIONS.md.

It writes `bookkit/tables/real_model.csv`, and goes on where it was.
"""
