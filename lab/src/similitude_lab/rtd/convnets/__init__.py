"""The convolutional networks of the RTD paper: shared trainings, and their studies."""
