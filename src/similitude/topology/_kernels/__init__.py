"""Compiled kernels of topology; `_compile.kernels` imports them on first use."""
