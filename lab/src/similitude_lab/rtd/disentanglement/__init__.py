"""RTD between slices of dSprites along factors and along random directions."""
