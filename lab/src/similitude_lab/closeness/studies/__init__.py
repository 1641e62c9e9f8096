"""Experiments of "When does closeness in distribution imply similarity?"."""
