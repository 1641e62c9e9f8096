"""Training of models that are close in distribution."""
