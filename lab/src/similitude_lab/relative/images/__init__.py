"""Studies on images: few labels with densification, and stitching."""
