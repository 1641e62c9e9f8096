"""Models that a text names, as on the command line: ``net.py:make``, ``hf:FOLDER``."""
