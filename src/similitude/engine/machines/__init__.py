"""One comparison on many machines: shards, executors, Dask."""
