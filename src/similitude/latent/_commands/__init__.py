"""`similitude latent`: relative representations, maps between spaces, stitching."""

from ._commands import latent
