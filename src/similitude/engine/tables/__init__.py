"""Results as tables of other libraries: data frames, CSV, labelled matrices."""
