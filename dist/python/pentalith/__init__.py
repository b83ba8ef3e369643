"""An engine for five new abstract board games, for GTP and UGI clients.

The package holds the program; it has no functions for Python. Run `pentalith`, or `python -m pentalith`.
"""
