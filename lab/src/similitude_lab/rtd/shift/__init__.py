"""Clean against transformed images in trained networks."""
