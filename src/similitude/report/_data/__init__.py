"""The data of a page: rows by column, maps, rank correlations, barcodes."""
