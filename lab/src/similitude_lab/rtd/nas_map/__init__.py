"""A map of recurrent architectures by the RTD of their word embeddings."""
