"""The convolutional networks of the RTD paper: shared training runs, and studies."""
