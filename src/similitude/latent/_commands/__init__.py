"""The commands `similitude latent` and `similitude migrate`."""
