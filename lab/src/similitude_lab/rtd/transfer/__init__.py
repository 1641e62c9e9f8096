"""Representations while a pretrained network is fine-tuned on other classes."""
