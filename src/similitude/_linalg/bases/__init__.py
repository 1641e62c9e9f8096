"""Orthonormal bases, ridge whitening, rotations and sums of singular values."""
