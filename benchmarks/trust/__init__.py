"""Independent computations of every measure, and error rates of every claim."""
