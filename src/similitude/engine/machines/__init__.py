"""One comparison on many machines: shards, Dask."""
