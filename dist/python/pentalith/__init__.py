"""Plays and analyzes five abstract board games, for people and for GTP and UGI clients.

The package holds the program; it has no functions for Python. Run `pentalith`, or `python -m pentalith`.
"""
