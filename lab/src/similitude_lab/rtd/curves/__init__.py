"""Curves of RTD, 1 - CKA, disagreement and error rate, and their correlations."""
