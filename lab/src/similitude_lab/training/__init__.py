"""Training that several papers use."""
