"""The commands `extract`, `layers` and `store show`: models, data and manifests."""
